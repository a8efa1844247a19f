"""decoder.cross_attention: queries from the target, keys and values from the source."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor]


def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, width: float = 0.0) -> Result:
    scores = query @ key.mT / (width or query.shape[-1]) ** 0.5
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~mask, lowest).softmax(-1).masked_fill(~mask, 0.0)
    return weights @ value, weights


def _real(source: Tensor, padding_id: int) -> Tensor:
    return source.ne(padding_id).unsqueeze(1)


def _reference(
    target: Tensor,
    memory: Tensor,
    source: Tensor,
    padding_id: int,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
) -> Result:
    mask = _real(source, padding_id)
    return _attend(target @ w_query, memory @ w_key, memory @ w_value, mask)


def _inputs(
    generator: Generator,
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


def _draw(generator: Generator) -> list[Case]:
    two = [[5, 8, 2, 6], [7, 4, 0, 0]]
    three = [[4, 9, 1, 1, 1], [1, 1, 6, 7, 8], [9, 3, 5, 1, 0]]
    hidden = _inputs(generator, tidy, 2, two, 0, (4, 2, 2))
    assert isinstance(hidden["memory"], Tensor)
    hidden["memory"][1, 2:] = 1000.0
    return [
        Case(
            "2 target tokens, 3 source tokens",
            _inputs(generator, tidy, 2, [[5, 8, 2]], 0, (4, 2, 2)),
        ),
        Case(
            "3 target and 3 source tokens", _inputs(generator, tidy, 3, [[5, 8, 2]], 0, (2, 2, 2))
        ),
        Case("a source with padding", _inputs(generator, tidy, 2, two, 0, (4, 2, 3))),
        Case("large numbers in the padding of the memory", hidden),
        Case("padding id 1, d_value 5", _inputs(generator, normal, 4, three, 1, (6, 3, 5))),
        Case("as many target as source tokens", _inputs(generator, normal, 4, two, 0, (6, 3, 3))),
        Case(
            "a source that is all padding",
            _inputs(generator, tidy, 2, [[6, 4], [0, 0]], 0, (4, 2, 2)),
        ),
        Case("gradients", _inputs(generator, normal, 3, two, 0, (6, 3, 2)), gradients=True),
    ]


@dataclass(frozen=True)
class _Slip:
    """Cross-attention with one thing done wrongly."""

    query_from: str = "target"
    keys_from: str = "memory"
    value_as_key: bool = False
    mask: str = "padding"
    fill: float = 0.0
    after_softmax: bool = False
    width: float | None = None
    exchanged: bool = False
    zeroed: bool = False

    def __call__(
        self,
        target: Tensor,
        memory: Tensor,
        source: Tensor,
        padding_id: int,
        w_query: Tensor,
        w_key: Tensor,
        w_value: Tensor,
    ) -> Result:
        if self.exchanged:
            w_query, w_key = w_key, w_query
        if self.zeroed:
            memory = memory.masked_fill((source == padding_id)[..., None], 0.0)
        given = {"target": target, "memory": memory}
        query, read = given[self.query_from], given[self.keys_from]
        key, value = read @ w_key, read @ (w_key if self.value_as_key else w_value)
        mask = self._mask(_real(source, padding_id), query.shape[1], read.shape[1])
        if not (self.fill or self.after_softmax):
            width = 0 if self.width is None else self.width or target.shape[-1]
            return _attend(query @ w_query, key, value, mask, width)
        scores = query @ w_query @ key.mT / w_query.shape[-1] ** 0.5
        if self.after_softmax:
            weights = scores.softmax(-1) * mask
        else:
            weights = scores.masked_fill(~mask, self.fill).softmax(-1)
        return weights @ value, weights

    def _mask(self, real: Tensor, queries: int, keys: int) -> Tensor:
        causal = torch.ones(queries, keys, dtype=torch.bool).tril()
        everything = torch.ones(1, 1, 1, dtype=torch.bool)
        match self.mask:
            case "none":
                return everything
            case "inverted":
                return ~real
            case "causal":
                return causal.expand(len(real), queries, keys)
            case "both":
                return real & causal
            case _:
                return real


CROSS_ATTENTION = Check(
    name="decoder.cross_attention",
    lesson="06_decoder",
    title="Cross-attention",
    answer="cross_attention",
    returns=("output", "weights"),
    points=2,
    difficulty=3,
    importance=5,
    minutes=12,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "roles swapped",
            _Slip(query_from="memory", keys_from="target", mask="none"),
            "the queries come from the source: there is a row for each source token",
            "Who asks? The target does: one row of weights for each target token.",
        ),
        Misconception(
            "memory ignored",
            _Slip(keys_from="target", mask="none"),
            "keys and values come from the target: the source is never read",
            "Change the memory: the output should move. Where does the memory enter?",
        ),
        Misconception(
            "no padding mask",
            _Slip(mask="none"),
            "the padding of the source is attended to",
            "Which keys are real? `source` tells.",
        ),
        Misconception(
            "causal mask added",
            _Slip(mask="both"),
            "a causal mask hides late source words from early target words",
            "The source is known to its end. Only its padding must be hidden.",
        ),
        Misconception(
            "causal mask instead of padding mask",
            _Slip(mask="causal"),
            "a causal mask stands where the padding mask of the source belongs",
            "The source is known to its end. Only its padding must be hidden.",
        ),
        Misconception(
            "padding mask inverted",
            _Slip(mask="inverted"),
            "the mask is inverted: only the padding is attended to",
            "True means: may attend.",
        ),
        Misconception(
            "mask after the softmax",
            _Slip(after_softmax=True),
            "the mask comes after the softmax: rows no longer sum to one",
            "Hidden keys must not take part in the softmax.",
        ),
        Misconception(
            "-inf and an empty source",
            _Slip(fill=-torch.inf),
            "a source that is all padding gives NaN",
            "Fill with the lowest finite number, and set the hidden weights to 0 afterwards.",
        ),
        Misconception(
            "-1e9 and an empty source",
            _Slip(fill=-1e9),
            "a source that is all padding is averaged as if it were text",
            "After the softmax the hidden weights must be exactly 0.",
        ),
        Misconception(
            "value projected as key",
            _Slip(value_as_key=True),
            "the values are projected with w_key",
            "Values have a projection of their own: w_value.",
        ),
        Misconception(
            "w_query and w_key exchanged",
            _Slip(exchanged=True),
            "the queries are made with w_key and the keys with w_query",
            "Which matrix belongs to the side that asks?",
        ),
        Misconception(
            "padding zeroed instead of hidden",
            _Slip(zeroed=True, mask="none"),
            "the memory is set to zero where there is padding: a score of 0 still gets a weight",
            "Hide the padding in the scores, before the softmax.",
        ),
        Misconception(
            "not scaled",
            _Slip(width=1.0),
            "the scores are not scaled",
            "Cross-attention is scaled as any other: by √d_head.",
        ),
        Misconception(
            "scaled by √d_model",
            _Slip(width=0.0),  # stands for d_model
            "the divisor is √d_model; the dot product has d_head terms",
            "How wide are the vectors whose dot product is taken?",
        ),
    ),
    hints=(
        "It is attention as in lesson 02. The queries are `target @ w_query`; what are keys and "
        "values made of?",
        "The mask hides keys, and the keys are the source's: `(source != padding_id)[:, None, :]` "
        "lines up with weights of (batch, target tokens, source tokens).",
        "Two fills, as in lesson 02: the lowest finite number before the softmax, 0 after it.",
    ),
)
