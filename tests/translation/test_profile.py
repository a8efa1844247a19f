"""What a translation costs: the parts make the whole, and bytes are those of the tensors."""

import pytest
import torch

from tests.translation.toy import CORPUS, ENGLISH, RECIPE
from transformer_lesson.translation.profile import (
    STAGES,
    decoding_memory,
    decoding_memory_table,
    random_ids,
    stage_table,
    stage_times,
    top_operators,
    training_memory,
    training_memory_table,
)
from transformer_lesson.translation.recipe import learn_vocabulary
from transformer_lesson.translation.translator import Translator


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator(RECIPE.model(), learn_vocabulary(CORPUS, RECIPE.vocab_size))


def test_stages_take_all_of_the_time_and_leave_the_translator_as_it_was(
    translator: Translator,
) -> None:
    before = translator.translate(ENGLISH)
    found = stage_times(translator, ENGLISH)
    assert all(getattr(found, stage) > 0 for stage in STAGES)
    assert found.total == pytest.approx(sum(getattr(found, stage) for stage in STAGES))
    assert sum(found.per_token.values()) * found.tokens == pytest.approx(1000 * found.total)
    assert "encode" not in vars(translator.model) and "encode" not in vars(translator.vocabulary)
    assert translator.translate(ENGLISH) == before


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("beam_width", [1, 3])
def test_steps_rows_and_tokens_are_counted(
    translator: Translator, beam_width: int, cached: bool
) -> None:
    found = stage_times(translator, ENGLISH, beam_width=beam_width, cached=cached)
    assert found.sentences == len(ENGLISH)
    assert found.rows == found.steps * len(ENGLISH) * beam_width
    # Each step writes at most one token of each sentence.
    assert found.steps <= found.tokens <= found.steps * len(ENGLISH)


def test_the_table_has_a_row_for_each_way(translator: Translator) -> None:
    table = stage_table(translator, ENGLISH, beam_widths=(1, 2))
    assert list(table.index) == ["greedy", "greedy, no cache", "beam 2", "beam 2, no cache"]
    assert (table["tokens"].iloc[::2].to_numpy() == table["tokens"].iloc[1::2].to_numpy()).all()
    assert len(stage_table(translator, ENGLISH, beam_widths=(1,), uncached=False)) == 1


def test_training_holds_a_gradient_and_two_means_for_each_weight(translator: Translator) -> None:
    model = translator.model
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    ids = random_ids(model, 4, 6)
    found = training_memory(model, ids, ids)
    weights = 4 * sum(p.numel() for p in model.parameters())
    assert (found.weights, found.gradients) == (weights, weights)
    # And the number of the step for each tensor.
    assert 2 * weights < found.optimizer < 2 * weights + 1000
    assert all(torch.equal(before[name], weight) for name, weight in model.state_dict().items())
    assert all(p.grad is None for p in model.parameters())


def test_activations_of_one_layer_are_those_that_can_be_counted_by_hand() -> None:
    ids = torch.randint(4, 60, (2, 5), generator=torch.Generator().manual_seed(0))
    few, many = (
        training_memory(RECIPE.model(), ids.repeat(times, 1), ids.repeat(times, 1))
        for times in (1, 2)
    )
    assert few.activations * 1.8 < many.activations <= few.activations * 2
    # At least the logits, (2, 4, 60), and the input of each of the layers' norms, in float32.
    assert few.activations > 4 * (2 * 4 * 60 + 2 * 5 * RECIPE.d_model * 5)


def test_the_cache_holds_keys_and_values_of_each_layer_and_row(translator: Translator) -> None:
    model, rows = translator.model, 6
    found = decoding_memory(model, source_tokens=7, target_tokens=5, rows=rows)
    each = 2 * 4 * rows * RECIPE.d_model * RECIPE.num_layers  # key and value, 4 bytes a number
    assert found.self_attention == 5 * each
    assert found.cross_attention == 7 * each
    assert found.encoder_output == 4 * rows * 7 * RECIPE.d_model
    assert 0 <= found.reserved <= found.self_attention


def test_memory_grows_with_length_batch_and_beam(translator: Translator) -> None:
    training = training_memory_table(translator.model, lengths=(4, 8), batches=(2, 4))
    assert training["activations"].is_monotonic_increasing or len(training) == 4
    assert training["activations"].iloc[3] > 3 * training["activations"].iloc[0]
    decoding = decoding_memory_table(translator.model, lengths=(4, 8), beam_widths=(1, 3), batch=2)
    cache = decoding["self_attention"] + decoding["cross_attention"]
    assert (cache.iloc[2:].to_numpy() == 3 * cache.iloc[:2].to_numpy()).all()


def test_the_operators_that_take_longest_come_first() -> None:
    matrix = torch.ones(200, 200)
    found = top_operators(lambda: [matrix @ matrix for _ in range(20)], most=3)
    assert found.index[0] == "aten::mm" and found.loc["aten::mm", "calls"] == 20
    assert found["ms"].is_monotonic_decreasing and 0 < found["share"].sum() <= 1.0001


def test_sizes_beyond_the_model_are_refused(translator: Translator) -> None:
    with pytest.raises(ValueError, match="rows=0"):
        decoding_memory(translator.model, source_tokens=3, target_tokens=3, rows=0)
