"""BERT (Devlin et al. 2019) whole, and its weights by the names of ``transformers``."""

import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson.blocks import make_norm
from transformer_lesson.config import ModelConfig
from transformer_lesson.initialization import xavier_linear
from transformer_lesson.models import EncoderOnly
from transformer_lesson.weights import NAMES, put_weights, read_sizes, with_parts

# The parts of the other task, next sentence prediction, and what is stored a second time.
_LEFT_OUT = re.compile(r"bert\.pooler|cls\.seq_|cls\.predictions\.decoder|.*\.position_ids")
_ONLY = {"hidden_act": "gelu", "position_embedding_type": "absolute", "type_vocab_size": 2}
_ONLY |= {"is_decoder": False, "tie_word_embeddings": True}


class Bert(EncoderOnly):
    """An ``EncoderOnly`` with segments, a norm after its embedding, and the masked-language head.

    Its arguments and errors are those of ``EncoderOnly``.
    """

    def _build(self, generator: torch.Generator | None) -> None:
        super()._build(generator)
        d_model, eps = self.config.d_model, self.config.eps
        self.segments = nn.Parameter(torch.zeros(2, d_model))
        self.embedding_norm = make_norm("layer", d_model, eps=eps)
        self.head_linear = xavier_linear(d_model, d_model, generator=generator)
        self.head_norm = make_norm("layer", d_model, eps=eps)
        self.head_bias = nn.Parameter(torch.zeros(self.config.vocab_size))

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Return the hidden states ``(batch, tokens, d_model)`` of ids ``(batch, tokens)``.

        ``segments (batch, tokens)`` are 0 in the first text of a pair and 1 in the second; by
        default there is one text.
        """
        segments = torch.zeros_like(tokens) if segments is None else segments
        x = self._embedded(tokens, None) + F.embedding(segments, self.segments)
        return self.encoder(self.embedding_norm(x), self._padding(tokens))

    def masked_logits(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Return the logits ``(batch, tokens, vocab_size)`` of the token that stands at each place.

        Where a token was masked, they say which one it was (section 3.1).
        """
        x = self.head_norm(F.gelu(self.head_linear(self(tokens, segments))))
        return self._logits(x) + self.head_bias


def from_bert(weights: Mapping[str, Tensor], settings: Mapping[str, Any]) -> Bert:
    """Return a model that holds ``weights``, in their dtype and without a copy.

    Read are the embeddings, all layers and the masked-language head, by the names of
    ``transformers``; the head of the other task of its training (pooler, next sentence prediction)
    is left out. ``settings`` are what ``config.json`` holds.

    Raises:
        ValueError: a weight is missing or unknown, or the settings ask for what these layers do not
            have; it is named.
    """
    config = ModelConfig(
        **read_sizes(settings, _ONLY, eps="layer_norm_eps"),
        padding_id=settings.get("pad_token_id", 0),
        norm="post",
        positions="learned",
        activation="gelu",
        initialization="gpt2",
    )
    with torch.device("meta"):
        model = Bert(config)
    names = {name: with_parts(name, NAMES["bert"]) for name in model.state_dict()}
    younger = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
    kept = {with_parts(n, younger): w for n, w in weights.items() if not _LEFT_OUT.match(n)}
    put_weights(model, kept, "a BERT with its masked-language head", names=names, assign=True)
    return model.eval()
