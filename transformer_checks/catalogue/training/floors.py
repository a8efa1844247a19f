"""training.floors: what runs with mistakes in them must pay at least, and which run is which."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.solutions import Answer
from transformer_checks.catalogue.draws import redrawn

# Ids of the largest case: written one behind the other, those of some texts look alike.
NAMES = torch.tensor([1, 2, 11, 12, 21, 22, 111, 0])
APART = 0.06  # two floors are never closer than this
# Texts, of them repeated, words, most and fewest of them in a text, runs, and how near these lie.
SIZES: tuple[tuple[int, ...], ...] = (
    (4, 0, 2, 2, 1, 2),
    (6, 1, 3, 4, 2, 1),
    (7, 2, 3, 4, 1, 3),
    (6, 0, 4, 3, 2, 6),
    (9, 3, 3, 4, 2, 5),
    (14, 4, 5, 5, 3, 8),
    (18, 6, 5, 16, 1, 18, 100),
)
# Two begin with 1, 11 and with 11, 1: one set, and the same digits, for those who count what is no
# tuple. Without the shorter ones two floors would be equal.
TWINS = ((1, 11, 2, 1), (11, 1, 2, 11), (1,), (1, 2), (11,), (11,))
# The first word says what follows five equal ones: for those who know but the last few tokens.
DISTANT = ((1, 2, 2, 2, 2, 2, 1), (2, 2, 2, 2, 2, 2, 2), (1, 2))


def _draw(generator: Generator) -> list[Case]:
    floors_of = CHECK.text.run()
    by_hand = [
        torch.tensor([[3, *text, 4, *[0] * (len(texts[0]) - len(text))] for text in texts])
        for texts in (TWINS, DISTANT)
    ]
    return [
        *(_case(generator, floors_of, *sizes) for sizes in SIZES),
        *(_of(generator, floors_of, texts, 0, runs=5) for texts in by_hand),
        _of(generator, floors_of, torch.tensor([[3, 2, 4, 0, 0, 0], [3, 2, 2, 2, 2, 4]]), 0, 3),
    ]


def _case(
    g: Generator,
    floors_of: Answer,
    number: int,
    repeated: int,
    words: int,
    most: int,
    fewest: int,
    runs: int,
    near: int = 1,
) -> Case:
    """Draw languages until the floors of one lie apart."""
    names = NAMES if words + 3 == len(NAMES) else torch.arange(words + 3)

    def attempt() -> tuple[Tensor, int] | None:
        ids = names[torch.randperm(words + 3, generator=g)]
        texts = _texts(g, ids, number - repeated, most, fewest)
        texts = torch.cat([texts, texts[:repeated]])[torch.randperm(number, generator=g)]
        floors, _ = floors_of(texts, int(ids[0]), torch.zeros(runs))
        apart = float(floors.sort().values.diff().min())
        return (texts, int(ids[0])) if apart >= APART else None

    texts, padding_id = redrawn(attempt)
    return _of(g, floors_of, texts, padding_id, runs, near)


def _of(
    g: Generator, floors_of: Answer, texts: Tensor, padding_id: int, runs: int, near: int = 1
) -> Case:
    """A language, and losses a little above its floors."""
    floors, _ = floors_of(texts, padding_id, torch.zeros(runs))
    gaps, order = torch.zeros(5), floors.argsort()
    gaps[order] = torch.cat([floors[order].diff(), torch.tensor([0.2])])
    further = torch.randint(5, (runs,), generator=g)
    lines = torch.cat([torch.randperm(5, generator=g), further])[:runs]
    above = (0.05 + 0.25 * torch.rand(runs, generator=g)) * gaps[lines] / near
    losses = ((floors[lines] + above) * 1000).ceil() / 1000
    label = f"{len(texts)} texts, {runs} run{'s' * (runs > 1)}, padding id {padding_id}"
    label += ", hardly above their floors" if near > 1 else ""
    return Case(label, {"texts": texts, "padding_id": padding_id, "losses": losses})


def _texts(g: Generator, ids: Tensor, number: int, most: int, fewest: int) -> Tensor:
    """Texts of random words; one has all its places filled, one is the shortest."""
    padding, start, end, *words = ids.tolist()
    lengths = torch.randint(fewest, most + 1, (number,), generator=g).tolist()
    lengths[:2] = most, fewest
    chosen = torch.tensor(words)[torch.randint(len(words), (number, most), generator=g)].tolist()
    return torch.tensor(
        [
            [start, *text[:length], end, *[padding] * (most - length)]
            for text, length in zip(chosen, lengths, strict=True)
        ]
    )


CHECK = Check(
    name="training.floors",
    lesson="07_training",
    title="Where can it end?",
    answer="floors_of",
    returns=("floors", "lines"),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=5,
    minutes=20,
)
