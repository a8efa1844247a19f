"""decoder.repaired_generation: a cache that caches, a mask that hides, an end that ends."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Repair
from transformer_checks.catalogue.decoder.tables import renamed
from transformer_checks.catalogue.draws import spread
from transformer_lesson import seeded

# `python -m authoring.bases decoder.repaired_generation` finds them: every slip changes what is
# written. With the last two, some sentences end and others do not.
BASES = (2, 6, 608, 2, 4979, 508, 164, 28, 56)


def _draw(generator: Generator) -> list[Case]:
    def case(
        base: int,
        label: str,
        prompt: list[list[int]],
        most: int,
        sizes: tuple[int, int] = (2, 4),
        end_id: int = 2,
        padding_id: int = 0,
        vocabulary: int = 7,
        most_products: int | None = None,
        rare: tuple[int, ...] = (0, 1),
    ) -> Case:
        """The weights belong to ``base``; its words are renamed. ``rare``: never written."""
        drawn = seeded(base)
        layers, d_model = sizes
        names = renamed(generator, vocabulary, special=max(end_id, padding_id) + 1)
        embedding = 1.2 * torch.randn(vocabulary, d_model, generator=drawn)
        embedding[list(rare)] *= 0.1
        noise = 0.002 * torch.rand(embedding.shape, generator=generator)
        return Case(
            label,
            {
                "embedding": embedding[names.argsort()] + noise,
                "positions": torch.randn(vocabulary + 3, d_model, generator=drawn),
                "w_query": torch.randn(layers, d_model, d_model, generator=drawn),
                "w_key": torch.randn(layers, d_model, d_model, generator=drawn),
                "w_value": torch.randn(layers, d_model, d_model, generator=drawn),
                "prompt": names[torch.tensor(prompt)],
                "max_tokens": most,
                "end_id": end_id,
                "padding_id": padding_id,
            },
            most_products=most_products,
        )

    def of_many_sizes() -> Case:
        label = "17 sentences of up to 19 tokens, width 18, columns of many sizes"
        prompt = 3 * [[3], [5], [17], [18], [20], [22]]
        sizes, most = (2, 18), 2_000_000  # whoever projects past keys again makes 2.6 million
        drawn = case(BASES[8], label, prompt[:17], 19, sizes, 19, 21, 24, most, rare=(21,))
        size = spread(18).clamp(max=64)  # or the largest alone would choose the words
        read = 0.2 / size[:, None]
        factors = {
            "embedding": size,
            "positions": size,
            "w_query": read,
            "w_key": read,
            "w_value": read * size.clamp(max=1),  # what is added to small numbers is small too
        }
        for name, by in factors.items():
            numbers = drawn.inputs[name]
            assert isinstance(numbers, Tensor)
            numbers.mul_(by)[..., :9, 0] = 0.0
        return drawn

    return [
        case(BASES[0], "one sentence", [[1]], 4),
        case(BASES[1], "one sentence that ends", [[1]], 9),
        case(BASES[2], "three sentences that end one after the other", [[3], [4], [5]], 9),
        case(BASES[3], "two sentences, no room to finish", [[1], [6]], 5),
        case(
            BASES[4],
            "3 layers of width 6, end id 3 with smaller and larger ids, padding id 1",
            [[4], [5], [6]],
            9,
            (3, 6),
            3,
            1,
            most_products=20_000,
        ),
        case(
            BASES[5],
            "2 layers of width 5, and 8 words: end id 3, padding id 4",
            [[5], [6], [7]],
            9,
            (2, 5),
            3,
            4,
            vocabulary=8,
            rare=(0, 1, 4),
        ),
        case(
            BASES[6],
            "a prompt that is end_id, and a row that writes padding_id",
            [[2], [3]],
            9,
            rare=(1,),
        ),
        case(
            BASES[7],
            "end id 0, padding id 1",
            [[2], [3], [4]],
            9,
            end_id=0,
            padding_id=1,
            rare=(1,),
        ),
        case(
            BASES[7],
            "id 0 is a word, end id 1, padding id 2",
            [[0], [3], [4]],
            9,
            end_id=1,
            padding_id=2,
            rare=(2,),
        ),
        of_many_sizes(),
        case(
            BASES[2],
            "three sentences, and the end token is the padding, too",
            [[3], [4], [5]],
            9,
            padding_id=2,
        ),
    ]


_STOP = " and not finished.all()"
_FILL = ".masked_fill(finished, padding_id)"
# Some hand in the broken version, with some of its three mistakes repaired.
_BROKEN = {"repaired_generation": "another", "broken_generation": "repaired_generation"}
_END_REPAIRED = {
    "cache = prompt, []": "cache = prompt, []\n    finished = torch.zeros(len(prompt)).bool()",
    "< max_tokens:": f"< max_tokens{_STOP}:",
    "argmax(-1)\n": f"argmax(-1){_FILL}\n        finished = finished | (chosen == end_id)\n",
}
_MASK_REPAIRED = {
    "math.sqrt(x.shape[-1])": "math.sqrt(x.shape[-1])\n"
    "            future = torch.ones_like(scores[0]).triu(1).bool()\n"
    "            scores = scores.masked_fill(future, -math.inf)"
}

_KEPT_REPAIRED = {
    "            scores = x @ query": "            cache.append((x @ key, x @ value))\n"
    "            scores = x @ query",
    "            cache.append(x)  # the past is kept for the next step\n": "",
    "torch.stack(cache), torch.stack(cache)": "*map(torch.stack, zip(*cache))",
}

CHECK = Check(
    name="decoder.repaired_generation",
    lesson="06_decoder",
    title="Bug hunt: the cache that caches nothing",
    answer="repaired_generation",
    returns=("tokens", "keys", "values"),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=4,
    minutes=25,
    forbidden=frozenset({"attention"}),
    atol=3e-5,  # keys are as large as 20, and each layer rounds anew
    broken=_BROKEN,
    repairs=(
        Repair("it stops at the end token", _END_REPAIRED),
        Repair("no token sees a later one", _MASK_REPAIRED),
        Repair("keys and values come back", _KEPT_REPAIRED),
    ),
)
