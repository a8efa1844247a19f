"""translation.batches: pairs of similar length together, each batch as full as it may be."""

from dataclasses import dataclass

import torch
from torch import Generator

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[list[int], list[int]]


@dataclass(frozen=True)
class _Batches:
    """Order and sizes of the batches; with a flag set, one thing is done wrongly."""

    unsorted: bool = False
    longest_first: bool = False
    by_source: bool = False
    by_target_alone: bool = False
    by_sum: bool = False
    equal_reversed: bool = False
    real_tokens: bool = False
    target_counts: bool = False
    source_counts: bool = False
    both_count: bool = False
    strict: bool = False
    one_late: bool = False
    longest_kept: bool = False
    fixed_rows: bool = False
    last_dropped: bool = False

    def __call__(
        self, source_lengths: list[int], target_lengths: list[int], max_tokens: int
    ) -> Result:
        pairs = list(zip(source_lengths, target_lengths, strict=True))
        order = self._order(pairs)
        widths = [self._width(*pairs[index]) for index in order]
        if self.fixed_rows:
            rows = max_tokens // max(widths)
            sizes = [min(rows, len(order) - start) for start in range(0, len(order), rows)]
        else:
            sizes = self._sizes(widths, max_tokens - self.strict)
        return order, sizes[:-1] if self.last_dropped else sizes

    def _order(self, pairs: list[tuple[int, int]]) -> list[int]:
        def key(index: int) -> tuple[int, ...]:
            source, target = pairs[index]
            if self.by_source:
                return (source, target)
            if self.by_sum:
                return (source + target,)
            return (target,) if self.by_target_alone else (target, source)

        order = list(range(len(pairs)))
        if self.unsorted:
            return order
        if self.equal_reversed:
            return sorted(order, key=lambda index: (*key(index), -index))
        return sorted(order, key=key, reverse=self.longest_first)

    def _width(self, source: int, target: int) -> int:
        if self.both_count:
            return source + target
        if self.target_counts:
            return target
        return source if self.source_counts else max(source, target)

    def _sizes(self, widths: list[int], most: int) -> list[int]:
        sizes, longest, total = [0], 0, 0
        for width in widths:
            full = sizes[-1] * longest >= most if self.one_late else False
            longest, total = max(longest, width), total + width
            filled = total if self.real_tokens else (sizes[-1] + 1) * longest
            if (full if self.one_late else filled > most) and sizes[-1]:
                sizes.append(0)
                total = width
                longest = longest if self.longest_kept else width
            sizes[-1] += 1
        return sizes


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, source: list[int], target: list[int], max_tokens: int) -> Case:
        return Case(
            label,
            {"source_lengths": source, "target_lengths": target, "max_tokens": max_tokens},
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
        case("a single pair", [4], [5], 20),
    ]


BATCHES = Check(
    name="translation.batches",
    lesson="10_translation",
    title="Batches by tokens",
    answer="batch_by_tokens",
    returns=("order", "sizes"),
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
    draw=_draw,
    reference=_Batches(),
    slips=(
        Misconception(
            "not sorted",
            _Batches(unsorted=True),
            "the pairs are taken as they come: short ones stand beside long ones, and are padded",
            "What makes rows of one batch equally long?",
        ),
        Misconception(
            "longest first",
            _Batches(longest_first=True),
            "the longest pairs come first",
            "Here the order is ascending.",
        ),
        Misconception(
            "sorted by source first",
            _Batches(by_source=True),
            "sorted by the source, and among equal sources by the target",
            "The target decides, the source breaks ties.",
        ),
        Misconception(
            "source does not break ties",
            _Batches(by_target_alone=True),
            "pairs of equal targets stand in the order in which they came: their sources are of "
            "all lengths, and are padded",
            "A key may be a tuple.",
        ),
        Misconception(
            "sorted by the sum",
            _Batches(by_sum=True),
            "sorted by source plus target: 2 + 9 stands beside 9 + 2, and both are padded",
            "The target decides, the source breaks ties.",
        ),
        Misconception(
            "equal pairs reversed",
            _Batches(equal_reversed=True),
            "pairs of equal lengths change places",
            "`sorted` keeps the order of equals, also with reverse=True; reversing its result, or "
            "a sort that is not stable, does not.",
        ),
        Misconception(
            "padding not counted",
            _Batches(real_tokens=True),
            "real tokens are counted: with its padding a batch is larger than max_tokens",
            "A batch is a rectangle: rows times its longest row.",
        ),
        Misconception(
            "targets alone counted",
            _Batches(target_counts=True),
            "the longest target is taken for the longest: a long source makes the batch too large",
            "Both sides must keep within max_tokens.",
        ),
        Misconception(
            "sources alone counted",
            _Batches(source_counts=True),
            "the longest source is taken for the longest: a long target makes the batch too large",
            "Both sides must keep within max_tokens.",
        ),
        Misconception(
            "source and target added",
            _Batches(both_count=True),
            "source and target of a pair are added up: batches are about half as large as they may "
            "be",
            "Each side for itself must keep within max_tokens. Which of the two is larger?",
        ),
        Misconception(
            "full is too full",
            _Batches(strict=True),
            "a batch of exactly max_tokens is refused",
            "At most max_tokens: equality is allowed.",
        ),
        Misconception(
            "one row too many",
            _Batches(one_late=True),
            "the batch is closed only after it has grown beyond max_tokens",
            "Ask how large it *would* be with the next pair, before that pair goes in.",
        ),
        Misconception(
            "longest of all batches",
            _Batches(longest_kept=True),
            "the longest row of an earlier batch still counts in the next one",
            "A new batch begins with its first pair alone.",
        ),
        Misconception(
            "same rows in every batch",
            _Batches(fixed_rows=True),
            "every batch has as many rows as the longest pair allows: those of short pairs are "
            "nearly empty",
            "Short rows: many of them. The number of tokens is what stays the same.",
        ),
        Misconception(
            "last batch dropped",
            _Batches(last_dropped=True),
            "the last batch is missing",
            "It is not full, and its pairs are wanted all the same.",
        ),
    ),
    hints=(
        "First the order: `sorted(range(n), key=...)`, with the target's length before the "
        "source's in the key.",
        "Then walk through that order with two numbers in hand: the rows of the open batch, and "
        "its longest row on either side.",
        "With the next pair the batch would hold (rows + 1) * max(longest, source, target). If "
        "that is more than max_tokens, a new batch begins with this pair.",
    ),
)
