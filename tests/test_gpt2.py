"""gpt2.py: random weights in GPT-2's layout, run by GPT-2's formulas and by the converted model."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from transformer_lesson import seeded
from transformer_lesson.decoding import greedy
from transformer_lesson.gpt2 import from_gpt2

VOCAB, POSITIONS, D_MODEL, HEADS, LAYERS = 30, 16, 12, 3, 2


def checkpoint(seed: int = 0) -> dict[str, Tensor]:
    """Random weights by the names and in the shapes of GPT-2's checkpoints."""
    shapes = {
        "wte.weight": (VOCAB, D_MODEL),
        "wpe.weight": (POSITIONS, D_MODEL),
        "ln_f.weight": (D_MODEL,),
        "ln_f.bias": (D_MODEL,),
    }
    for layer in range(LAYERS):
        for name, shape in {
            "ln_1.weight": (D_MODEL,),
            "ln_1.bias": (D_MODEL,),
            "attn.c_attn.weight": (D_MODEL, 3 * D_MODEL),
            "attn.c_attn.bias": (3 * D_MODEL,),
            "attn.c_proj.weight": (D_MODEL, D_MODEL),
            "attn.c_proj.bias": (D_MODEL,),
            "ln_2.weight": (D_MODEL,),
            "ln_2.bias": (D_MODEL,),
            "mlp.c_fc.weight": (D_MODEL, 4 * D_MODEL),
            "mlp.c_fc.bias": (4 * D_MODEL,),
            "mlp.c_proj.weight": (4 * D_MODEL, D_MODEL),
            "mlp.c_proj.bias": (D_MODEL,),
        }.items():
            shapes[f"h.{layer}.{name}"] = shape
    generator = seeded(seed)
    return {name: torch.randn(shape, generator=generator) / 3 for name, shape in shapes.items()}


def gpt2(w: dict[str, Tensor], tokens: Tensor) -> Tensor:
    """Return the logits, written after OpenAI's code (gpt-2/src/model.py)."""

    def norm(x: Tensor, name: str) -> Tensor:
        x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + 1e-5).sqrt()
        return x * w[f"{name}.weight"] + w[f"{name}.bias"]

    def conv1d(x: Tensor, name: str) -> Tensor:
        return x @ w[f"{name}.weight"] + w[f"{name}.bias"]

    def gelu(x: Tensor) -> Tensor:
        return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)))

    length = tokens.shape[1]
    x = w["wte.weight"][tokens] + w["wpe.weight"][:length]
    for layer in range(LAYERS):
        h = f"h.{layer}"
        mixed = conv1d(norm(x, f"{h}.ln_1"), f"{h}.attn.c_attn").split(D_MODEL, dim=-1)
        query, key, value = (m.unflatten(-1, (HEADS, -1)).transpose(1, 2) for m in mixed)
        scores = query @ key.mT / (D_MODEL / HEADS) ** 0.5
        later = torch.ones(length, length).triu(1).bool()
        heads = scores.masked_fill(later, -1e10).softmax(-1) @ value
        x = x + conv1d(heads.transpose(1, 2).flatten(-2), f"{h}.attn.c_proj")
        x = x + conv1d(gelu(conv1d(norm(x, f"{h}.ln_2"), f"{h}.mlp.c_fc")), f"{h}.mlp.c_proj")
    return norm(x, "ln_f") @ w["wte.weight"].mT


@pytest.mark.parametrize("prefix", ["", "transformer."])
def test_logits_equal_gpt2s(prefix: str) -> None:
    weights = checkpoint()
    stored = {f"{prefix}{name}": weight for name, weight in weights.items()}
    # What checkpoints hold besides.
    stored[f"{prefix}h.0.attn.bias"] = torch.ones(1, 1, POSITIONS, POSITIONS).tril()
    stored[f"{prefix}h.0.attn.masked_bias"] = torch.tensor(-1e4)
    stored["lm_head.weight"] = weights["wte.weight"]
    tokens = torch.randint(0, VOCAB, (3, 9), generator=seeded(1))
    tokens[0, 3] = 0  # GPT-2 has no padding: 0 is a token like others
    model = from_gpt2(stored, HEADS)
    torch.testing.assert_close(model(tokens), gpt2(weights, tokens), rtol=1e-4, atol=1e-4)


