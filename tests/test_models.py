"""models.py against nn.Transformer with the same weights, and probed."""

import subprocess
import sys
from typing import Any, get_args

import pytest
import torch
from torch import Tensor, nn

from tests.small_models import VOCAB, config, every_norm, every_position, gradients, ids
from tests.twins import disturb, gradient, named_stack, pytorchs_layer
from transformer_lesson import seeded
from transformer_lesson.attention import Attention, causal_mask
from transformer_lesson.blocks import EncoderLayer
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly, summary


def pytorchs_stack(of: ModelConfig, *, decodes: bool) -> Any:
    layer = pytorchs_layer(decodes, of.d_model, of.num_heads, of.d_ff, of.norm, of.activation)
    norm = nn.LayerNorm(of.d_model) if of.norm == "pre" else None
    if decodes:
        return nn.TransformerDecoder(layer, of.num_layers, norm).double()
    return nn.TransformerEncoder(layer, of.num_layers, norm, enable_nested_tensor=False).double()


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@every_norm
def test_encoder_decoder_equals_pytorch(norm: str, activation: str) -> None:
    """nn.Transformer, but post-norm without the final norms that it adds to the paper's."""
    ours = EncoderDecoder(config(norm=norm, activation=activation), generator=seeded(0)).double()
    disturb(ours)
    theirs = nn.Transformer(
        ours.config.d_model,
        ours.config.num_heads,
        custom_encoder=pytorchs_stack(ours.config, decodes=False),
        custom_decoder=pytorchs_stack(ours.config, decodes=True),
        batch_first=True,
    )
    theirs.load_state_dict(
        named_stack(ours.encoder, torch.detach, "encoder.")
        | named_stack(ours.decoder, torch.detach, "decoder.")
    )
    table = ours.embedding.weight.detach().clone().requires_grad_()
    positions = ours.embedding.positions
    assert positions is not None

    def rows(tokens: Tensor) -> Tensor:
        at = torch.arange(tokens.shape[1])
        return table[tokens] * ours.config.d_model**0.5 + positions(at)

    source, target = ids(2, 6), ids(2, 5, seed=1)
    source[0, 4:] = target[1, 3:] = 0
    # PyTorch's masks have True = blocked.
    hidden = theirs(
        rows(source),
        rows(target),
        tgt_mask=~causal_mask(5),
        src_key_padding_mask=source == 0,
        tgt_key_padding_mask=target == 0,
        memory_key_padding_mask=source == 0,
    )
    expected, logits = hidden @ table.mT, ours(source, target)
    torch.testing.assert_close(logits, expected)
    upstream = torch.randn(logits.shape, generator=seeded(2), dtype=torch.float64)
    logits.backward(upstream)
    expected.backward(upstream)
    torch.testing.assert_close(gradient(ours.embedding.weight), table.grad)
    named = named_stack(ours.encoder, gradient, "encoder.")
    named |= named_stack(ours.decoder, gradient, "decoder.")
    torch.testing.assert_close(named, gradients(theirs))


@every_norm
def test_encoder_only_and_decoder_only_equal_pytorch(norm: str) -> None:
    tokens = ids(2, 5)
    tokens[0, 3:] = 0
    for kind, mask in ((EncoderOnly, None), (DecoderOnly, ~causal_mask(5))):
        ours = kind(config(norm=norm), generator=seeded(0)).double()
        disturb(ours)
        stack = ours.encoder if isinstance(ours, EncoderOnly) else ours.decoder
        theirs = pytorchs_stack(ours.config, decodes=False)
        theirs.load_state_dict(named_stack(stack, torch.detach))
        hidden = theirs(ours.embedding(tokens), mask=mask, src_key_padding_mask=tokens == 0)
        expected = hidden if kind is EncoderOnly else hidden @ ours.embedding.weight.mT
        torch.testing.assert_close(ours(tokens), expected)


