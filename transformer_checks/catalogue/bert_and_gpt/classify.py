"""bert.classify: a small head on the hidden states."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, lengths: tuple[int, ...], sizes: tuple[int, int], pool: str,
        padding_id: int = 0, *, draw: Draw = normal, loud: float = 1.0, gradients: bool = False,
    ) -> Case:
        d_model, classes = sizes
        shape = (len(lengths), max(lengths))
        tokens = torch.randint(10, 20, shape, generator=generator)
        hidden = draw(generator, *shape, d_model)
        for row, states, length in zip(tokens, hidden, lengths, strict=True):
            row[length:] = padding_id
            states[length:] *= loud
        return Case(label, {
            "hidden": hidden, "tokens": tokens, "weight": draw(generator, classes, d_model),
            "bias": 0.5 + draw(generator, classes), "padding_id": padding_id, "pool": pool,
        }, gradients)

    cases = [
        case("one text, its first token", (2,), (3, 2), "first", draw=tidy),
        case("one text, the mean", (2,), (3, 2), "mean", draw=tidy),
        case("two texts, the second with padding, mean", (3, 2), (4, 3), "mean"),
        case("padding id 7, mean", (4, 1, 3), (5, 2), "mean", 7),
        case("a million in the states of padding, mean", (2, 5), (4, 3), "mean", loud=1e6),
        case("a text without tokens, mean", (3, 0), (4, 2), "mean"),
        case("three texts, first token", (5, 2, 4), (3, 4), "first"),
        case("padding id 128000, mean", (4, 1, 3), (5, 2), "mean", 128_000),
        case("a text without tokens, one class, first token", (3, 0), (4, 1), "first"),
        case("texts of one token, one class, mean", (1, 0), (3, 1), "mean"),
        case("gradients of the mean", (3, 2), (4, 3), "mean", gradients=True),
    ]
    beside: dict[str, Value] = {
        "hidden": normal(generator, 2, 3, 4), "tokens": torch.tensor([[15, 19, 11], [15, 15, 13]]),
        "weight": normal(generator, 2, 4), "bias": normal(generator, 2), "padding_id": 15,
        "pool": "mean",
    }
    tokens = torch.randint(30, (18, 20), generator=generator)
    tokens[torch.rand(18, 20, generator=generator) < 0.3] = 23
    tokens[0] = torch.tensor([23, 23, 23, 24]).repeat(5)  # the thousandths of `uneven` alone
    many: dict[str, Value] = {"hidden": uneven(generator, 18, 20, 17), "tokens": tokens,
                              "weight": normal(generator, 19, 17), "bias": normal(generator, 19),
                              "padding_id": 23, "pool": "mean"}
    sizes: dict[str, Value] = {
        "hidden": normal(generator, 18, 20, 17), "weight": uneven(generator, 19, 17),
        "bias": uneven(generator, 19, 1)[:, 0], "pool": "first",
    }
    return [
        *cases,
        Case("padding id 15, on the left, with smaller and larger ids beside it", beside),
        Case("the same texts, first token", {**beside, "pool": "first"}),
        Case("18 texts of 20 tokens, states of many sizes, mean", many),
        Case("18 texts, weights and biases of many sizes, first token", {**many, **sizes}),
    ]


_COUNT = "real.sum(1).clamp(min=1)"
_MEAN = f"(hidden * real).sum(1) / {_COUNT}"

CHECK = Check(
    name="bert.classify", lesson="08_bert_and_gpt", title="A classification head",
    answer="classify", returns=("logits",), draw=_draw,
    points=2, difficulty=2, importance=4, minutes=10, atol=1e-4,
    slips=(
        Slip("padding in the mean", {_MEAN: "hidden.mean(1)"},
             "the mean runs over the padding too: "
             "the same text gets other logits in a longer batch",
             "Sum over the real tokens, divide by their number."),
        Slip("divided by the padded length", {_COUNT: "tokens.shape[1]"},
             "padding is set to zero, but the sum is divided by the padded length",
             "Divide by the number of real tokens of each text."),
        Slip("a sum", {f" / {_COUNT}": ""},
             "this is the sum over the tokens: long texts get louder",
             "Divide by the number of real tokens of each text."),
        Slip("divided by all tokens of the batch", {_COUNT: "real.sum()"},
             "every text is divided by the number of tokens of the whole batch",
             "Each text has its own number of real tokens: sum with keepdim."),
        Slip("largest instead of mean", {
                 _MEAN:
                     "hidden.masked_fill(~real, -torch.inf).amax(1)"
                     ".masked_fill(~real.any(1), 0)",
             },
             "this takes the largest number of each feature, not the mean",
             "`pool` is 'mean'."),
        Slip("always the mean", {'pool == "first"': "False"},
             "the mean is taken, whatever pool says", "`pool` decides between the two."),
        Slip("the other way round", {'pool == "first"': 'pool == "mean"'},
             "'first' takes the mean, and 'mean' the first token", "Take the one that pool names."),
        Slip("the last real token",
             {_MEAN: f"hidden[torch.arange(len(hidden)), {_COUNT}[:, 0] - 1]"},
             "this takes the last real token: right for GPT, but not asked for here",
             "`pool` is 'mean'."),
        Slip("a tanh, as in BERT's pooler", {"hidden[:, 0]": "hidden[:, 0].tanh()"},
             "'first' sends the first state through a tanh; BERT's own pooler does so, behind a "
             "layer of its own",
             "Here nothing comes between the state and the one linear layer."),
        Slip("no bias", {" + bias": ""}, "the bias is missing",
             "A head is a linear layer: pooled · weightᵀ + bias."),
        families.padding_id_fixed({"!= padding_id": "!= 0"}),
        Slip("the last position", {"hidden[:, 0]": "hidden[:, -1]"},
             "'first' takes the last position", "[cls] stands at position 0."),
    ),
)
