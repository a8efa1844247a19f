"""Models of ``transformers`` in our layers: the same logits, the same greedy texts.

The folders in ``pretrained/`` were made by ``pretrained/make.py``.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from transformer_lesson.bert import Bert, from_bert
from transformer_lesson.decoding import greedy
from transformer_lesson.gpt2 import from_gpt2
from transformer_lesson.llama import from_llama
from transformer_lesson.models import DecoderOnly
from transformer_lesson.pretrained import from_folder

FOLDERS = Path(__file__).with_name("pretrained")
LLAMAS = ("llama", "llama3", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe", "gemma2")
MODELS = (*LLAMAS, "gpt2", "gpt2_gelu")


def settings_of(name: str) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads((FOLDERS / name / "config.json").read_text())
    return settings


def weights_of(name: str) -> dict[str, Tensor]:
    return load_file(FOLDERS / name / "model.safetensors")


def decoder(name: str) -> DecoderOnly:
    model = from_folder(FOLDERS / name)
    assert isinstance(model, DecoderOnly)
    return model


@pytest.mark.parametrize("name", MODELS)
def test_logits_and_greedy_texts_equal_those_of_transformers(name: str) -> None:
    model, expected = decoder(name), load_file(FOLDERS / name / "expected.bin")
    assert not model.training
    torch.testing.assert_close(model(expected["tokens"]), expected["logits"], rtol=1e-5, atol=1e-5)
    text = greedy(model, expected["tokens"], max_tokens=20)
    assert torch.equal(text, expected["text"])


def test_berts_states_and_masked_logits_equal_those_of_transformers() -> None:
    model, expected = from_folder(FOLDERS / "bert"), load_file(FOLDERS / "bert" / "expected.bin")
    assert isinstance(model, Bert)
    assert not model.training
    assert (expected["tokens"] == 0).any()  # there is padding
    texts = expected["tokens"], expected["segments"]
    torch.testing.assert_close(model(*texts), expected["hidden"], rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(
        model.masked_logits(*texts), expected["logits"], rtol=1e-5, atol=1e-5
    )
    one = torch.zeros_like(texts[1])
    assert torch.equal(model(texts[0]), model(texts[0], one))
    assert not torch.equal(model(texts[0]), expected["hidden"])


def test_bert_as_it_was_published() -> None:
    weights, settings = weights_of("bert"), settings_of("bert")
    tokens = torch.tensor([[3, 4, 5]])
    expected = from_bert(weights, settings)(tokens)
    older = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): weight
        for name, weight in weights.items()
    }
    others = ("bert.pooler.dense.bias", "cls.seq_relationship.bias", "cls.predictions.decoder.bias")
    older |= {name: torch.ones(2) for name in (*others, "bert.embeddings.position_ids")}
    assert torch.equal(from_bert(older, settings)(tokens), expected)
    del weights["cls.predictions.bias"]
    with pytest.raises(ValueError, match=r"missing cls\.predictions\.bias \(here head_bias\)"):
        from_bert(weights, settings)


def test_the_configurations_say_what_the_models_have() -> None:
    names = ("llama", "mistral", "qwen2", "qwen3", "gpt2")
    llama, mistral, qwen2, qwen3, gpt2 = (decoder(name).config for name in names)
    assert (llama.num_kv_heads, mistral.num_kv_heads) == (2, 1)
    assert (llama.rope_base, llama.rope_factor, qwen2.rope_factor) == (500.0, 1.0, 4.0)
    assert (llama.bias, qwen2.bias, qwen3.qk_norm) == (False, True, True)
    assert (mistral.window, mistral.full_every, qwen3.head_width) == (4, None, 6)
    assert (llama.tie_embeddings, qwen3.tie_embeddings, gpt2.tie_embeddings) == (False, True, False)
    assert llama.eps == gpt2.eps == 0.01


@pytest.mark.parametrize(
    ("kind", "others"),
    [
        ("qwen2", {"rope_scaling": {"type": "linear", "factor": 4.0}}),
        ("qwen3_moe", {"num_experts": 4}),
        ("gemma2", {"hidden_act": "gelu_pytorch_tanh"}),
    ],
)
def test_settings_as_older_versions_wrote_them(kind: str, others: dict[str, Any]) -> None:
    settings, tokens = settings_of(kind), torch.tensor([[3, 4, 5, 6, 7, 8]])
    expected = from_llama(weights_of(kind), settings)(tokens)
    for younger in ("rope_parameters", "num_local_experts", "layer_types", "tie_word_embeddings"):
        settings.pop(younger, None)
    weights = weights_of(kind) | {"model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(2)}
    older = settings | {"rope_theta": 500.0, **others}
    assert torch.equal(from_llama(weights, older)(tokens), expected)


@pytest.mark.parametrize("kind", ["llama", "gemma2"])
def test_weights_keep_their_dtype_and_may_lie_in_several_files(kind: str, tmp_path: Path) -> None:
    shutil.copy(FOLDERS / kind / "config.json", tmp_path)
    weights = {name: weight.bfloat16() for name, weight in weights_of(kind).items()}
    names = sorted(weights)
    save_file({name: weights[name] for name in names[:5]}, tmp_path / "model-1-of-2.safetensors")
    save_file({name: weights[name] for name in names[5:]}, tmp_path / "model-2-of-2.safetensors")
    (tmp_path / "consolidated.safetensors").write_bytes(b"the same by other names")
    model, expected = from_folder(tmp_path), load_file(FOLDERS / kind / "expected.bin")
    assert {p.dtype for p in model.parameters() if p.dim() == 2} == {torch.bfloat16}
    logits = model(expected["tokens"])
    assert logits.dtype == torch.bfloat16
    error = (logits.float() - expected["logits"]).norm()
    assert error < 0.05 * expected["logits"].norm()
    (tmp_path / "model-1-of-2.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match="holds no part 1 of the 2 that the weights lie in"):
        from_folder(tmp_path)


def test_weights_that_do_not_fit() -> None:
    weights, settings = weights_of("llama"), settings_of("llama")
    with pytest.raises(ValueError, match=r"this llama model: unknown model\.moe\.$"):
        from_llama(weights | {"model.moe": torch.ones(1)}, settings)
    for name, ours in (
        ("lm_head.weight", "output.weight"),
        ("model.embed_tokens.weight", "embedding.weight"),
        ("model.layers.0.self_attn.q_proj.weight", "self_attention.query_projection.weight"),
    ):
        fewer = {other: weight for other, weight in weights.items() if other != name}
        with pytest.raises(ValueError, match=rf"missing {name} \(here [a-z0-9.]*{ours}\)\.$"):
            from_llama(fewer, settings)
    with pytest.raises(ValueError, match=r"lack \['rms_norm_eps'\]; expected those of a config"):
        from_llama(weights, {k: v for k, v in settings.items() if k != "rms_norm_eps"})
    biases = weights_of("qwen2")
    del biases["model.layers.1.self_attn.q_proj.bias"]
    with pytest.raises(ValueError, match=r"missing model\.layers\.1\.self_attn\.q_proj\.bias"):
        from_llama(biases, settings_of("qwen2"))
    for name in ("self_attn.q_proj", "mlp.down_proj"):  # one is reordered, one is not
        odd = {f"model.layers.0.{name}.weight": torch.ones(15, 16)}
        with pytest.raises(ValueError, match=rf"{name}\.weight \(here .* has shape \(15, 16\)"):
            from_llama(weights | odd, settings)


def test_gpt2s_output_layer_and_epsilon() -> None:
    weights, expected = weights_of("gpt2"), load_file(FOLDERS / "gpt2" / "expected.bin")
    model = from_gpt2(weights, 4, eps=0.01)
    assert model.output is not None
    torch.testing.assert_close(model(expected["tokens"]), expected["logits"], rtol=1e-4, atol=1e-4)
    assert not torch.allclose(from_gpt2(weights, 4)(expected["tokens"]), expected["logits"])
    tied = weights | {"lm_head.weight": weights["transformer.wte.weight"].clone()}
    assert from_gpt2(tied, 4, eps=0.01).output is None


def test_folders_that_hold_no_model(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"holds no model\*\.safetensors"):
        from_folder(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"no")
    with pytest.raises(FileNotFoundError, match=r"holds no config\.json"):
        from_folder(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ValueError, match="holds a damaged file"):
        from_folder(tmp_path)
    shutil.copy(FOLDERS / "llama" / "model.safetensors", tmp_path)
    for no_settings in ("{}", "[]"):
        (tmp_path / "config.json").write_text(no_settings)
        with pytest.raises(ValueError, match=r"model_type=None in .*expected one of \['bert', "):
            from_folder(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(ValueError, match="the settings lack n_head; expected the number"):
        from_folder(tmp_path)
    settings = settings_of("gpt2") | {"activation_function": "silu"}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    with pytest.raises(ValueError, match=r"activation_function='silu'; expected one of \['gelu', "):
        from_folder(tmp_path)
