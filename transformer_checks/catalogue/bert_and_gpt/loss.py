"""bert.loss: loss and accuracy where something was asked."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor]


def _losses(logits: Tensor, tokens: Tensor) -> Tensor:
    return -logits.log_softmax(-1).gather(-1, tokens[..., None])[..., 0]


def _right(logits: Tensor, tokens: Tensor) -> Tensor:
    return (logits.argmax(-1) == tokens).to(logits.dtype)


def _mean(values: Tensor, places: Tensor) -> Tensor:
    """Mean over the places; 0 where there is none."""
    return values[places].sum() / places.sum().clamp(min=1)


def _reference(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    return (
        _mean(_losses(logits, tokens), chosen),
        _mean(_right(logits, tokens), chosen),
    )


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        counts: tuple[int, ...],
        length: int,
        vocabulary: int,
        *,
        draw: Draw = normal,
        copies: bool = True,
        gradients: bool = False,
    ) -> Case:
        shape = (len(counts), length)
        logits = 2 * draw(generator, *shape, vocabulary)
        tokens = torch.randint(vocabulary, shape, generator=generator)
        chosen = torch.zeros(shape, dtype=torch.bool)
        for row, count in zip(chosen, counts, strict=True):
            row[torch.randperm(length, generator=generator)[:count]] = True
        if copies:  # as in a trained model: what stands there is copied, what is hidden is not
            visible = torch.nn.functional.one_hot(tokens, vocabulary) * ~chosen[..., None]
            logits = logits + 6 * visible
        return Case(label, {"logits": logits, "tokens": tokens, "chosen": chosen}, gradients)

    logits = torch.zeros(1, 3, 4)
    logits[..., 2] = 1 + torch.randint(3, (), generator=generator)
    hand = Case(
        "three places, one chosen, all logits 0 but one",
        {
            "logits": logits,
            "tokens": torch.tensor([[1, 2, 3]]),
            "chosen": torch.tensor([[False, True, False]]),
        },
    )
    return [
        hand,
        case("one text, two places chosen", (2,), 5, 4, draw=tidy),
        case("two texts, one and four places chosen", (1, 4), 6, 5),
        case("one text in which nothing was chosen", (3, 0, 2), 5, 6),
        case("nothing chosen at all", (0, 0), 4, 5),
        case("many places", (5, 3, 7, 1), 20, 7, copies=False),
        case("gradients", (2, 1), 4, 5, gradients=True),
    ]


def _all_places(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    return _losses(logits, tokens).mean(), _right(logits, tokens).mean()


def _zeroed(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    return (_losses(logits, tokens) * chosen).mean(), (_right(logits, tokens) * chosen).mean()


def _sums(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    return _losses(logits, tokens)[chosen].sum(), _right(logits, tokens)[chosen].sum()


def _by_text(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    rows = [_reference(*row) for row in zip(logits, tokens, chosen, strict=True)]
    return torch.stack([r[0] for r in rows]).mean(), torch.stack([r[1] for r in rows]).mean()


def _masked_logits(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    return _all_places(logits * chosen[..., None], tokens * chosen, chosen)


def _nan(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    return _losses(logits, tokens)[chosen].mean(), _right(logits, tokens)[chosen].mean()


def _shifted(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    return _reference(logits[:, :-1], tokens[:, 1:], chosen[:, 1:])


LOSS = Check(
    name="bert.loss",
    lesson="08_bert_and_gpt",
    title="Loss where something was asked",
    answer="masked_loss",
    returns=("loss", "accuracy"),
    points=2,
    difficulty=2,
    importance=5,
    minutes=10,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "all places counted",
            _all_places,
            "every place is counted: most of them are answered by copying",
            "Take both means over the chosen places alone.",
        ),
        Misconception(
            "divided by all places",
            _zeroed,
            "the others are set to zero, but the sums are divided by all places",
            "By how many places must the sums be divided?",
        ),
        Misconception(
            "not divided",
            _sums,
            "these are sums over the chosen places, not means",
            "Divide by the number of chosen places.",
        ),
        Misconception(
            "a mean of texts",
            _by_text,
            "each text gets the same weight, however many of its words were chosen",
            "One sum over all chosen places of the batch, one division.",
        ),
        Misconception(
            "the others counted",
            lambda logits, tokens, chosen: _reference(logits, tokens, ~chosen),
            "the places that were *not* chosen are counted",
            "True marks what was asked.",
        ),
        Misconception(
            "nothing divided by nothing",
            _nan,
            "where nothing was chosen, 0/0 makes NaN",
            "Where nothing is asked, both are 0. Keep the divisor away from 0.",
        ),
        Misconception(
            "accuracy over all places",
            lambda logits, tokens, chosen: (
                _reference(logits, tokens, chosen)[0],
                _right(logits, tokens).mean(),
            ),
            "the loss is right; the accuracy counts every place and flatters the model",
            "The same places for both.",
        ),
        Misconception(
            "loss over all places",
            lambda logits, tokens, chosen: (
                _losses(logits, tokens).mean(),
                _reference(logits, tokens, chosen)[1],
            ),
            "the accuracy is right; the loss counts every place and trains a copying machine",
            "The same places for both.",
        ),
        Misconception(
            "logits multiplied",
            _masked_logits,
            "logits and tokens are set to zero elsewhere: that asks for id 0, and is counted",
            "Choose among the losses, after they are computed.",
        ),
        Misconception(
            "shifted",
            _shifted,
            "logits are held against the *next* token: that is GPT's objective",
            "BERT says at a place what belongs at that place.",
        ),
        Misconception(
            "softmax twice",
            lambda logits, tokens, chosen: _reference(logits.softmax(-1), tokens, chosen),
            "the logits go through a softmax before the loss, which does one itself",
            "A perfect prediction would still cost more than 0.",
        ),
    ),
    hints=(
        "One loss for each place first: minus the log-softmax at the token.",
        "A boolean tensor picks places: `losses[chosen]` is one-dimensional.",
        "Divide sums by `chosen.sum().clamp(min=1)`.",
    ),
)
