"""tokens.embedding_gradient: what a lookup sends back to its table."""

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _reference(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    one_hot = F.one_hot(ids, vocab_size).to(upstream.dtype)
    return torch.einsum("btv,btd->vd", one_hot, upstream)


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, draw: Draw, ids: list[list[int]], vocab_size: int, d_model: int) -> Case:
        tokens = torch.tensor(ids)
        upstream = draw(generator, *tokens.shape, d_model)
        return Case(label, {"ids": tokens, "upstream": upstream, "vocab_size": vocab_size})

    many = torch.randint(2, 9, (3, 10), generator=generator).tolist()
    return [
        case("one sentence of two words, vocabulary 4", tidy, [[2, 1]], 4, 2),
        case("a word twice", tidy, [[3, 1, 3]], 5, 2),
        case("a word three times, in two sentences", tidy, [[1, 4, 1], [0, 1, 2]], 6, 2),
        case("word 0, twice", tidy, [[0, 2, 0]], 3, 3),
        case("the last words of the vocabulary unused", tidy, [[1, 0], [1, 2]], 7, 3),
        case("3 sentences of 10 words, d_model 6", normal, many, 12, 6),
    ]


def _last_wins(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    gradient = upstream.new_zeros(vocab_size, upstream.shape[-1])
    for token, row in zip(ids.flatten().tolist(), upstream.flatten(0, 1), strict=True):
        gradient[token] = row
    return gradient


def _first_wins(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    return _last_wins(ids.flip(0, 1), upstream.flip(0, 1), vocab_size)


def _uses(ids: Tensor, vocab_size: int) -> Tensor:
    return torch.bincount(ids.flatten(), minlength=vocab_size)[:, None]


def _mean(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    return _reference(ids, upstream, vocab_size) / _uses(ids, vocab_size).clamp(min=1)


def _times_uses(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    return _last_wins(ids, upstream, vocab_size) * _uses(ids, vocab_size)


def _batch_mean(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    return _reference(ids, upstream, vocab_size) / len(ids)


def _token_mean(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    return _reference(ids, upstream, vocab_size) / ids.numel()


def _ones(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    return _reference(ids, torch.ones_like(upstream), vocab_size)


def _padding_assumed(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    gradient = _reference(ids, upstream, vocab_size)
    gradient[0] = 0.0
    return gradient


def _used_rows_only(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    return _reference(ids, upstream, vocab_size)[ids.unique()]


def _to_largest_id(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    return _reference(ids, upstream, vocab_size)[: int(ids.max()) + 1]


def _transposed(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    return _reference(ids, upstream, vocab_size).T


def _first_sentence(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    return _reference(ids[:1], upstream[:1], vocab_size)


EMBEDDING_GRADIENT = Check(
    name="tokens.embedding_gradient",
    lesson="01_tokens_and_embeddings",
    title="The gradient of a lookup",
    answer="embedding_gradient",
    returns=("gradient",),
    points=2,
    difficulty=3,
    importance=4,
    minutes=8,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "the last use wins",
            _last_wins,
            "a row that was used more than once holds only the gradient of its last use",
            "gradient[ids] += … reads all rows before it writes any. Which operation adds one "
            "after the other?",
        ),
        Misconception(
            "the first use wins",
            _first_wins,
            "a row that was used more than once holds only the gradient of its first use",
            "Each use contributes: the gradients add up.",
        ),
        Misconception(
            "mean over the uses",
            _mean,
            "a row holds the mean of the gradients of its uses",
            "A product with a one-hot matrix sums; it does not average.",
        ),
        Misconception(
            "last use times number of uses",
            _times_uses,
            "the gradient of the last use is multiplied by the number of uses",
            "The uses have different gradients. Add them.",
        ),
        Misconception(
            "divided by the batch",
            _batch_mean,
            "the gradient is divided by the number of sentences",
            "If a loss is a mean, upstream has the division in it already.",
        ),
        Misconception(
            "divided by the tokens",
            _token_mean,
            "the gradient is divided by the number of tokens",
            "If a loss is a mean, upstream has the division in it already.",
        ),
        Misconception(
            "upstream ignored",
            _ones,
            "a row holds how often it was used, whatever upstream is",
            "Chain rule: what arrives from above is passed on to the row.",
        ),
        Misconception(
            "row 0 taken for padding",
            _padding_assumed,
            "row 0 gets no gradient",
            "Nothing here says that id 0 is padding.",
        ),
        Misconception(
            "used rows only",
            _used_rows_only,
            "only the rows that were used come back",
            "One row for each word of the vocabulary; unused ones are zero.",
        ),
        Misconception(
            "cut at the largest id",
            _to_largest_id,
            "there are only as many rows as the largest id asks for",
            "One row for each word of the vocabulary; unused ones are zero.",
        ),
        Misconception(
            "transposed",
            _transposed,
            "the gradient is (d_model, vocab_size)",
            "A gradient has the shape of what it belongs to, the table.",
        ),
        Misconception(
            "one sentence only",
            _first_sentence,
            "only the first sentence of the batch counts",
            "Flatten batch and tokens into one axis first.",
        ),
    ),
    hints=(
        "Section 10 wrote the lookup as `one_hot @ table`. What is the gradient of a matrix "
        "product with respect to its right factor?",
        "It is `one_hot.T @ upstream`, with batch and tokens as one axis.",
        "Without one-hot rows: `index_add_` on zeros, with `ids.flatten()` and "
        "`upstream.flatten(0, 1)`.",
    ),
)
