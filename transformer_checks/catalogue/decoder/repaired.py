"""decoder.repaired_generation: a cache that caches, a mask that hides, an end that ends."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.decoder.tables import renamed
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception
from transformer_lesson import seeded

# Found by search: every slip changes what is written, and no choice is nearly a tie.
BASES = (2, 6, 608, 2)

Result = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class _Generation:
    """Generation with two layers and a cache; with a flag set, one thing in it is done wrongly."""

    no_mask: bool = False
    never_stops: bool = False
    stops_at_first: bool = False
    grows_on: bool = False
    keeps_outputs: bool = False
    keeps_inputs: bool = False
    at_place_0: bool = False
    first_key_only: bool = False
    last_unread: bool = False

    def __call__(
        self,
        embedding: Tensor,
        positions: Tensor,
        w_query: Tensor,
        w_key: Tensor,
        w_value: Tensor,
        prompt: Tensor,
        max_tokens: int,
        end_id: int,
        padding_id: int,
    ) -> Result:
        tokens = prompt
        finished = torch.zeros(len(prompt), dtype=torch.bool)
        kept: tuple[Tensor, Tensor] | None = None
        while tokens.shape[1] < max_tokens and not (finished.all() and not self.never_stops):
            if self.stops_at_first and finished.any():
                break
            places = positions[: tokens.shape[1]]
            if self.at_place_0:
                places = positions[:1].expand_as(places)
            x, *kept_now = self._read(embedding[tokens] + places, w_query, w_key, w_value)
            kept = (kept_now[0], kept_now[1])
            chosen = (x[:, -1] @ embedding.T).argmax(-1)
            if not (self.never_stops or self.grows_on):
                chosen = torch.where(finished, padding_id, chosen)
            finished = finished | (chosen == end_id)
            tokens = torch.cat([tokens, chosen[:, None]], dim=1)
        assert kept is not None
        keys, values = kept
        return (tokens, keys[:, :, :-1], values[:, :, :-1]) if self.last_unread else (tokens, *kept)

    def _read(self, x: Tensor, *weights: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        length = x.shape[1]
        position = torch.arange(length)
        mask = position <= position[:, None]
        if self.no_mask:
            mask = torch.ones_like(mask)
        if self.first_key_only:
            mask = (position == 0).expand(length, length)
        kept = []
        for query, key, value in zip(*weights, strict=True):
            scores = (x @ query @ (x @ key).mT / query.shape[-1] ** 0.5).masked_fill(
                ~mask, -torch.inf
            )
            read = x + scores.softmax(-1) @ (x @ value)
            pair = (x, x) if self.keeps_inputs else (x @ key, x @ value)
            kept.append((read, read) if self.keeps_outputs else pair)
            x = read
        keys, values = zip(*kept, strict=True)
        return x, torch.stack(keys), torch.stack(values)


def case(generator: Generator, base: int, label: str, prompt: list[list[int]], most: int) -> Case:
    """Return the case with the weights that belong to ``base``, its words renamed."""
    drawn = seeded(base)
    names = renamed(generator, 7, special=3)
    embedding = 1.2 * torch.randn(7, 4, generator=drawn)
    embedding[0] = 0.1 * embedding[0]  # padding and start are never the most probable
    embedding[1] = 0.1 * embedding[1]
    noise = 0.002 * torch.rand(embedding.shape, generator=generator)
    inputs: dict[str, Value] = {
        "embedding": embedding[names.argsort()] + noise,
        "positions": torch.randn(10, 4, generator=drawn),
        "w_query": torch.randn(2, 4, 4, generator=drawn),
        "w_key": torch.randn(2, 4, 4, generator=drawn),
        "w_value": torch.randn(2, 4, 4, generator=drawn),
        "prompt": names[torch.tensor(prompt)],
        "max_tokens": most,
        "end_id": 2,
        "padding_id": 0,
    }
    return Case(label, inputs)


CASES: tuple[tuple[str, list[list[int]], int], ...] = (
    ("one sentence", [[1]], 4),
    ("one sentence that ends", [[1]], 9),
    ("three sentences that end one after the other", [[3], [4], [5]], 9),
    ("two sentences, no room to finish", [[1], [6]], 5),
)


def _draw(generator: Generator) -> list[Case]:
    return [case(generator, base, *rest) for base, rest in zip(BASES, CASES, strict=True)]


REPAIRED_GENERATION = Check(
    name="decoder.repaired_generation",
    lesson="06_decoder",
    title="Bug hunt: the cache that caches nothing",
    answer="repaired_generation",
    returns=("tokens", "keys", "values"),
    points=3,
    difficulty=4,
    importance=4,
    minutes=25,
    draw=_draw,
    reference=_Generation(),
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "unchanged",
            _Generation(no_mask=True, never_stops=True, keeps_outputs=True),
            "all three mistakes are still there",
            "Who reads the cache? What does an early token see? What happens after the end?",
        ),
        Misconception(
            "only the end repaired",
            _Generation(no_mask=True, keeps_outputs=True),
            "it stops now; early tokens still see later ones, and no keys are kept",
            "Change the last token: the keys of those before it should not move.",
        ),
        Misconception(
            "mask forgotten",
            _Generation(no_mask=True),
            "earlier tokens see later ones: their keys in layer 1 change with every step",
            "Read each token once, when it is new. What can it see then?",
        ),
        Misconception(
            "never stops",
            _Generation(never_stops=True),
            "it writes on behind the end token",
            "A row is finished once it has written end_id; padding follows.",
        ),
        Misconception(
            "finished rows write on",
            _Generation(grows_on=True),
            "a row that has ended goes on writing until all others have ended",
            "What should stand behind the end of a finished row?",
        ),
        Misconception(
            "stops when the first row ends",
            _Generation(stops_at_first=True),
            "all rows stop as soon as one of them has ended",
            "`any` or `all`?",
        ),
        Misconception(
            "layer outputs kept",
            _Generation(keeps_outputs=True),
            "what is kept are the outputs of the layers, not keys and values",
            "The next query needs `x @ key` and `x @ value` of every layer.",
        ),
        Misconception(
            "layer inputs kept",
            _Generation(keeps_inputs=True),
            "what is kept are the inputs of the layers, not keys and values",
            "Keep what the projections made of them, or each step must project them again.",
        ),
        Misconception(
            "every token at place 0",
            _Generation(at_place_0=True),
            "every new token gets the first position",
            "The new token comes alone, but it stands behind those in the cache.",
        ),
        Misconception(
            "mask aligned to the first key",
            _Generation(first_key_only=True),
            "the new token attends to key 0 alone, as a causal mask of one row would allow",
            "The one query is the *last* token. Which keys may it see?",
        ),
        Misconception(
            "one token missing in the cache",
            _Generation(last_unread=True),
            "the keys of the last token that was read are missing",
            "Each token that the model reads leaves a key and a value in every layer.",
        ),
    ),
    hints=(
        "Keep for each layer the keys and values so far. In each step only `tokens[:, -1:]` goes "
        "through the layers, at position `tokens.shape[1] - 1`.",
        "In a layer: append `x @ key` and `x @ value` of the new row, then let its query attend to "
        "all keys. That needs no mask: nothing later has been read.",
        "Stopping is as in exercise 4: `finished`, padding for finished rows, and the loop ends "
        "when all are.",
        "The keys come back as (layers, batch, tokens read, d_model): every token but the last "
        "one written has been read.",
    ),
)
