"""A sentence with a gap that the reader chooses, and the guesses of two models for it."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import traitlets
from matplotlib.figure import Figure

from transformer_lesson.palette import COLORS
from transformer_lesson.widgets.attention_maps import token_label
from transformer_lesson.widgets.generation import check_candidates
from transformer_lesson.widgets.static_figure import DRAWING_COLORS, blank
from transformer_lesson.widgets.view import View, checked_choice, script, style

MOST_SENTENCES = 64
MOST_TOKENS = 64
MODELS = {"masked": "both sides in view", "causal": "the left side alone"}
LINE = 90  # characters

Guesses = list[tuple[str, float]]


@dataclass(frozen=True)
class Sentence:
    """A sentence, and what two models guess for each of its tokens.

    Attributes:
        tokens: the whole sentence.
        guesses: for each model, "masked" and "causal", one list per token: the most probable tokens
            in its place, each with its probability, or an empty list if the model was not asked.
            The masked model sees all other tokens, the causal one those to the left.
    """

    tokens: list[str]
    guesses: dict[str, list[Guesses]] = field(default_factory=dict)


class GapExplorer(View):
    """A sentence in which the reader chooses a gap, with the guesses of two models side by side.

    A click or the arrow keys move the gap. Each model has a column: the part of the sentence that
    it sees, its most probable tokens with the true one marked, and in how many gaps of the sentence
    its first guess is right.

    Args:
        sentences: 1 to 64 sentences of at most 64 tokens, each with the guesses of both models.

    Attributes:
        sentence: the index of the sentence shown.
        gap: the index of the hidden token.

    Raises:
        TypeError: a sentence is not a ``Sentence``, or holds values of a wrong type.
        ValueError: a model or its guesses for a token are missing, or numbers that should be
            probabilities are not.
        traitlets.TraitError: an attribute is set to a sentence or gap that does not exist.

    Example:
        >>> GapExplorer([
        ...     Sentence(
        ...         ["cats", "sleep"],
        ...         {
        ...             "masked": [[("cats", 0.7), ("dogs", 0.2)], [("sleep", 0.9)]],
        ...             "causal": [[("the", 0.4), ("cats", 0.1)], [("eat", 0.5), ("sleep", 0.3)]],
        ...         },
        ...     )
        ... ])  # doctest: +SKIP
    """

    kind = "gap-explorer"
    colors = DRAWING_COLORS
    _esm = script("gap.js")
    _css = style(kind, "gap.css")

    sentences = traitlets.List(traitlets.Dict(), read_only=True).tag(sync=True)
    sentence = traitlets.Int(0).tag(sync=True)
    gap = traitlets.Int(0).tag(sync=True)

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        _check(sentences)
        self.set_trait("sentences", [_for_browser(sentence) for sentence in sentences])
        # In the middle both models have some context.
        super().__init__(gap=len(sentences[0].tokens) // 2)

    def right(self) -> dict[str, tuple[int, int]]:
        """Return for each model how many first guesses are right, and how many it was asked for.

        Both count the gaps of the sentence shown.
        """
        shown = self.sentences[self.sentence]
        found = {}
        for name in MODELS:
            asked = [
                (token, guesses[0][0])
                for token, guesses in zip(shown["tokens"], shown[name], strict=True)
                if guesses
            ]
            found[name] = (sum(true == guess for true, guess in asked), len(asked))
        return found

    def _alt_text(self) -> str:
        shown = self.sentences[self.sentence]
        tokens = shown["tokens"]
        written = " ".join("[gap]" if i == self.gap else t for i, t in enumerate(tokens))
        lines = [
            f"Sentence {self.sentence + 1} of {len(self.sentences)}: {written}",
            f"The token in the gap: {tokens[self.gap]}.",
        ]
        for name, view in MODELS.items():
            guesses = ", ".join(f"{t} {p:.4f}" for t, p in shown[name][self.gap]) or "not asked"
            right, asked = self.right()[name]
            lines.append(
                f"Guesses of the {name} model, {view}: {guesses}. "
                f"In the whole sentence its first guess is right in {right} of {asked} gaps."
            )
        return "\n".join(lines)

    def _static_figure(self) -> Figure:
        shown = self.sentences[self.sentence]
        tokens = shown["tokens"]
        figure = blank(9, 3.2)
        written = " ".join("____" if i == self.gap else t for i, t in enumerate(tokens))
        figure.suptitle(f"{self._finding()}\n{textwrap.fill(written, LINE)}")
        for axes, (name, view) in zip(figure.subplots(1, 2), MODELS.items(), strict=True):
            axes.set(title=f"{name} model, {view}", xlabel="probability", xlim=(0, 1))
            guesses = shown[name][self.gap]
            places = range(len(guesses))
            true = [token == tokens[self.gap] for token, _ in guesses]
            axes.barh(
                places,
                [probability for _, probability in guesses],
                color=[COLORS["orange" if one else "blue"] for one in true],
                hatch=["//" if one else "" for one in true],
            )
            names = [
                f"{token} (true)" if one else token
                for one, (token, _) in zip(true, guesses, strict=True)
            ]
            axes.set_yticks(places, names)
            axes.invert_yaxis()
        return figure

    def _finding(self) -> str:
        """Return what the two models know of the gap, the title of the picture."""
        shown, said = self.sentences[self.sentence], []
        true = shown["tokens"][self.gap]
        for name, view in MODELS.items():
            share = dict(shown[name][self.gap]).get(true)
            said.append(f"{'no guess' if share is None else f'{share:.0%}'} with {view}")
        return f"{true}: {', '.join(said)}"

    @traitlets.observe("sentence")
    def _keep_gap(self, _: object) -> None:
        self.gap = min(self.gap, len(self.sentences[self.sentence]["tokens"]) - 1)

    @traitlets.validate("sentence", "gap")
    def _exists(self, proposal: dict[str, Any]) -> int | None:
        if proposal["trait"].name == "sentence":
            return checked_choice(proposal, 0, len(self.sentences) - 1)
        return checked_choice(proposal, 0, len(self.sentences[self.sentence]["tokens"]) - 1)


def _for_browser(sentence: Sentence) -> dict[str, Any]:
    """Return what the browser needs of a sentence: labels, and the guesses, most probable first."""
    return {"tokens": [token_label(token) for token in sentence.tokens]} | {
        name: [
            [(token_label(t), float(p)) for t, p in sorted(guesses, key=lambda pair: -pair[1])]
            for guesses in sentence.guesses[name]
        ]
        for name in MODELS
    }


def _check(sentences: Sequence[Sentence]) -> None:
    if isinstance(sentences, Sentence | str) or not isinstance(sentences, Sequence):
        raise TypeError(f"sentences is a {type(sentences).__name__}; pass a list of Sentence.")
    if not 1 <= len(sentences) <= MOST_SENTENCES:
        raise ValueError(
            f"there are {len(sentences)} sentences; this view shows 1 to {MOST_SENTENCES}."
        )
    for index, sentence in enumerate(sentences):
        name = f"sentences[{index}]"
        if not isinstance(sentence, Sentence):
            raise TypeError(f"{name} is a {type(sentence).__name__}; pass a Sentence.")
        tokens = sentence.tokens
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            raise TypeError(f"{name}.tokens is {tokens!r:.80}; pass a list of strings.")
        if not 1 <= len(tokens) <= MOST_TOKENS:
            raise ValueError(f"{name} has {len(tokens)} tokens; pass 1 to {MOST_TOKENS}.")
        if sorted(sentence.guesses) != sorted(MODELS):
            raise ValueError(
                f"{name} has guesses of {sorted(sentence.guesses)}; pass those of the two models, "
                f"under the names {sorted(MODELS)}."
            )
        for model in MODELS:
            every = sentence.guesses[model]
            if len(every) != len(tokens):
                raise ValueError(
                    f"{name} has {len(tokens)} tokens and guesses of the {model} model for "
                    f"{len(every)}; pass a list for each token, empty where it was not asked."
                )
            for place, guesses in enumerate(every):
                check_candidates(f"{name}.guesses[{model!r}][{place}]", guesses, least=0)
