"""What a model is made of."""

import math
from dataclasses import dataclass
from typing import Literal

from transformer_lesson import validation
from transformer_lesson.attention import Attention
from transformer_lesson.blocks import Activation, Normalization, NormPlace
from transformer_lesson.initialization import Initialization

Positions = Literal["sinusoidal", "learned", "relative", "rotary", "alibi", "none"]


@dataclass(frozen=True)
class ModelConfig:
    """The sizes and kinds of a model's parts; every model of the course is made from one.

    Attributes:
        vocab_size: number of token ids.
        d_model: width of the tokens.
        num_heads: number of heads; it divides ``d_model``.
        num_layers: number of layers, in the encoder and in the decoder each.
        d_ff: width inside the feed-forward.
        max_tokens: number of positions of a table (sinusoidal, learned).
        max_distance: largest distance that a relative bias tells apart.
        dropout: probability, in training mode; with flash attention not on the weights.
        padding_id: id of the padding, which nothing attends to; None where there is no padding.
        norm: where the norms stand.
        normalization: layer norm or RMS norm.
        positions: how the model knows the order.
        activation: of the feed-forward.
        attention: how attention is computed; all ways give the same numbers.
        initialization: ``"paper"``: linear layers Xavier uniform, embeddings normal with standard
            deviation 1/√d_model and multiplied by √d_model (Vaswani et al. 2017, section 3.4; the
            deviations are those of their code). ``"gpt2"``: all normal with 0.02; what a layer adds
            is divided by the root of the number of additions (Radford et al. 2019, section 2.3).
        tie_embeddings: whether the output layer is the embedding (Press & Wolf 2017).

    Raises:
        ValueError: a value is out of range, or two do not fit together.
    """

    vocab_size: int
    d_model: int = 128
    num_heads: int = 4
    num_layers: int = 2
    d_ff: int = 512
    max_tokens: int = 256
    max_distance: int = 32
    dropout: float = 0.0
    padding_id: int | None = 0
    norm: NormPlace = "pre"
    normalization: Normalization = "layer"
    positions: Positions = "sinusoidal"
    activation: Activation = "relu"
    attention: Attention = "fused"
    initialization: Initialization = "paper"
    tie_embeddings: bool = True

    def __post_init__(self) -> None:
        validation.check_layer(self.d_model, self.num_heads, 0.0, self.attention)
        validation.check_dropout(self.dropout)
        validation.check_sizes(
            vocab_size=self.vocab_size,
            num_layers=self.num_layers,
            d_ff=self.d_ff,
            max_tokens=self.max_tokens,
            max_distance=self.max_distance,
        )
        validation.check_choice("norm", self.norm, NormPlace)
        validation.check_choice("normalization", self.normalization, Normalization)
        validation.check_choice("positions", self.positions, Positions)
        validation.check_choice("activation", self.activation, Activation)
        validation.check_choice("initialization", self.initialization, Initialization)
        if self.attention == "flash" and self.positions in ("relative", "alibi"):
            raise ValueError(
                f"positions={self.positions!r} add to every score, which attention='flash' never "
                "holds together. Choose other positions, or attention='fused'."
            )
        validation.check_padding(self.padding_id, self.vocab_size)
        if not isinstance(self.tie_embeddings, bool):
            raise ValueError(f"tie_embeddings={self.tie_embeddings!r}; expected True or False.")
        if self.positions == "rotary" and self.d_model // self.num_heads % 2:
            raise ValueError(
                f"d_model={self.d_model} with num_heads={self.num_heads} makes heads of width "
                f"{self.d_model // self.num_heads}; rotary positions need an even width."
            )

    @property
    def embedding_scale(self) -> float:
        """What embedding rows are multiplied by."""
        return math.sqrt(self.d_model) if self.initialization == "paper" else 1.0
