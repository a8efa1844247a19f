"""gpt2.py: checkpoints as they are found, on the one whose logits ``test_pretrained.py`` knows."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from transformer_lesson.decoding import greedy
from transformer_lesson.gpt2 import from_gpt2

FOLDER = Path(__file__).with_name("pretrained") / "gpt2"
VOCAB, POSITIONS, D_MODEL, HEADS = 24, 32, 16, 4


def checkpoint() -> dict[str, Tensor]:
    """Weights by the names of OpenAI's checkpoints, without an output layer of their own."""
    stored = load_file(FOLDER / "model.safetensors")
    del stored["lm_head.weight"]
    return {name.removeprefix("transformer."): weight for name, weight in stored.items()}


@pytest.mark.parametrize("prefix", ["", "transformer."])
def test_what_checkpoints_hold_besides_changes_nothing(prefix: str) -> None:
    weights, expected = checkpoint(), load_file(FOLDER / "expected.bin")
    assert (expected["tokens"] == 0).any()  # GPT-2 has no padding: 0 is a token like others
    stored = {f"{prefix}{name}": weight for name, weight in weights.items()}
    stored[f"{prefix}h.0.attn.bias"] = torch.ones(1, 1, POSITIONS, POSITIONS).tril()
    stored[f"{prefix}h.0.attn.masked_bias"] = torch.tensor(-1e4)
    stored["lm_head.weight"] = load_file(FOLDER / "model.safetensors")["lm_head.weight"]
    logits = from_gpt2(stored, HEADS, eps=0.01)(expected["tokens"])
    torch.testing.assert_close(logits, expected["logits"], rtol=1e-4, atol=1e-4)


def test_the_sizes_are_read_from_the_weights_and_the_model_writes() -> None:
    model = from_gpt2(checkpoint(), HEADS)
    assert (model.config.num_layers, model.config.d_ff) == (2, 4 * D_MODEL)
    assert (model.config.vocab_size, model.config.max_tokens) == (VOCAB, POSITIONS)
    assert greedy(model, torch.tensor([[3]]), max_tokens=POSITIONS).shape == (1, POSITIONS)


def test_the_model_keeps_no_hold_on_the_checkpoint() -> None:
    weights = checkpoint()
    model = from_gpt2(weights, HEADS)
    before = model(torch.tensor([[3, 4]]))
    weights["wte.weight"].zero_()
    assert torch.equal(model(torch.tensor([[3, 4]])), before)


OF_BIAS = r"\(here decoder\.layers\.1\.feed_forward_norm\.bias\)\.$"
SURPLUS = {f"h.{layer}.moe.weight": torch.ones(2) for layer in range(4)}


@pytest.mark.parametrize(
    ("removed", "added", "words"),
    [
        ("wte.weight", {}, r"wte\.weight is missing"),
        ("wpe.weight", {}, r"wpe\.weight is missing"),
        ("h.0.mlp.c_fc.weight", {}, r"h\.0\.mlp\.c_fc\.weight is missing"),
        ("h.1.ln_2.bias", {}, rf"missing h\.1\.ln_2\.bias {OF_BIAS}"),
        ("", {"wte.weight": torch.ones(3)}, r"wte\.weight is no matrix"),
        ("", SURPLUS, r"; unknown h\.0\.moe.*, h\.2\.moe\.weight and 1 more\.$"),
        ("", {"h.1.attn.c_attn.weight": torch.ones(16, 50)}, r"query_.*ght\) has shape \(17, 16\)"),
        ("", {"h.1.attn.c_attn.bias": torch.ones(2)}, r"query_projection\.bias\) has shape \(1,\)"),
        ("", {"h.0.mlp.c_fc.bias": torch.ones(5)}, r"\(here decoder\.layers\.0\..*up\.bias\)"),
        ("", {"h.1.mlp.c_proj.weight": torch.ones(48)}, r"\(48,\), expected \(16, 64\)"),
    ],
)
def test_weights_of_something_else(removed: str, added: dict[str, Tensor], words: str) -> None:
    weights = {name: weight for name, weight in checkpoint().items() if name != removed} | added
    with pytest.raises(ValueError, match=rf"not the weights of a GPT-2: .*{words.lstrip('; ')}"):
        from_gpt2(weights, HEADS)


def test_names_and_heads_that_do_not_fit() -> None:
    stored = {f"transformer.{name}": weight for name, weight in checkpoint().items()}
    del stored["transformer.ln_f.bias"]
    with pytest.raises(ValueError, match=r"missing ln_f\.bias \(here decoder\.final_norm"):
        from_gpt2(stored, HEADS)
    with pytest.raises(ValueError, match="d_model=16 is not divisible by num_heads=5"):
        from_gpt2(checkpoint(), 5)
