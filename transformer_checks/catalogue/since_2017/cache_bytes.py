"""modern.cache_bytes: what keys and values take, with grouped heads and windows."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        layers: int,
        key_heads: int,
        d_head: int,
        tokens: int,
        width: int,
        window: int | None = None,
        full_every: int | None = None,
    ) -> Case:
        return Case(
            label,
            {
                "layers": layers,
                "key_heads": key_heads,
                "d_head": d_head,
                "tokens": tokens,
                "bytes_per_number": width,
                "window": window,
                "full_every": full_every,
            },
        )

    sizes: list[int] = torch.randint(3, 20, (8,), generator=generator).tolist()
    layers, heads, d_head, window = sizes[:4]
    return [
        case("one layer, one head, one token", 1, 1, 2, 1, 4),
        case("two layers, three tokens", 2, 1, 4, 3, 2),
        case("a window of 3, five tokens", 2, 1, 4, 5, 2, 3),
        case("a window of 5, three tokens", 2, 3, 4, 3, 2, 5),
        case("a window of 3, every second of five layers full", 5, 1, 2, 7, 4, 3, 2),
        case("every third of three layers full", 3, 2, 2, 7, 1, 3, 3),
        case("fewer layers than full_every", 2, 2, 2, 7, 1, 3, 3),
        case("every layer full", 4, 2, 2, 7, 2, 3, 1),
        case("no window, whatever full_every says", 5, 1, 4, 9, 2, None, 2),
        case("a window of one token", 4, 1, 2, 6, 2, 1, 3),
        case("no token yet", 4, 1, 2, 0, 2, 3, 2),
        case("a window as long as the text", 3, 2, 4, 6, 2, 6, 2),
        case("32 layers, 8 key heads of 128, 8192 tokens", 32, 8, 128, 8192, 2),
        case("the same with 32 key heads", 32, 32, 128, 8192, 2),
        case("8 key heads, a window of 4096", 32, 8, 128, 8192, 2, 4096),
        case("42 layers, every second of them full", 42, 8, 256, 8192, 2, 4096, 2),
        case("any sizes", layers, heads, d_head, sizes[4] + 20, 4, window),
        case(
            "any sizes, some layers full",
            layers + sizes[5],
            heads,
            d_head,
            sizes[6] + 20,
            1,
            window,
            sizes[7],
        ),
    ]


CHECK = Check(
    name="modern.cache_bytes",
    lesson="11_since_2017",
    title="The bytes of a cache",
    answer="cache_bytes",
    returns=("bytes",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=5,
    minutes=10,
    rtol=0.0,  # a count is right or wrong
)
