"""translation.batches: pairs of similar length together, each batch as full as it may be."""

import torch
from torch import Generator

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, source: list[int], target: list[int], max_tokens: int) -> Case:
        return Case(label,
                    {"source_lengths": source, "target_lengths": target, "max_tokens": max_tokens})

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
        case("sources as long as their targets", equal, list(equal), 12), mixed(24, 6, 18),
        mixed(40, 9, 31), mixed(60, 12, 60),
        case("sources of thousands of tokens", [2500, 3, 1200, 7], [4, 5, 4, 6], 5000),
        case("targets of thousands of tokens", [4, 5, 4, 6], [2500, 3, 1200, 7], 5000),
        case("1300 pairs of one token, 1200 in a batch", [1] * 1300, [1] * 1300, 1200),
        case("a single pair", [4], [5], 20),
        case("two pairs", [4, 2], [5, 3], 20),
        case("two pairs, one in each batch", [4, 2], [4, 2], 5),
        case("pairs of one token, one in each batch", [1, 1, 1], [1, 1, 1], 1),
    ]


_KEY = "key=lambda index: lengths[index]"
_ANY_WIDTH = "max(longest, *lengths[index])"
_WIDTH = "max(lengths[index])"
_TOO_MANY = "(rows + 1) * widest > max_tokens"

CHECK = Check(
    name="translation.batches", lesson="10_translation", title="Batches by tokens",
    answer="batch_by_tokens", returns=("order", "sizes"), draw=_draw,
    points=2, difficulty=3, importance=4, minutes=15,
    slips=(
        Slip("not sorted", {f"sorted(range(len(lengths)), {_KEY})": "list(range(len(lengths)))"},
             "the pairs are taken as they come: short ones stand beside long ones, and are padded",
             "What makes rows of one batch equally long?"),
        Slip("sorted by source first",
             {"zip(target_lengths, source_lengths": "zip(source_lengths, target_lengths"},
             "the pairs are sorted by the source, and among equal sources by the target",
             "The target decides, the source breaks ties."),
        Slip("source does not break ties", {_KEY: "key=lambda index: target_lengths[index]"},
             "pairs of equal targets stand in the order in which they came: their sources are of "
             "all lengths, and are padded",
             "A key may be a tuple."),
        Slip("sorted by the sum", {_KEY: "key=lambda index: sum(lengths[index])"},
             "the pairs are sorted by source plus target: 2 + 9 stands beside 9 + 2, and both are "
             "padded",
             "The target decides, the source breaks ties."),
        Slip("padding not counted",
             {_ANY_WIDTH: f"longest + {_WIDTH}", _TOO_MANY: "widest > max_tokens"},
             "real tokens are counted: with its padding a batch is larger than max_tokens",
             "A batch is a rectangle: rows times its longest row."),
        Slip("targets alone counted",
             {_ANY_WIDTH: "max(longest, target_lengths[index])", _WIDTH: "target_lengths[index]"},
             "the longest target is taken for the longest: a long source makes the batch too large",
             "Both sides must keep within max_tokens."),
        Slip("source and target added",
             {_ANY_WIDTH: "max(longest, sum(lengths[index]))", _WIDTH: "sum(lengths[index])"},
             "source and target of a pair are added up: batches are about half as large as they "
             "may be",
             "Each side for itself must keep within max_tokens. Which of the two is larger?"),
        Slip("full is too full", {"> max_tokens": ">= max_tokens"},
             "a batch of exactly max_tokens is refused",
             "At most max_tokens: equality is allowed."),
        Slip("one row too many", {_TOO_MANY: "rows * longest >= max_tokens"},
             "the batch is closed only after it has grown beyond max_tokens",
             "Ask how large it *would* be with the next pair, before that pair goes in."),
    ),
)
