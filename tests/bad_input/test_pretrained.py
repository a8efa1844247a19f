"""What the readers of other people's models refuse, and in which words."""

from typing import Any

from tests.tables import Refused, refusing
from tests.test_pretrained import settings_of, weights_of
from transformer_lesson.bert import from_bert
from transformer_lesson.llama import from_llama


def llama(**changes: Any) -> Any:
    return from_llama(weights_of("llama"), settings_of("llama") | changes)


def bert(**changes: Any) -> Any:
    return from_bert(weights_of("bert"), settings_of("bert") | changes)


VALUES: Refused = [
    (
        lambda: llama(model_type="gemma3"),
        "model_type='gemma3'; expected one of ['gemma2', 'llama', ",
    ),
    (
        lambda: llama(hidden_act="gelu"),
        "hidden_act='gelu'; these layers can do hidden_act='silu' alone",
    ),
    (lambda: llama(head_dim=8), "query_projection.weight) has shape (16, 16), expected (32, 16)"),
    (lambda: llama(sliding_window=0), "window=0; expected an integer, 1 or more"),
    (
        lambda: llama(layer_types=["full_attention"]),
        "layer_types=['full_attention']; these layers can do",
    ),
    (
        lambda: llama(model_type="qwen2", use_sliding_window=True),
        "use_sliding_window=True; these layers",
    ),
    (
        lambda: llama(model_type="qwen3_moe", norm_topk_prob=False),
        "norm_topk_prob=False; these layers can do",
    ),
    (
        lambda: llama(model_type="mixtral", num_local_experts=3),
        "missing model.layers.0.block_sparse_moe.experts.0.w3.weight (here …experts.0.up",
    ),
    (
        lambda: llama(rope_parameters={"rope_type": "yarn"}),
        "rope_type='yarn'; expected 'default', 'linear' or",
    ),
    (
        lambda: llama(rope_scaling={"type": "llama3", "low_freq_factor": 2}),
        "low_freq_factor=2; these layers",
    ),
    (lambda: llama(num_key_value_heads=3), "not divisible by num_kv_heads=3"),
    (lambda: llama(num_hidden_layers=3), "missing model.layers.2.… and 6 more."),
    (lambda: llama(num_hidden_layers=1), "unknown model.layers.1.… and 6 more."),
    (lambda: llama(vocab_size=25), "embed_tokens.weight (here embedding.weight) has shape (24,"),
    (lambda: llama(num_attention_heads=0), "num_attention_heads=0; expected an integer, 1 or more"),
    (
        lambda: llama(rope_parameters={"rope_type": "linear"}),
        "rope_factor=None; expected a positive",
    ),
    (lambda: llama(tie_word_embeddings=None), "tie_embeddings=None; expected True or False"),
    (
        lambda: bert(hidden_act="relu"),
        "hidden_act='relu'; these layers can do hidden_act='gelu' alone",
    ),
    (
        lambda: bert(type_vocab_size=1),
        "type_vocab_size=1; these layers can do type_vocab_size=2 alone",
    ),
    (lambda: bert(num_hidden_layers=3), "missing bert.encoder.layer.2.…(here encoder.layers.2."),
    (lambda: bert(layer_norm_eps=0), "eps=0; expected a positive"),
]

test_values = refusing(ValueError, VALUES)
