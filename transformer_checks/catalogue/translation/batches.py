"""translation.batches: pairs of similar length together, each batch as full as it may be."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, source: list[int], target: list[int], max_tokens: int) -> Case:
        return Case(
            label, {"source_lengths": source, "target_lengths": target, "max_tokens": max_tokens}
        )

    def lengths(count: int, longest: int) -> list[int]:
        return torch.randint(1, longest + 1, (count,), generator=generator).tolist()

    def mixed(count: int, longest: int, max_tokens: int) -> Case:
        label = f"{count} pairs, at most {max_tokens} tokens a batch"
        return case(label, lengths(count, longest), lengths(count, longest), max_tokens)

    def long_then_short() -> Case:
        """A long source among short targets, then short pairs: the next batch holds more."""
        order = torch.randperm(10, generator=generator).tolist()
        source, target = [9, 9, 9, 2, 2, 2, 3, 3, 3, 3], [1, 1, 1, 2, 2, 2, 3, 3, 3, 3]
        label = "short targets with long sources, then short pairs"
        return case(label, [source[i] for i in order], [target[i] for i in order], 18)

    equal = [1, 1, 1, 1, 2, 2, 2, 6, 6, 6]
    order = torch.randperm(10, generator=generator).tolist()
    equal = [equal[index] for index in order]
    return [
        case("five pairs of three tokens each, at most 6 in a batch", [3] * 5, [3] * 5, 6),
        case("four pairs, at most 8 tokens a batch", [4, 2, 2, 3], [3, 4, 2, 3], 8),
        long_then_short(),
        case("long targets with short sources", [1, 2, 1, 2, 1, 1], [5, 5, 6, 5, 5, 6], 12),
        case("sources as long as their targets", equal, list(equal), 12),
        mixed(24, 6, 18),
        mixed(40, 9, 31),
        mixed(60, 12, 60),
        case("sources of thousands of tokens", [2500, 3, 1200, 7], [4, 5, 4, 6], 5000),
        case("targets of thousands of tokens", [4, 5, 4, 6], [2500, 3, 1200, 7], 5000),
        case("1300 pairs of one token, 1200 in a batch", [1] * 1300, [1] * 1300, 1200),
        case("a single pair", [4], [5], 20),
        case("two pairs", [4, 2], [5, 3], 20),
        case("two pairs, one in each batch", [4, 2], [4, 2], 5),
        case("pairs of one token, one in each batch", [1, 1, 1], [1, 1, 1], 1),
    ]


CHECK = Check(
    name="translation.batches",
    lesson="10_translation",
    title="Batches by tokens",
    answer="batch_by_tokens",
    returns=("order", "sizes"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
)
