"""inside.bug_hunt: heads of one score, of which one kind alone does what the score is named for."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal

KINDS = 4
SHARP, NOISE = 12.0, 0.05  # scores of what a head looks at, and of all else


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, kinds: list[int], block: int, vocab: int, places: int) -> Case:
        ids = torch.randperm(vocab, generator=generator)[:block]
        heads = [_head(generator, kind, ids, vocab, places) for kind in kinds]
        text = ids.repeat(2)
        return Case(label, {"heads": torch.stack(heads), "text": text, "vocab": vocab})

    def order(count: int) -> list[int]:
        return (torch.randperm(count, generator=generator) % KINDS).tolist()

    singles = [
        case(f"one head, kind {kind}", [kind], block, 2 * block + more, 3 * block + kind)
        for kind, block, more in ((0, 3, 0), (1, 3, 1), (2, 3, 2), (3, 3, 0), (0, 4, 3), (3, 5, 2))
    ]
    four = order(4)
    return [
        *singles,
        case("two heads, kinds 1 and 2", [1, 2], 4, 9, 12),
        case("4 heads, a block of 5", four, 5, 12, 16),
        case("4 heads of the same sizes, the other way round", four[::-1], 5, 12, 16),
        case("8 heads, a block of 4", order(8), 4, 8, 13),
        case("3 heads, a block of 7", order(3), 7, 17, 21),
        case("18 heads, a block of 6", order(18), 6, 15, 20),
        case("4 heads, a block of 18, 140 ids", order(4), 18, 140, 60),
    ]


def _head(g: Generator, kind: int, ids: Tensor, vocab: int, places: int) -> Tensor:
    """The scores of a head that has learned the text in which ``ids`` stand twice."""
    head = NOISE * normal(g, vocab + places, vocab + places)
    of_ids, of_places = head[:vocab, :vocab], head[vocab:, vocab:]
    block, place = len(ids), torch.arange(places)
    if kind == 0:
        of_ids += SHARP * torch.eye(vocab)
    elif kind == 1:
        late = place[block - 1 :]
        of_places[late, late - block + 1] += SHARP
    elif kind == 2:
        second = place[block : 2 * block]
        of_places[second, second - block + 1] += SHARP
        beyond = place[2 * block :]
        of_places[beyond, beyond] += SHARP
    else:
        of_ids[ids, ids] += SHARP
    return head


CHECK = Check(
    name="inside.bug_hunt",
    lesson="12_inside",
    title="Bug hunt: one score, four heads",
    answer="which_heads",
    returns=("kinds",),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=5,
    minutes=45,
)