def test_a_block_has_gpt2s_gradients() -> None:
    weights = {name: w.double().requires_grad_() for name, w in checkpoint().items()}
    tokens = torch.randint(0, VOCAB, (2, 6), generator=seeded(1))
    model = from_gpt2({name: w.detach() for name, w in weights.items()}, HEADS).double()
    for logits in (model(tokens), gpt2(weights, tokens)):
        F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()).backward()
    given = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    block = "decoder.layers.1"
    query, key, value = (
        given[f"{block}.self_attention.{which}_projection.weight"].mT
        for which in ("query", "key", "value")
    )
    for got, name in [
        (torch.cat([query, key, value], dim=-1), "h.1.attn.c_attn.weight"),
        (given[f"{block}.feed_forward.up.weight"].mT, "h.1.mlp.c_fc.weight"),
        (given[f"{block}.feed_forward_norm.bias"], "h.1.ln_2.bias"),
        (given["embedding.weight"], "wte.weight"),
        (given["embedding.positions.table"], "wpe.weight"),
    ]:
        torch.testing.assert_close(got, weights[name].grad)


def test_the_sizes_are_read_from_the_weights_and_the_model_writes() -> None:
    model = from_gpt2(checkpoint(), HEADS)
    assert (model.config.num_layers, model.config.d_ff) == (LAYERS, 4 * D_MODEL)
    assert (model.config.vocab_size, model.config.max_tokens) == (VOCAB, POSITIONS)
    assert greedy(model, torch.tensor([[3]]), max_tokens=POSITIONS).shape == (1, POSITIONS)


def test_the_model_keeps_no_hold_on_the_checkpoint() -> None:
    weights = checkpoint()
    model = from_gpt2(weights, HEADS)
    before = model(torch.tensor([[3, 4]]))
    weights["wte.weight"].zero_()
    assert torch.equal(model(torch.tensor([[3, 4]])), before)


def test_weights_of_something_else() -> None:
    for name in ("wte.weight", "wpe.weight", "h.0.mlp.c_fc.weight"):
        weights = checkpoint()
        del weights[name]
        with pytest.raises(ValueError, match=rf"not the weights of a GPT-2: {name} is missing"):
            from_gpt2(weights, HEADS)
    with pytest.raises(ValueError, match=r"not the weights of a GPT-2: wte\.weight is no matrix"):
        from_gpt2(checkpoint() | {"wte.weight": torch.ones(3)}, HEADS)
    weights = checkpoint()
    del weights["h.1.ln_2.bias"]
    here = r"\(here decoder\.layers\.1\.feed_forward_norm\.bias\)"
    with pytest.raises(ValueError, match=rf"missing h\.1\.ln_2\.bias {here}\.$"):
        from_gpt2(weights, HEADS)
    surplus = {f"h.{layer}.moe.weight": torch.ones(2) for layer in range(4)}
    with pytest.raises(ValueError, match=r"; unknown h\.0\.moe.*, h\.2\.moe\.weight and 1 more\.$"):
        from_gpt2(checkpoint() | surplus, HEADS)
    for name, shape, found in (
        ("h.1.attn.c_attn.weight", (12, 38), r"query_projection\.weight\) has shape \(13, 12\)"),
        ("h.1.attn.c_attn.bias", (2,), r"query_projection\.bias\) has shape \(1,\)"),
        ("h.0.mlp.c_fc.bias", (5,), r"\(here decoder\.layers\.0\.feed_forward\.up\.bias\)"),
        ("h.1.mlp.c_proj.weight", (48,), r"down\.weight\) has shape \(48,\), expected \(12, 48\)"),
    ):
        with pytest.raises(ValueError, match=rf"{name} .*{found}"):
            from_gpt2(checkpoint() | {name: torch.ones(shape)}, HEADS)
    stored = {f"transformer.{name}": weight for name, weight in checkpoint().items()}
    del stored["transformer.ln_f.bias"]
    with pytest.raises(ValueError, match=r"missing transformer\.ln_f\.bias \(here decoder\.final"):
        from_gpt2(stored, HEADS)
    with pytest.raises(ValueError, match="d_model=12 is not divisible by num_heads=5"):
        from_gpt2(checkpoint(), 5)
