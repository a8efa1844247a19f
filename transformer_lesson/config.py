"""What a model is made of."""

import math
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from transformer_lesson.attention import Attention, AttentionOptions
from transformer_lesson.blocks import Activation, NormPlace, NormType
from transformer_lesson.initialization import Initialization
from transformer_lesson.positions import ntk_base
from transformer_lesson.validation import arguments

RopeScaling = Literal["interpolation", "ntk", "llama3"]
# Until a model is made of the configuration, nobody knows whether there is padding.
BY_KIND: Any = "by kind"
# Fields that only one kind of model knows, after its name.
PAIRS = ("an EncoderDecoder", "num_encoder_layers", "source_vocab_size")
DECODERS = ("a DecoderOnly", "window")
Positions = Literal["sinusoidal", "learned", "relative", "rotary", "alibi", "none"]


@dataclass(frozen=True, repr=False)
class ModelConfig:
    """The sizes and kinds of a model's parts; every model of the course is made from one.

    Attributes:
        vocab_size: number of token ids.
        d_model: width of the tokens.
        num_heads: number of heads; it divides ``d_model``, unless ``d_head`` is given.
        num_layers: number of layers; with encoder and decoder, of each.
        d_ff: width inside the feed-forward.
        max_tokens: tokens of the longest text: positions of a table (sinusoidal, learned).
        max_distance: largest distance that a relative bias tells apart.
        dropout: probability, in training mode; with flash attention not on the weights.
        padding_id: id of the padding, which nothing attends to; None where there is no padding. By
            default 0 in a model with an encoder, and None in a ``DecoderOnly``.
        norm: where the norms stand, before each part, after it or both; not which norm it is.
        norm_type: which norm: layer norm or RMS norm.
        positions: how the model knows the order.
        activation: of the feed-forward.
        attention: how attention is computed; all ways give the same numbers.
        initialization: ``"paper"``: linear layers Xavier uniform, embeddings normal with standard
            deviation 1/√d_model and multiplied by √d_model (Vaswani et al. 2017, section 3.4; the
            deviations are those of their code). ``"gpt2"``: all normal with 0.02 (OpenAI's
            model.py); what a layer adds is divided by the root of the number of additions (Radford
            et al. 2019, section 2.3; not in model.py).
        tie_embeddings: whether the output layer is the embedding (Press & Wolf 2017).
        num_kv_heads: number of heads of keys and values, which neighboring heads share; it divides
            ``num_heads``, which it is by default.
        num_encoder_layers: number of layers of an ``EncoderDecoder``'s encoder, by default
            ``num_layers``.
        source_vocab_size: number of ids of an ``EncoderDecoder``'s source, if it has a vocabulary
            of its own; by default both share one, and its embedding.
        bias: whether linear layers and layer norms have a bias.
        qk_norm: whether queries and keys are normalized before they meet.
        parallel: whether attention and feed-forward of a layer stand side by side.
        eps: of all norms.
        rope_base: base of rotary positions.
        rope_factor: how many times longer texts may be than those that the model was trained on.
        rope_scaling: how rotary positions reach that far: ``"interpolation"`` divides all angles by
            ``rope_factor`` (Chen et al. 2023), ``"ntk"`` raises the base; see ``ntk_base``.
            ``"llama3"`` divides those that turn slowly in a text of ``rope_tokens`` tokens, as long
            as those of the training; see ``rotate``.
        d_head: width of a head, by default ``d_model / num_heads``.
        window: how many tokens each sees at most, itself and those before it; of a ``DecoderOnly``.
        full_every: with a window, which layers see the whole text all the same: 2: every second
            one (Gemma 2: layers 2, 4, …). By default none does (Mistral).
        num_experts, experts_per_token, expert_capacity: of each feed-forward, if it is a
            ``MixtureOfExperts``; None experts: it is none.
        attention_softcap, logit_softcap: what scores, and logits, approach and never pass: ``cap *
            tanh(x / cap)`` (Gemma 2).

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
    padding_id: int | None = BY_KIND
    norm: NormPlace = "pre"
    norm_type: NormType = "layer"
    positions: Positions = "sinusoidal"
    activation: Activation = "relu"
    attention: Attention = "fused"
    initialization: Initialization = "paper"
    tie_embeddings: bool = True
    num_kv_heads: int | None = field(default=None, repr=False)
    num_encoder_layers: int | None = field(default=None, repr=False)
    source_vocab_size: int | None = field(default=None, repr=False)
    bias: bool = field(default=True, repr=False)
    qk_norm: bool = field(default=False, repr=False)
    parallel: bool = field(default=False, repr=False)
    eps: float = field(default=1e-5, repr=False)
    rope_base: float = field(default=10_000.0, repr=False)
    rope_factor: float = field(default=1.0, repr=False)
    rope_scaling: RopeScaling = field(default="interpolation", repr=False)
    d_head: int | None = field(default=None, repr=False)
    window: int | None = field(default=None, repr=False)
    full_every: int | None = field(default=None, repr=False)
    rope_tokens: int = field(default=8192, repr=False)
    attention_softcap: float | None = field(default=None, repr=False)
    logit_softcap: float | None = field(default=None, repr=False)
    num_experts: int | None = field(default=None, repr=False)
    experts_per_token: int = field(default=2, repr=False)
    expert_capacity: float | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        arguments.check_layer(self.d_model, self.num_heads, 0.0, self.attention, self.d_head)
        arguments.check_dropout(self.dropout)
        sizes = ["vocab_size", "num_layers", "d_ff", "max_tokens", "max_distance", "rope_tokens"]
        asked = arguments.given(**{name: getattr(self, name) for name in (*sizes, *PAIRS[1:])})
        arguments.check_sizes(**asked)
        arguments.check_choice("norm", self.norm, NormPlace)
        arguments.check_choice("norm_type", self.norm_type, NormType)
        arguments.check_choice("positions", self.positions, Positions)
        arguments.check_choice("activation", self.activation, Activation)
        arguments.check_choice("initialization", self.initialization, Initialization)
        arguments.check_experts(self.num_experts, self.experts_per_token, self.expert_capacity)
        limits = (self.window, self.attention_softcap, self.full_every)
        arguments.check_limits(self.attention, *limits)
        arguments.check_positive(**arguments.given(logit_softcap=self.logit_softcap))
        if self.attention == "flash" and self.positions in ("relative", "alibi"):
            raise ValueError(
                f"positions={self.positions!r} add to every score, which attention='flash' never "
                "holds together. Choose other positions, or attention='fused'."
            )
        if self.padding_id != BY_KIND:
            smallest = min(self.vocab_size, self.source_vocab_size or self.vocab_size)
            arguments.check_padding(self.padding_id, smallest)
        arguments.check_flags(
            tie_embeddings=self.tie_embeddings, bias=self.bias, qk_norm=self.qk_norm
        )
        arguments.check_parallel(self.parallel, self.norm, 1)
        arguments.check_grouped(self.num_heads, self.key_heads)
        arguments.check_positive(eps=self.eps)
        self._check_rope()
        if self.positions == "rotary" and self.head_width % 2:
            raise ValueError(
                f"d_model={self.d_model} with num_heads={self.num_heads} makes heads of width "
                f"{self.head_width}; rotary positions need an even width."
            )

    def __repr__(self) -> str:
        """Leave out younger fields that are as usual: a checkpoint knows its model by this text."""
        values = [(f, getattr(self, f.name)) for f in fields(self)]
        shown = (f"{f.name}={value!r}" for f, value in values if f.repr or value != f.default)
        return f"{type(self).__name__}({', '.join(shown)})"

    def _check_rope(self) -> None:
        arguments.check_positive(rope_base=self.rope_base, rope_factor=self.rope_factor)
        arguments.check_choice("rope_scaling", self.rope_scaling, RopeScaling)
        for name in ("rope_base", "rope_factor", "rope_scaling", "rope_tokens"):
            usual = type(self).__dataclass_fields__[name].default
            if self.positions != "rotary" and getattr(self, name) != usual:
                raise ValueError(
                    f"{name}={getattr(self, name)!r} with positions={self.positions!r}, which turn "
                    "nothing. Use positions='rotary'."
                )
        if self.rope_factor < 1:
            raise ValueError(
                f"rope_factor={self.rope_factor}; expected 1 or more, the longer texts' length "
                "divided by that of the training."
            )
        self.rotation()  # refuses heads that are too narrow for its base

    def rotation(self) -> tuple[float, float]:
        """Return the base of rotary positions, and what their angles are divided by."""
        if self.rope_scaling == "ntk" and self.rope_factor > 1:
            return ntk_base(self.rope_base, self.rope_factor, self.head_width), 1.0
        return self.rope_base, self.rope_factor

    def attention_options(self, layer: int) -> AttentionOptions:
        """Return what a layer, which counts from 0, hands on to its attention."""
        rope_base, rope_factor = self.rotation()
        return AttentionOptions(
            num_kv_heads=self.num_kv_heads,
            d_head=self.d_head,
            window=self.windows[layer] if self.window else None,
            qk_norm=self.qk_norm,
            rope_base=rope_base,
            rope_factor=rope_factor,
            rope_tokens=self.rope_tokens if self.rope_scaling == "llama3" else None,
            softcap=self.attention_softcap,
        )

    @property
    def key_heads(self) -> int:
        """Number of heads of keys and values."""
        return self.num_heads if self.num_kv_heads is None else self.num_kv_heads

    @property
    def windows(self) -> tuple[int | None, ...]:
        """Window of each layer; None: it sees the whole text."""
        every = self.full_every or self.num_layers + 1
        return tuple(None if i % every == 0 else self.window for i in range(1, self.num_layers + 1))

    @property
    def head_width(self) -> int:
        """Width of a head."""
        return self.d_head or self.d_model // self.num_heads

    @property
    def embedding_scale(self) -> float:
        """What embedding rows are multiplied by."""
        return math.sqrt(self.d_model) if self.initialization == "paper" else 1.0
