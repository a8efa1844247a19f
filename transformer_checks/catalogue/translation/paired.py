"""translation.paired: whether one system is better than another (Koehn 2004)."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def between(low: int, high: int, *shape: int) -> Tensor:
        return torch.randint(low, high + 1, shape, generator=generator)

    def system(wanted: Tensor, matched: Tensor, written: Tensor) -> Tensor:
        written = written.clamp(min=1)
        return torch.stack([matched.clamp(min=0).minimum(written), written, wanted], dim=-1)

    def drawn(label: str, sentences: int, sets: int, better: int, longer: tuple[int, int]) -> Case:
        """Systems that match as much but for ``better`` words, and differ in what they write."""
        wanted = between(4, 14, sentences)
        matched = (wanted * between(3, 8, sentences)) // 10
        a, b = (
            system(wanted, matched + more, wanted + extra + between(-1, 1, sentences))
            for more, extra in zip((0, better), longer, strict=True)
        )
        return _case(label, a, b, between(0, sentences - 1, sets, sentences))

    def counted(label: str, wins: int, losses: int, sets: int) -> Case:
        """Sets of which B wins and loses so many; on the others both systems are the same."""
        wanted = between(6, 12, 6)
        matched = between(2, 4, 6)
        more = torch.tensor([1, 1, 0, 0, -1, -1])  # matched by B, not by A
        kind = torch.tensor([0] * wins + [4] * losses + [2] * (sets - wins - losses))
        order = torch.randperm(sets, generator=generator)
        draws = (kind[:, None] + between(0, 1, sets, 6))[order]
        a, b = system(wanted, matched, wanted), system(wanted, matched + more, wanted)
        return _case(label, a, b, draws)

    two = torch.tensor([[2, 4, 4], [3, 5, 4]])
    long = between(17, 40, 18)
    # Nowhere a number of sets of which 95 % is a whole number: rounding would decide.
    return [
        _case(
            "two sentences, three sets",
            two,
            torch.tensor([[3, 4, 4], [1, 5, 4]]),
            torch.tensor([[0, 1], [0, 0], [1, 0]]),
        ),
        _case(
            "one sentence",
            torch.tensor([[2, 3, 5]]),
            torch.tensor([[3, 5, 5]]),
            torch.tensor([[0], [0]]),
        ),
        _case(
            "one sentence drawn twice",
            torch.tensor([[2, 4, 4], [3, 4, 4], [1, 4, 4]]),
            torch.tensor([[3, 4, 4], [2, 4, 4], [1, 4, 4]]),
            torch.tensor([[0, 0, 1], [0, 1, 2], [2, 0, 0]]),
        ),
        counted("one drawn set", 0, 1, 1),
        drawn("120 sentences, 21 sets", 120, 21, 1, (0, 1)),
        _case(
            "sentences of hundreds of words",
            torch.tensor([[200, 400, 410], [90, 100, 100]]),
            torch.tensor([[210, 400, 410], [95, 100, 100]]),
            torch.tensor([[0, 1], [1, 1], [0, 0]]),
        ),
        counted("B wins 29 of 30 sets", 29, 1, 30),
        counted("B wins 28 of 30 sets", 28, 2, 30),
        counted("B wins 97 of 99 sets", 97, 2, 99),
        counted("A wins 29 of 30 sets", 1, 29, 30),
        counted("A wins 28 of 30 sets", 2, 28, 30),
        counted("A wins 97 of 99 sets", 2, 97, 99),
        counted("B wins 190 of 199 sets", 190, 9, 199),
        counted("A wins 190 of 199 sets", 9, 190, 199),
        counted("B wins one of 30 sets, A none", 1, 0, 30),
        counted("A wins one of 30 sets, B none", 0, 1, 30),
        drawn("B matches a word more in each sentence", 12, 50, 1, (0, 0)),
        drawn("A matches a word more in each sentence", 9, 45, -1, (0, 0)),
        drawn("B is shorter", 10, 30, 0, (0, -3)),
        drawn("A is longer, B shorter", 15, 35, 0, (3, -2)),
        drawn("both are shorter, and B matches more", 8, 65, 1, (-1, -2)),
        drawn("both are much the same", 20, 70, 0, (0, 0)),
        _case(
            "A short in one sentence, long in the other",
            torch.tensor([[3, 3, 6], [4, 9, 6]]),
            torch.tensor([[3, 6, 6], [3, 6, 6]]),
            torch.tensor([[0, 0], [1, 1], [0, 1]]),
        ),
        _case(
            "A has no match in one sentence",
            torch.tensor([[0, 4, 4], [3, 5, 4]]),
            torch.tensor([[1, 4, 4], [2, 5, 4]]),
            torch.tensor([[0, 1], [0, 0], [1, 1], [1, 0], [1, 1]]),
        ),
        _case("the same translations", two, two, torch.tensor([[0, 1], [1, 1], [0, 0], [1, 0]])),
        _case(
            "sentences of 17 to 40 words",
            system(long, long // 3, long + between(0, 3, 18)),
            system(long, long // 2, long + between(0, 3, 18)),
            between(0, 17, 33, 18),
        ),
    ]


def _case(label: str, a: Tensor, b: Tensor, draws: Tensor) -> Case:
    return Case(label, {"a": a, "b": b, "draws": draws})


CHECK = Check(
    name="translation.paired",
    lesson="10_translation",
    title="Is B better than A?",
    answer="paired_bootstrap",
    returns=("difference", "wins", "better"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
)
