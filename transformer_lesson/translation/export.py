"""A trained translator for CTranslate2, a fast C++ runtime for Transformers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor, nn

from transformer_lesson.attention import MultiHeadAttention
from transformer_lesson.blocks import DecoderLayer
from transformer_lesson.config import ModelConfig
from transformer_lesson.translation.stored import VOCABULARY
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import END, START, UNKNOWN

_NEEDED: dict[str, tuple[Any, ...]] = {
    "norm": ("pre", "post"),
    "norm_type": ("layer",),
    "positions": ("sinusoidal", "learned"),
    "activation": ("relu", "gelu"),
    **dict.fromkeys(("num_kv_heads", "d_head", "num_experts", "source_vocab_size"), (None,)),
    **dict.fromkeys(("attention_softcap", "logit_softcap"), (None,)),
    "bias": (True,),
    "qk_norm": (False,),
}


def to_ctranslate2(translator: Translator, folder: str | Path, *, int8: bool = False) -> None:
    """Write ``translator`` into ``folder`` for ``ctranslate2.Translator``.

    Beside the model stands the vocabulary, which ``Vocabulary.load`` or the ``tokenizers`` library
    reads: CTranslate2 takes and gives pieces, not text.

    Args:
        translator: the model with its vocabulary.
        folder: made if there is none.
        int8: whether matrices are rounded to 8 bits.

    Raises:
        ImportError: ctranslate2 is not installed.
        ValueError: the model has parts that CTranslate2 knows no counterpart of; the message names
            the first.
    """
    try:
        import ctranslate2
    except ImportError as error:
        raise ImportError(
            "the export needs ctranslate2, which is not installed: pip install ctranslate2"
        ) from error
    config, folder = translator.model.config, Path(folder)
    _check(config)
    activations = ctranslate2.specs.common_spec.Activation
    spec = ctranslate2.specs.TransformerSpec.from_config(
        (len(translator.model.encoder.layers), len(translator.model.decoder.layers)),
        config.num_heads,
        pre_norm=config.norm == "pre",
        activation=activations.RELU if config.activation == "relu" else activations.GELU,
    )
    _fill(spec, translator.model)
    pieces = translator.vocabulary.all_pieces()
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.config.bos_token = spec.config.decoder_start_token = pieces[START]
    spec.config.eos_token = pieces[END]
    spec.config.unk_token = pieces[UNKNOWN]
    spec.config.add_source_eos = True
    spec.config.layer_norm_epsilon = config.eps
    spec.validate()
    spec.optimize(quantization="int8" if int8 else None)
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
    translator.vocabulary.save(folder / VOCABULARY)


def _check(config: ModelConfig) -> None:
    for name, known in _NEEDED.items():
        if (value := getattr(config, name)) not in known:
            raise ValueError(
                f"{name}={value!r} cannot be exported; "
                f"CTranslate2 gets {' or '.join(map(str, known))} here."
            )


def _fill(spec: Any, model: Any) -> None:
    """Put the weights of an ``EncoderDecoder`` into the specification."""
    for part, layers in ((spec.encoder, model.encoder), (spec.decoder, model.decoder)):
        part.scale_embeddings = model.config.embedding_scale
        part.position_encodings.encodings = _numbers(model.embedding.positions.table)
        for target, layer in zip(part.layer, layers.layers, strict=True):
            _set_layer(target, layer)
        if model.config.norm == "pre":
            _set_norm(part.layer_norm, layers.final_norm)
    output = model.embedding.weight if model.output is None else model.output.weight
    spec.encoder.embeddings[0].weight = _numbers(model.embedding.weight)
    spec.decoder.embeddings.weight = _numbers(model.embedding.weight)
    spec.decoder.projection.weight = _numbers(output)


def _set_layer(target: Any, layer: Any) -> None:
    attention = layer.self_attention
    joined = (attention.query_projection, attention.key_projection, attention.value_projection)
    _set_attention(target.self_attention, layer.self_attention_norm, attention, [joined])
    if isinstance(layer, DecoderLayer):
        attention = layer.cross_attention
        of_memory = (attention.key_projection, attention.value_projection)
        separate = [(attention.query_projection,), of_memory]
        _set_attention(target.attention, layer.cross_attention_norm, attention, separate)
    _set_linear(target.ffn.linear_0, layer.feed_forward.up)
    _set_linear(target.ffn.linear_1, layer.feed_forward.down)
    _set_norm(target.ffn.layer_norm, layer.feed_forward_norm)


def _set_attention(
    target: Any, norm: Any, attention: MultiHeadAttention, inputs: Sequence[tuple[nn.Linear, ...]]
) -> None:
    """Fill an attention; projections of the same input are one matrix there."""
    for linear, projections in zip(target.linear, inputs, strict=False):
        _set_linear(linear, *projections)
    _set_linear(target.linear[-1], attention.output_projection)
    _set_norm(target.layer_norm, norm)


def _set_linear(target: Any, *layers: nn.Linear) -> None:
    target.weight = np.concatenate([_numbers(layer.weight) for layer in layers])
    target.bias = np.concatenate([_numbers(layer.bias) for layer in layers])


def _set_norm(target: Any, norm: Any) -> None:
    target.gamma, target.beta = _numbers(norm.weight), _numbers(norm.bias)


def _numbers(weight: Tensor) -> np.ndarray:
    return weight.detach().float().cpu().numpy()
