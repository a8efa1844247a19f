"""Models as others hand them over: compiled, in DataParallel, or broken; one rule at each door."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from tests.decoders import END, Table, ids, small
from transformer_lesson import seeded
from transformer_lesson.decoding import Model, beam_search, greedy, sample
from transformer_lesson.models import EncoderDecoder, recorded_weights, replaced_heads


def compiled(model: nn.Module) -> nn.Module:
    wrapped = torch.compile(model, backend="eager")
    assert isinstance(wrapped, nn.Module)
    return wrapped


WRAPPERS: dict[str, Callable[[nn.Module], nn.Module]] = {
    "compiled": compiled,
    "DataParallel": nn.DataParallel,
    "compiled DataParallel": lambda model: nn.DataParallel(compiled(model)),
}
# The doors through which a model comes to be asked for text.
DOORS: dict[str, Callable[..., object]] = {
    "greedy": lambda model, **told: greedy(model, **told, end_id=END),
    "sample": lambda model, **told: sample(model, **told, generator=seeded(0)),
    "beam_search": lambda model, **told: beam_search(model, **told, beam_width=2, end_id=END),
}


def told(model: Model) -> dict[str, object]:
    source = {"source": ids(2, 4, seed=1)} if isinstance(model, EncoderDecoder) else {}
    return {"prompt": ids(2, 2), "max_tokens": 6, **source}


@pytest.mark.parametrize("source", [False, True])
@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("door", DOORS)
def test_a_wrapped_model_writes_what_it_writes_alone(door: str, wrapper: str, source: bool) -> None:
    model = small(source).eval()
    alone = DOORS[door](model, **told(model))
    torch.testing.assert_close(DOORS[door](WRAPPERS[wrapper](model), **told(model)), alone)


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_wrapped_model_is_read_and_changed_under_its_own_names(wrapper: str) -> None:
    model = small(False).eval()
    outer, tokens = WRAPPERS[wrapper](model), ids(2, 4)
    outer(tokens)  # a compiled one has compiled by now
    with recorded_weights(outer) as found:
        outer(tokens)
    with recorded_weights(model) as expected:
        model(tokens)
    assert list(found) == list(expected)
    for name, weights in expected.items():
        torch.testing.assert_close(found[name], weights)
    with replaced_heads(outer, {next(iter(found)): {0: 0.0}}):
        without = outer(tokens)
    with replaced_heads(model, {next(iter(found)): {0: 0.0}}):
        torch.testing.assert_close(without, model(tokens))
    assert not torch.allclose(without, outer(tokens))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("cached", [False, True])
def test_logits_that_are_nan_are_named_at_the_first_step(door: str, cached: bool) -> None:
    model = small(False).eval()
    with torch.no_grad():
        model.embedding.weight[4] = torch.nan
    prompt = torch.tensor([[3, 5], [4, 5]])
    with pytest.raises(ValueError, match="gave NaN for what follows 2 tokens"):
        DOORS[door](model, prompt=prompt, max_tokens=6, cached=cached)


@pytest.mark.parametrize("door", DOORS)
def test_logits_that_become_nan_later_are_named(door: str) -> None:
    """Token 1 leads to 3, and what follows 3 is NaN."""
    nan = torch.nan
    table = Table([[0.5, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 0.5], [nan] * 4])
    with pytest.raises(ValueError, match="gave NaN for what follows 2 tokens"):
        DOORS[door](table, prompt=torch.tensor([[1]]), max_tokens=5)


def test_what_writes_no_text_is_named_as_it_was_given() -> None:
    with pytest.raises(TypeError, match=r"^DataParallel writes no text"):
        greedy(nn.DataParallel(nn.Linear(2, 2)), torch.zeros(1, 1), max_tokens=2)  # type: ignore[arg-type]


def test_a_hidden_nan_gets_out_as_the_text_says() -> None:
    """The rule that is told: 0 · NaN is NaN; a large number in its place stays hidden."""
    from transformer_lesson.attention import causal_mask, reference_attention

    def first(value: float) -> Tensor:
        tokens = torch.ones(3, 2)
        tokens[2] = value
        return reference_attention(tokens, tokens, tokens, causal_mask(3))[0][0]

    assert first(torch.nan).isnan().all()
    assert first(1e6).eq(1).all()
