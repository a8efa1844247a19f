"""A text that becomes pieces, merge by merge, as a byte-pair tokenizer learned them."""

import json
from typing import Any

import numpy as np
import traitlets
from matplotlib.figure import Figure
from tokenizers import Tokenizer, models

from transformer_lesson.palette import COLORS
from transformer_lesson.widgets.static_figure import DRAWING_COLORS, blank
from transformer_lesson.widgets.view import View, checked_choice, script, style

# GPT-2 writes a byte as one visible sign: itself, or a later one where it is none.
_VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
_HIDDEN = [byte for byte in range(256) if byte not in _VISIBLE]
SIGNS = "".join(chr(b if b in _VISIBLE else 256 + _HIDDEN.index(b)) for b in range(256))
STOPS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
DRAWN_ROWS = 7


class MergeExplorer(View):
    """A text of the reader's own in pieces, after as many merges as a slider says.

    Args:
        tokenizer: byte-level BPE of the ``tokenizers`` library, which cuts text as GPT-2 does.
        text: what is cut first.

    Attributes:
        text: what is cut.
        merges_made: how many of the merges that were learned are made.

    Raises:
        ValueError: ``tokenizer`` is not byte-level BPE, or has no token for some byte.
        traitlets.TraitError: ``merges_made`` is set to more merges than there are.
    """

    kind = "merge-explorer"
    colors = DRAWING_COLORS
    _esm = script("merge.js")
    _css = style(kind, "merge.css")

    # The ids of the 256 bytes, then of each merge: left, right, and what they become.
    data = traitlets.Bytes(read_only=True).tag(sync=True)
    stops = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    merges_made = traitlets.Int().tag(sync=True)

    def __init__(self, tokenizer: Tokenizer, text: str) -> None:
        learned = json.loads(tokenizer.to_str())
        model, cuts = learned["model"], learned["pre_tokenizer"] or {}
        as_gpt2 = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
        if model["type"] != "BPE" or not as_gpt2.items() <= cuts.items():
            raise ValueError(
                f"tokenizer is {model['type']} after {cuts or 'no cuts'}; "
                "pass BPE after pre_tokenizers.ByteLevel(add_prefix_space=False)."
            )
        self._cuts, self._ids = tokenizer.pre_tokenizer, model["vocab"]
        self._merges = [(left, right) for left, right in model["merges"]]
        if missing := sum(sign not in self._ids for sign in SIGNS):
            raise ValueError(
                f"tokenizer has no token for {missing} of the 256 bytes; "
                "train it with initial_alphabet=pre_tokenizers.ByteLevel.alphabet()."
            )
        rows = [name for left, right in self._merges for name in (left, right, left + right)]
        numbers = np.array([self._ids[name] for name in (*SIGNS, *rows)], dtype="<u4")
        most = len(self._merges)
        self.set_trait("data", numbers.tobytes())
        self.set_trait("stops", [stop for stop in STOPS if stop < most] + [most])
        super().__init__(text=text, merges_made=most)

    def pieces(self, merges_made: int) -> list[str]:
        """Return the pieces of the text after so many merges, in GPT-2's signs for bytes."""
        tokenizer = Tokenizer(models.BPE(self._ids, self._merges[:merges_made]))
        tokenizer.pre_tokenizer = self._cuts
        return list(tokenizer.encode(self.text).tokens)

    def _alt_text(self) -> str:
        pieces = self.pieces(self.merges_made)
        return f"{self._finding()}: {' | '.join(map(readable, pieces))}"

    def _finding(self) -> str:
        size, pieces = len(self.text.encode()), len(self.pieces(self.merges_made))
        return f"{self.merges_made:,} merges turn {size} bytes into {pieces} pieces"

    def _static_figure(self) -> Figure:
        below = [stop for stop in self.stops if stop < self.merges_made]
        rows = [*below[:: -(-len(below) // (DRAWN_ROWS - 1)) or 1], self.merges_made]
        figure = blank(7.2, 0.6 + 0.42 * len(rows))
        axes = figure.add_subplot()
        axes.set_title(self._finding())
        for row, merges_made in enumerate(rows):
            start = 0
            for piece in self.pieces(merges_made):
                color = COLORS["light-blue"] if len(piece) > 1 else "white"
                axes.barh(row, len(piece) - 0.1, 0.8, start, color=color, ec=COLORS["guide"])
                middle = start + len(piece) / 2
                axes.text(middle, row, readable(piece), ha="center", va="center", fontsize=9)
                start += len(piece)
        axes.set(yticks=range(len(rows)), yticklabels=[f"{n:,}" for n in rows], xticks=[])
        axes.set_ylabel("merges made")
        axes.invert_yaxis()
        axes.spines[:].set_visible(False)
        return figure

    @traitlets.validate("merges_made")
    def _merges_exist(self, proposal: dict[str, Any]) -> int | None:
        return checked_choice(proposal, 0, len(self._merges))


def readable(piece: str) -> str:
    """Return a piece as text, spaces as ␣; as hexadecimal numbers where it is part of a sign."""
    held = bytes(map(SIGNS.index, piece))
    try:
        return held.decode().replace(" ", "␣")
    except UnicodeDecodeError:
        return held.hex(" ")