@every_position
@every_norm
def test_all_ways_of_attention_give_the_same(norm: str, positions: str) -> None:
    """With causal and padding masks, and queries that see nothing: padding on the left."""
    source, target = ids(3, 6), ids(3, 5, seed=1)
    source[0, 4:] = source[1, :3] = source[2] = 0
    target[0, 3:] = target[1, :2] = 0
    logits, given = [], []
    adds = positions in ("relative", "alibi")  # to the scores, which flash attention cannot
    for attention in ("reference", "fused") if adds else get_args(Attention):
        values = {"norm": norm, "positions": positions, "attention": attention}
        model = EncoderDecoder(config(**values), generator=seeded(0)).double()
        disturb(model)
        logits.append(model(source, target))
        upstream = torch.randn(logits[0].shape, generator=seeded(2), dtype=torch.float64)
        logits[-1].backward(upstream)
        given.append(gradients(model))
    assert logits[0].isfinite().all()
    assert all(tensor.isfinite().all() for tensor in given[0].values())
    for other, gradients_ in zip(logits[1:], given[1:], strict=True):
        torch.testing.assert_close(logits[0], other)
        torch.testing.assert_close(given[0], gradients_)


@every_position
@every_norm
def test_no_token_sees_a_later_one(norm: str, positions: str) -> None:
    values = {"norm": norm, "positions": positions}
    tokens, source = ids(2, 6), ids(2, 4, seed=1)
    changed = tokens.clone()
    changed[:, 3] = tokens[:, 3] % (VOCAB - 1) + 1
    alone = DecoderOnly(config(**values), generator=seeded(0))
    both = EncoderDecoder(config(**values), generator=seeded(0))
    for before, after in (
        (alone(tokens), alone(changed)),
        (both(source, tokens), both(source, changed)),
    ):
        assert torch.equal(before[:, :3], after[:, :3])
        assert all(not torch.allclose(before[:, i], after[:, i]) for i in (3, 4, 5))


@every_position
def test_the_order_matters_exactly_where_there_are_positions(positions: str) -> None:
    model = EncoderOnly(config(positions=positions), generator=seeded(0)).double()
    tokens, order = ids(1, 5), torch.tensor([3, 0, 4, 2, 1])
    hidden, shuffled = model(tokens), model(tokens[:, order])
    assert torch.allclose(hidden[:, order], shuffled) == (positions == "none")


def layer_parameters(d_model: int, d_ff: int, attentions: int = 1) -> int:
    """Weights and biases of the attentions, of the feed-forward, and of a norm for each part."""
    projections = attentions * 4 * (d_model**2 + d_model)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return projections + feed_forward + (attentions + 1) * 2 * d_model


@every_norm
def test_summary_counts_by_the_formula_and_a_tied_matrix_once(norm: str) -> None:
    final = 2 * 12 * 2 if norm == "pre" else 0
    layers = 2 * layer_parameters(12, 20) + 2 * layer_parameters(12, 20, attentions=2)
    for tied in (True, False):
        model = EncoderDecoder(config(norm=norm, tie_embeddings=tied))
        table = summary(model)
        total = VOCAB * 12 * (1 if tied else 2) + layers + final
        assert table["parameters"]["total"] == total
        assert table["parameters"].drop("total").sum() == total
        assert sum(p.numel() for p in model.parameters()) == total
        assert ("output" in table.index) != tied
        assert table["parameters"]["embedding"] == VOCAB * 12
        assert table["parameters"]["encoder.self_attention"] == 2 * 4 * (12**2 + 12)
        assert table["share"]["total"] == "100.0%"


def test_a_model_survives_saving_and_moves_between_ways_of_attention() -> None:
    first = DecoderOnly(config(attention="fused"), generator=seeded(0))
    second = DecoderOnly(config(attention="reference"), generator=seeded(1))
    second.load_state_dict(first.state_dict())
    torch.testing.assert_close(first(ids(2, 5)), second(ids(2, 5)))


@pytest.mark.parametrize("positions", ["relative", "rotary", "alibi", "none"])
def test_other_positions_go_on_without_end(positions: str) -> None:
    model = DecoderOnly(config(positions=positions, max_distance=4), generator=seeded(0))
    assert model(ids(1, 40)).isfinite().all()


