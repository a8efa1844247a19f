"""flash.traffic: what two orders of the loops move, each with the tile that suits it best."""

import torch
from torch import Generator

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip
from transformer_checks.checks.solutions import solution_of

LESSON, ANSWER = "09_flash_attention", "least_traffic"
Range = tuple[int, int]  # both ends are drawn too
# Queries, keys, width; the memory holds a tile of so many queries and keys, and so much beside it.
CASES: tuple[tuple[str, Range, Range, Range, Range, Range, Range], ...] = (
    ("room for few queries", (6, 8), (5, 9), (2, 3), (2, 3), (1, 1), (1, 2)),
    ("room for few keys", (5, 9), (6, 8), (2, 3), (1, 1), (2, 3), (1, 2)),
    ("no room to spare, queries", (20, 40), (10, 30), (2, 5), (2, 3), (1, 1), (0, 0)),
    ("no room to spare, keys", (10, 30), (20, 40), (2, 5), (1, 1), (2, 3), (0, 0)),
    ("one number short, queries", (20, 40), (10, 30), (2, 5), (3, 4), (1, 1), (-1, -1)),
    ("one number short, keys", (10, 30), (20, 40), (2, 5), (1, 1), (3, 4), (-1, -1)),
    ("narrow, and many scores", (100, 150), (60, 99), (1, 2), (12, 16), (1, 1), (0, 1)),
    ("narrow, and long tiles of keys", (60, 99), (100, 150), (1, 2), (1, 1), (12, 16), (0, 1)),
    ("room for all keys at once", (40, 60), (6, 9), (10, 12), (1, 1), (9, 10), (1, 3)),
    ("wide, and room for all keys", (100, 150), (12, 20), (16, 24), (1, 1), (20, 24), (1, 9)),
    ("many keys, few queries", (3, 5), (100, 150), (4, 9), (1, 1), (5, 7), (1, 3)),
    ("tiles of hundreds of queries", (400, 500), (20, 30), (1, 2), (150, 199), (1, 1), (0, 1)),
    ("tiles of hundreds of keys", (20, 30), (400, 500), (1, 2), (1, 1), (150, 199), (0, 1)),
    ("all queries in one tile", (2000, 2100), (2, 4), (1, 1), (2100, 2200), (1, 1), (0, 1)),
    ("all keys in one tile", (2, 4), (2000, 2100), (1, 1), (1, 1), (2100, 2200), (0, 1)),
    ("one query", (1, 1), (20, 60), (8, 16), (1, 1), (6, 9), (1, 5)),
    ("one key", (20, 60), (1, 1), (8, 16), (6, 9), (1, 1), (1, 5)),
    ("room for one query and one key", (9, 19), (9, 19), (3, 12), (1, 1), (1, 1), (0, 0)),
    ("room for everything", (9, 30), (9, 30), (4, 8), (31, 40), (31, 40), (0, 9)),
)


def _draw(generator: Generator) -> list[Case]:
    return [_case(generator, *case) for case in CASES]


def _case(g: Generator, label: str, *ranges: Range) -> Case:
    """Draw sizes with which the two orders move unequally much."""
    least_traffic = solution_of("flash.traffic", LESSON, ANSWER).run()
    while True:
        queries, keys, width, a, b, spare = (
            int(torch.randint(least, most + 1, (), generator=g)) for least, most in ranges
        )
        capacity = 2 * (a + b) * width + 2 * a + a * b + spare
        inputs = {"queries": queries, "keys": keys, "width": width, "capacity": capacity}
        moved, _ = least_traffic(**inputs)
        if moved[0] != moved[1]:
            return Case(f"{queries} queries, {keys} keys of {width}: {label}", inputs)


_HELD = "2 * (a + b) * width + 2 * a + a * b"
_TALL, _LONG = "math.ceil(queries / tall)", "math.ceil(keys / long)"
_ONCE, _PASSING = "2 * queries * width + ", "queries * (3 * width + 4)"

CHECK = Check(
    name="flash.traffic", lesson=LESSON, title="Which loop goes outside?",
    answer=ANSWER, returns=("moved", "outside"), draw=_draw,
    points=2, difficulty=3, importance=4, minutes=15,
    slips=(
        Slip("values forgotten", {"2 * keys * width": "keys * width"},
             "the values are not counted: they travel with the keys",
             "A tile needs of each key the key and its value."),
        Slip("what is written does not count",
             {_ONCE: "queries * width + ", _PASSING: "queries * (2 * width + 2)"},
             "only what is read is counted, or only one way of it",
             "Outputs are written too: once, or at every visit."),
        Slip("outputs never written", {_ONCE: "queries * width + "},
             "with the queries outside the finished outputs are not written",
             "Where do they go when a tile of queries is done?"),
        Slip("square tiles", {"held(a, 1)": "held(a, a)", "held(1, b)": "held(b, b)"},
             "the tiles are square",
             "Which side makes keys and values come again less often? The other may be short."),
        Slip("outputs take no room", {_HELD: "(a + 2 * b) * width + 2 * a + a * b"},
             "the unfinished outputs take no room in the fast memory",
             "Every query of the tile has one."),
        Slip("outputs and values take no room", {_HELD: "(a + b) * width + 2 * a + a * b"},
             "neither the unfinished outputs nor the values take room in the fast memory",
             "Every query of the tile has an output, every key a value."),
        Slip("queries and outputs take no room", {_HELD: "2 * b * width + 2 * a + a * b"},
             "neither the queries nor their unfinished outputs take room in the fast memory",
             "Every query of the tile has both."),
        Slip("keys and values twice", {_HELD: "(2 * a + 4 * b) * width + 2 * a + a * b",
                                       "<= capacity": "<= max(capacity, held(1, 1))"},
             "there is room for two tiles of keys and values; there need be one",
             "While a tile is computed, nothing else is held."),
        Slip("room for the whole other side", {
                 "held(a, 1) <= capacity": "held(a, keys) <= capacity or a == 1",
                 "held(1, b) <= capacity": "held(queries, b) <= capacity or b == 1",
             },
             "the tile that stays leaves room for all that passes by, at once",
             "How much of the other side must be there at a time?"),
        Slip("capacity in bytes", {
                 "held(a, 1) <= capacity": "4 * held(a, 1) <= capacity or a == 1",
                 "held(1, b) <= capacity": "4 * held(1, b) <= capacity or b == 1",
             },
             "the capacity is taken for bytes of float32; it counts numbers",
             "Leave out the factor 4."),
        Slip("everything fits", {"held(a, 1) <= capacity": "True",
                                 "held(1, b) <= capacity": "True"},
             "the tile takes all queries, or all keys, whether they fit or not",
             "The fast memory holds `capacity` numbers."),
        Slip("again for each query", {_TALL: "queries", _LONG: "keys"},
             "everything comes by for each single query, or key; it does so for each tile of them",
             "What is in the fast memory serves all rows of the tile at once."),
        Slip("the paper's tiles", {
                 "max(a for a in range(1, queries + 1) if held(a, 1) <= capacity)":
                     "min(math.ceil(capacity / (4 * width)), width)",
                 "max(b for b in range(1, keys + 1) if held(1, b) <= capacity)":
                     "math.ceil(capacity / (4 * width))",
             },
             "these are the tiles of the FlashAttention paper: a quarter of the memory for each of "
             "four blocks",
             "Choose for each order the tile with which it moves least."),
    ),
)
