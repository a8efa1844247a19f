"""decoder.cross_attention: queries from the target, keys and values from the source."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, gapped, normal, spread, tidy, whole


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw,
        tokens: int,
        source: list[list[int]],
        padding_id: int,
        widths: tuple[int, int, int],
    ) -> dict[str, Value]:
        d_model, d_head, d_value = widths
        batch, length = len(source), len(source[0])
        return {
            "target": draw(generator, batch, tokens, d_model),
            "memory": draw(generator, batch, length, d_model),
            "source": torch.tensor(source),
            "padding_id": padding_id,
            "w_query": draw(generator, d_model, d_head),
            "w_key": draw(generator, d_model, d_head),
            "w_value": draw(generator, d_model, d_value),
        }

    def of_many_sizes() -> dict[str, Value]:
        source = torch.randint(24, (17, 19), generator=generator)
        source[torch.arange(19) >= torch.randint(1, 19, (17, 1), generator=generator)] = 23
        size = spread(20)
        return {
            "target": size * normal(generator, 17, 21, 20),
            "memory": size * normal(generator, 17, 19, 20),
            "source": source,
            "padding_id": 23,
            "w_query": 0.3 * normal(generator, 20, 18) / size[:, None],
            "w_key": 0.3 * normal(generator, 20, 18) / size[:, None],
            "w_value": 0.3 * normal(generator, 20, 22) / size[:, None],
        }

    one, two, empty = [[5, 8, 2]], [[5, 8, 2, 6], [7, 4, 0, 0]], [[6, 4], [0, 0]]
    three = [[4, 9, 2, 2, 2], [2, 2, 6, 7, 8], [9, 3, 1, 2, 0]]
    places = torch.randperm(5, generator=generator).tolist()  # where the padding stands
    three = [[row[place] for place in places] for row in three]
    hidden = inputs(tidy, 2, two, 0, (4, 2, 2))
    assert isinstance(hidden["memory"], torch.Tensor)
    hidden["memory"][1, 2:] = 1e20  # beside it no weight is small but 0
    assert isinstance(hidden["target"], torch.Tensor)
    hidden["target"][:, 1] = -hidden["target"][:, 0]  # to one of the two a hidden score is positive
    zero = inputs(tidy, 3, one, 0, (4, 2, 2))
    zero |= {name: gapped(generator, 1, 3, 4) for name in ("target", "memory")}
    cases = [
        Case("2 target tokens, 3 source tokens", inputs(tidy, 2, one, 0, (4, 2, 2))),
        Case("3 target and 3 source tokens", inputs(tidy, 3, one, 0, (2, 2, 2))),
        Case("a source with padding", inputs(tidy, 2, two, 0, (3, 2, 4))),
        Case("large numbers in the padding of the memory", hidden),
        Case("padding id 2, d_value 5", inputs(normal, 4, three, 2, (6, 3, 5))),
        Case("as many target as source tokens", inputs(normal, 4, two, 0, (6, 3, 3))),
        Case("a source that is all padding", inputs(tidy, 2, empty, 0, (4, 2, 2))),
        Case("gradients", inputs(normal, 3, two, 0, (6, 3, 2)), gradients=True),
        Case("gradients beside an empty source", inputs(tidy, 2, empty, 0, (4, 2, 2)), True),
        Case("one target token, d_model 1", inputs(tidy, 1, two, 0, (1, 2, 2))),
        Case(
            "ids of a large vocabulary", inputs(tidy, 2, [[50_256, 7, 50_257]], 50_257, (4, 2, 2))
        ),
        Case(
            "sources of one token, one of them padding", inputs(tidy, 2, [[6], [0]], 0, (4, 2, 2))
        ),
    ]
    far = inputs(normal, 2, [[7, 0]], 0, (4, 2, 2))
    target, memory = far["target"], far["memory"]
    assert isinstance(target, torch.Tensor) and isinstance(memory, torch.Tensor)
    target[:, 1] = -target[:, 0]  # whatever the weights, one score of the real word is negative
    # Large terms may cancel, so what they add up to has to be exact.
    memory[:, 0] = 2.0**17 * (10 * memory[:, 0]).round()
    far["w_value"] = whole(generator, 4, 2)
    # Products are 0 or far from it, also where the query is divided by √4 before.
    both = inputs(whole, 2, [[5, 8, 2, 6]], 0, (4, 4, 2))
    assert isinstance(both["memory"], torch.Tensor)
    # Two of the four scores are large and positive, and not equal; all of it is exact.
    both["memory"] = 2.0**13 * both["memory"][:, :1] * torch.tensor([[1.0], [-1.0], [2.0], [-2.0]])
    return [
        *cases,
        Case("large numbers in the memory: a score far below zero", far),
        Case("large numbers in the memory: two scores far above zero", both),
        Case("17 sources of up to 18 tokens, 21 queries, columns of many sizes", of_many_sizes()),
        Case("a token of zeros in the target and in the memory", zero),
    ]


CHECK = Check(
    name="decoder.cross_attention",
    lesson="06_decoder",
    title="Cross-attention",
    answer="cross_attention",
    returns=("output", "weights"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=5,
    minutes=12,
    forbidden=frozenset({"attention"}),
)
