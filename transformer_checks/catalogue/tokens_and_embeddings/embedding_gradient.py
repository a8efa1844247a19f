"""tokens.embedding_gradient: what a lookup sends back to its table."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, draw: Draw, ids: list[list[int]], vocab_size: int, d_model: int) -> Case:
        tokens = torch.tensor(ids)
        upstream = draw(generator, *tokens.shape, d_model)
        return Case(label, {"ids": tokens, "upstream": upstream, "vocab_size": vocab_size})

    def large(generator: Generator, *shape: int) -> Tensor:
        return 100 * tidy(generator, *shape)

    many = torch.randint(2, 9, (3, 10), generator=generator).tolist()
    return [
        case("one sentence of two words, vocabulary 4", tidy, [[2, 1]], 4, 2),
        case("a word twice", tidy, [[3, 1, 3]], 5, 2),
        case("a word three times, in two sentences", tidy, [[1, 4, 1], [0, 1, 2]], 6, 2),
        case("word 0, twice, large gradients", large, [[0, 2, 0]], 3, 3),
        case("the last words of the vocabulary unused", tidy, [[1, 0], [1, 2]], 7, 3),
        case("3 sentences of 10 words, d_model 6", normal, many, 12, 6),
        case("3 sentences of one word", tidy, [[1], [3], [1]], 4, 2),
        case("18 sentences of 20 words, vocabulary 42, d_model 17", normal,
             torch.randint(40, (18, 20), generator=generator).tolist(), 42, 17),
        case("a word twice in a row, d_model 1", tidy, [[3, 3, 1]], 5, 1),
    ]


_IDS = "ids.flatten()"
_UPSTREAM = "upstream.flatten(0, 1)"
_SUM = f"gradient.index_add_(0, {_IDS}, {_UPSTREAM})"
_USES = f"torch.bincount({_IDS}, minlength=vocab_size)[:, None]"
_LAST_USE = {
    f"return {_SUM}": f"for token, row in zip({_IDS}, {_UPSTREAM}):\n"
    "        gradient[token] = row\n"
    "    return gradient"
}

CHECK = Check(
    name="tokens.embedding_gradient", lesson="01_tokens_and_embeddings",
    title="The gradient of a lookup",
    answer="embedding_gradient", returns=("gradient",), draw=_draw,
    points=2, difficulty=3, importance=4, minutes=8,
    slips=(
        Slip("the last use wins", _LAST_USE,
             "a row that was used more than once holds only the gradient of its last use",
             "gradient[ids] += … reads all rows before it writes any. Which operation adds one "
             "after the other?"),
        Slip("the first use wins",
             _LAST_USE | {_IDS: f"{_IDS}.flip(0)", _UPSTREAM: f"{_UPSTREAM}.flip(0)"},
             "a row that was used more than once holds only the gradient of its first use",
             "Each use contributes: the gradients add up."),
        Slip("mean over the uses", {_SUM: f"{_SUM} / {_USES}.clamp(min=1)"},
             "a row holds the mean of the gradients of its uses",
             "A product with a one-hot matrix sums; it does not average."),
        Slip("last use times number of uses",
             _LAST_USE | {"return gradient": f"return gradient * {_USES}"},
             "the gradient of the last use is multiplied by the number of uses",
             "The uses have different gradients. Add them."),
        Slip("divided by the batch", {_SUM: f"{_SUM} / len(ids)"},
             "the gradient is divided by the number of sentences",
             "If a loss is a mean, upstream already includes the division."),
        Slip("divided by the tokens", {_SUM: f"{_SUM} / ids.numel()"},
             "the gradient is divided by the number of tokens",
             "If a loss is a mean, upstream already includes the division."),
        Slip("upstream ignored", {_UPSTREAM: f"torch.ones_like({_UPSTREAM})"},
             "a row holds how often it was used, whatever upstream is",
             "Chain rule: what arrives from above is passed on to the row."),
        Slip("once a sentence", {
                 f"return {_SUM}":
                     "for row, rows in zip(ids, upstream):\n"
                     "        used = torch.zeros_like(gradient)\n"
                     "        used[row] = rows\n"
                     "        gradient += used\n"
                     "    return gradient",
             },
             "of a word that stands twice in a sentence only the last use counts",
             "Each use contributes, in one sentence as in two."),
        Slip("row 0 taken for padding",
             {f"return {_SUM}": f"{_SUM}\n    gradient[0] = 0.0\n    return gradient"},
             "row 0 gets no gradient", "Nothing here says that id 0 is padding."),
        Slip("used rows only", {_SUM: f"{_SUM}[ids.unique()]"},
             "only the rows that were used come back",
             "One row for each word of the vocabulary; unused ones are zero."),
        Slip("the first column alone",
             {_SUM: f"gradient.scatter_add_(0, {_IDS}[:, None], {_UPSTREAM})"},
             "only the first column is summed; all others are zero",
             "`scatter_add_` adds as many columns as its index has. `index_add_` adds whole rows."),
        Slip("one sentence only", {_IDS: "ids[0]", _UPSTREAM: "upstream[0]"},
             "only the first sentence of the batch counts",
             "Flatten batch and tokens into one axis first."),
    ),
)
