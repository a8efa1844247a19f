"""translation.alignment: how far attention is from the right alignment (Och & Ney 2003)."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check

EIGHT = [(4 + i % 5, 5 + i % 4) for i in range(8)]


def _draw(generator: Generator) -> list[Case]:
    def sentence(sources: int, targets: int, rows: int, columns: int) -> tuple[Tensor, list]:
        """Weights that favour the gold links; what lies beyond the sentence means nothing."""
        weights = torch.rand(rows, columns, generator=generator)
        links = torch.randint(sources, (targets,), generator=generator).tolist()
        gold = [[source, target] for target, source in enumerate(links)]
        for source, target in gold:
            if torch.rand((), generator=generator) < 0.6:
                weights[target, source] += 1
        if sources < columns:  # the end token draws attention
            weights[:, sources] += 0.8
            weights[0, sources + 1 :] += 1.5  # and padding still more, in one row
        # Some target words have no source word, and some have two.
        more = [[(source + 1) % sources, target] for source, target in gold[1::3]]
        return weights / weights.sum(-1, keepdim=True), gold[: max(targets - 2, 1)] + more

    def case(label: str, lengths: list[tuple[int, int]], more: int = 1) -> Case:
        rows = max(targets for _, targets in lengths) + more
        columns = max(sources for sources, _ in lengths) + more
        drawn = [sentence(sources, targets, rows, columns) for sources, targets in lengths]
        return Case(
            label,
            {
                "weights": torch.stack([weights for weights, _ in drawn]),
                "source_lengths": [sources for sources, _ in lengths],
                "target_lengths": [targets for _, targets in lengths],
                "gold": [gold for _, gold in drawn],
            },
        )

    cases = [
        case("one sentence: three words to four", [(3, 4)], more=0),
        case("one sentence, with an end token", [(4, 5)]),
        case("a short and a long sentence", [(2, 2), (9, 11)]),
        case("a source of one word, and a sentence of 120", [(1, 2), (120, 125)]),
        case("six sentences", [(5, 4), (3, 6), (8, 8), (2, 3), (7, 9), (6, 5)]),
        case("two sentences of one word", [(1, 1), (1, 1)]),
        case("a sentence of three words", [(3, 3)]),
        case("eight sentences, one without a gold link", EIGHT, more=2),
    ]
    gold = cases[-1].inputs["gold"]
    assert isinstance(gold, list)
    gold[3] = []
    crossed: dict[str, Value] = {
        "weights": torch.eye(3)[None],
        "source_lengths": [3],
        "target_lengths": [3],
        "gold": [[[1, 0], [2, 1], [0, 2]]],
    }
    return [*cases, Case("every link is wrong", crossed), _faint(case)]


def _faint(case: Callable[..., Case]) -> Case:
    """The end token draws nearly everything; among the words the first comes close to the most."""
    lengths = [(20, 18), (20, 18), *((18 + i % 3, 17 + i % 5) for i in range(16))]
    faint = case("18 sentences, faint weights that differ little", lengths)
    weights, gold = faint.inputs["weights"], faint.inputs["gold"]
    assert isinstance(weights, Tensor) and isinstance(gold, list)
    for rows, (sources, _) in zip(weights, lengths, strict=True):
        rows[:, :sources] *= 5e-4
        rows[:, 0] = 0.999 * rows[:, :sources].amax(-1)
        rows[:, sources] = 1 - rows[:, :sources].sum(-1)
    gold[1] = gold[0]
    return faint


CHECK = Check(
    name="translation.alignment",
    lesson="10_translation",
    title="Alignment error rate",
    answer="alignment_error_rate",
    returns=("error_rate",),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=3,
    minutes=12,
)
