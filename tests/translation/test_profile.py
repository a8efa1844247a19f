"""What a translation costs: the parts make the whole, and bytes are those of the tensors."""

from itertools import pairwise

import pytest
import torch

from tests.translation.toy import CORPUS, ENGLISH, RECIPE
from transformer_lesson.translation.profile import (
    STAGES,
    decoding_memory,
    stage_times,
    top_operators,
    training_memory,
)
from transformer_lesson.translation.recipe import learn_vocabulary
from transformer_lesson.translation.report import stage_rows
from transformer_lesson.translation.translator import Translator


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator(RECIPE.model(), learn_vocabulary(CORPUS, RECIPE.vocab_size))


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("beam_width", [1, 3])
def test_stages_take_all_of_the_time_and_leave_the_translator_as_it_was(
    translator: Translator, beam_width: int, cached: bool
) -> None:
    before = translator.translate(ENGLISH)
    found = stage_times(translator, ENGLISH, beam_width=beam_width, cached=cached)
    assert all(found[stage] > 0 for stage in STAGES)
    assert found["total"] == pytest.approx(sum(found[stage] for stage in STAGES))
    # The first step reads the start once; and none of these sentences is done before the last.
    assert found["rows"] == (1 + (found["steps"] - 1) * beam_width) * len(ENGLISH)
    # Each step writes at most one token of each sentence.
    assert found["steps"] <= found["tokens"] <= found["steps"] * len(ENGLISH)
    assert "encode" not in vars(translator.model) and "encode" not in vars(translator.vocabulary)
    assert translator.translate(ENGLISH) == before


def test_there_is_a_row_for_each_way(translator: Translator) -> None:
    rows = stage_rows(translator, ENGLISH, (1, 2))
    assert [row[""] for row in rows] == ["greedy", "greedy, no cache", "beam 2", "beam 2, no cache"]
    assert [row["tokens"] for row in rows[::2]] == [row["tokens"] for row in rows[1::2]]


def test_training_holds_a_gradient_and_two_means_for_each_weight(translator: Translator) -> None:
    model = translator.model
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    found = training_memory(model, rows=4, tokens=6)
    weights = 4 * sum(p.numel() for p in model.parameters())
    assert (found["weights"], found["gradients"]) == (weights, weights)
    # And the number of the step for each tensor.
    assert 2 * weights < found["optimizer"] < 2 * weights + 1000
    assert all(torch.equal(before[name], weight) for name, weight in model.state_dict().items())
    assert all(p.grad is None for p in model.parameters())


def test_activations_of_one_layer_are_those_that_can_be_counted_by_hand() -> None:
    sizes = [training_memory(RECIPE.model(), rows=2 * 2**i, tokens=5) for i in range(3)]
    for few, many in pairwise(size["activations"] for size in sizes):
        assert few * 1.8 < many <= few * 2
    # At least the logits, (2, 4, 60), and the input of each of the layers' norms, in float32.
    assert sizes[0]["activations"] > 4 * (2 * 4 * 60 + 2 * 5 * RECIPE.d_model * 5)


@pytest.mark.parametrize(("rows", "tokens"), [(6, 5), (18, 5), (6, 8)])
def test_the_cache_holds_keys_and_values_of_each_layer_and_row(
    translator: Translator, rows: int, tokens: int
) -> None:
    found = decoding_memory(translator.model, rows=rows, tokens=tokens)
    each = 2 * 4 * rows * RECIPE.d_model * RECIPE.num_layers  # key and value, 4 bytes a number
    assert found["self_attention"] == found["cross_attention"] == tokens * each
    assert found["encoder_output"] == 4 * rows * tokens * RECIPE.d_model
    assert 0 <= found["reserved"] <= found["self_attention"]


def test_the_operator_that_takes_longest_comes_first() -> None:
    matrix = torch.ones(200, 200)
    _, names, _, first, *_ = top_operators(lambda: [matrix @ matrix for _ in range(20)]).split("\n")
    assert names.split()[0] == "Name" and first.split()[0] == "aten::mm"
    assert first.split()[-1] == "20"


def test_sizes_beyond_the_model_are_refused(translator: Translator) -> None:
    with pytest.raises(ValueError, match="rows=0"):
        decoding_memory(translator.model, rows=0, tokens=3)