@pytest.mark.parametrize("kind", [EncoderOnly, DecoderOnly, EncoderDecoder])
@pytest.mark.parametrize("positions", ["learned", "relative", "sinusoidal"])
def test_a_model_is_made_where_and_as_it_is_asked_for(kind: type[Any], positions: str) -> None:
    values = config(positions=positions, tie_embeddings=False)
    usual, half = (kind(values, generator=seeded(0), dtype=t) for t in (None, torch.bfloat16))
    for name, weight in half.state_dict().items():
        assert torch.equal(weight, usual.state_dict()[name].bfloat16())
    assert {p.device.type for p in kind(values, device="meta").parameters()} == {"meta"}
    with torch.device("meta"):
        model = kind(values, generator=seeded(0))
        texts = [torch.ones(2, 5, dtype=torch.long)] * (2 if kind is EncoderDecoder else 1)
        assert model(*texts).is_meta


@pytest.mark.parametrize("kind", [EncoderOnly, DecoderOnly, EncoderDecoder])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
def test_weights_can_be_loaded_into_a_model_without_memory(kind: type[Any], positions: str) -> None:
    usual = kind(config(positions=positions), generator=seeded(0)).eval()
    texts = [ids(2, 5)] * (2 if kind is EncoderDecoder else 1)
    for assign in (False, True):
        with torch.device("meta"):
            model = kind(config(positions=positions)).eval()
        if not assign:
            model.to_empty(device="cpu")
            for buffer in model.buffers():
                buffer.fill_(torch.nan)  # what memory may hold
        model.load_state_dict(usual.state_dict(), assign=assign)
        assert torch.equal(model(*texts), usual(*texts))


@pytest.mark.parametrize("initialization", ["paper", "gpt2"])
@pytest.mark.parametrize("positions", ["learned", "sinusoidal"])
def test_reset_parameters_makes_the_model_new(initialization: Any, positions: str) -> None:
    values: Any = {"norm_type": "rms", "activation": "swiglu", "num_experts": 2}
    values = config(positions=positions, initialization=initialization, **values)
    model = DecoderOnly(values, generator=seeded(0))
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    with torch.no_grad():
        for numbers in (*model.parameters(), *model.buffers()):
            numbers.fill_(7)
    for layer in [*model.modules()][1:]:
        getattr(layer, "reset_parameters", int)()
    assert all((numbers != 7).all() for numbers in (*model.parameters(), *model.buffers()))
    model.reset_parameters(seeded(0))
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())


def test_rotary_options_reach_the_layers() -> None:
    tokens = ids(1, 9)
    usual = DecoderOnly(config(positions="rotary"), generator=seeded(0)).double()
    for values, rotation in (
        ({"rope_base": 500.0}, (500.0, 1.0)),
        ({"rope_factor": 4.0}, (10_000.0, 4.0)),
        ({"rope_factor": 4.0, "rope_scaling": "ntk"}, (10_000.0 * 4**1.5, 1.0)),
    ):
        model = DecoderOnly(config(positions="rotary", **values), generator=seeded(0)).double()
        assert model.config.rotation() == pytest.approx(rotation)
        assert not torch.allclose(model(tokens), usual(tokens))
        layer = model.decoder.layers[1]
        assert isinstance(layer, EncoderLayer)
        assert (layer.self_attention.rope_base, layer.self_attention.rope_factor) == rotation


def test_layers_options_reach_the_layers() -> None:
    model = DecoderOnly(
        config(bias=False, qk_norm=True, parallel=True, eps=0.5, num_kv_heads=1),
        generator=seeded(0),
    )
    names = [name for name, _ in model.named_parameters()]
    assert not any(name.endswith("bias") for name in names)
    assert sum("query_norm" in name for name in names) == 2
    assert not any("feed_forward_norm" in name for name in names)
    norms = [m for m in model.modules() if isinstance(m, nn.LayerNorm | nn.RMSNorm)]
    assert len(norms) == 7
    assert {m.eps for m in norms} == {0.5}


def test_making_a_model_does_not_load_sympy() -> None:
    program = (
        "import sys\n"
        "from transformer_lesson.config import ModelConfig\n"
        "from transformer_lesson.models import EncoderDecoder\n"
        "EncoderDecoder(ModelConfig(50, 16, 2))\n"
        "assert 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
