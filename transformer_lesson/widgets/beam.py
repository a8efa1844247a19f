"""A beam search as a tree to explore."""

import math
from typing import Any

import traitlets
from matplotlib.figure import Figure

from transformer_lesson.palette import COLOURS
from transformer_lesson.widgets.attention_maps import token_label
from transformer_lesson.widgets.beam_tree import STATES, BeamNode, BeamTree
from transformer_lesson.widgets.static_figure import blank
from transformer_lesson.widgets.view import View, checked_choice, checked_size, script, style

MOST_STEPS = 64
MOST_NODES = 64  # of a step
LOOKS = {
    "kept": (COLOURS["blue"], "-"),
    "dropped": (COLOURS["dropped"], ":"),
    "finished": (COLOURS["orange"], "-"),
}


class BeamExplorer(View):
    """A beam search step by step: hypotheses, their scores, and what became of each.

    Each column holds the hypotheses of one step; lines lead from a hypothesis to those that extend
    it. The mouse or the arrow keys choose a hypothesis: its text and its scores are announced, and
    its path from the prompt is marked. The finished texts are ranked below the tree.

    Args:
        tree: the hypotheses that the search considered, as recorded by ``record_beam_search``; at
            most 64 steps of at most 64 hypotheses.

    Attributes:
        step: the index of the last step shown.

    Raises:
        TypeError: the tree is not a ``BeamTree``, or a node is not a ``BeamNode``.
        ValueError: a node extends one that was not kept, or its state or its scores are invalid.
        traitlets.TraitError: an attribute is set to a step that does not exist.

    Example:
        >>> tree = record_beam_search(
        ...     model, prompt, beam_width=3, max_tokens=10, end_id=2, pieces=vocabulary
        ... )  # doctest: +SKIP
        >>> BeamExplorer(tree)  # doctest: +SKIP
    """

    kind = "beam-explorer"
    _esm = script("player.js", "beam.js")
    _css = style(kind, "player.css", "beam.css")

    prompt = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    steps = traitlets.List(traitlets.List(traitlets.Dict()), read_only=True).tag(sync=True)
    beam_width = traitlets.Int(read_only=True).tag(sync=True)
    step = traitlets.Int().tag(sync=True)

    def __init__(self, tree: BeamTree) -> None:
        _check(tree)
        self._tree = tree
        self.set_trait("prompt", [token_label(token) for token in tree.prompt])
        self.set_trait("steps", [[_for_browser(node) for node in nodes] for nodes in tree.steps])
        self.set_trait("beam_width", tree.beam_width)
        super().__init__(step=len(tree.steps) - 1)

    def _alt_text(self) -> str:
        nodes = self._tree.steps[self.step]
        counts = {state: sum(node.state == state for node in nodes) for state in STATES}
        said = ", ".join(f"{count} {state}" for state, count in counts.items())
        lines = [
            f"Beam search of width {self.beam_width} from {' '.join(self.prompt)}, step "
            f"{self.step + 1} of {len(self.steps)}: {len(nodes)} hypotheses, {said}."
        ]
        for index, node in enumerate(nodes):
            lines.append(f"{node.state}: {self._hypothesis_text(self.step, index)}")
        ranking = self._tree.ranking(self.step)
        lines.append("Finished up to here:" if ranking else "None has finished up to here.")
        lines += [
            f"{rank}. {self._hypothesis_text(*place)}" for rank, place in enumerate(ranking, 1)
        ]
        return "\n".join(lines)

    def _hypothesis_text(self, step: int, index: int) -> str:
        node = self._tree.steps[step][index]
        text = " ".join(map(token_label, self._tree.text(step, index)))
        return f"{text}, log-probability {node.log_probability:.4f}, score {node.score:.4f}"

    def _static_figure(self) -> Figure:
        shown = self._tree.steps[: self.step + 1]
        rows = max(len(nodes) for nodes in shown)
        figure = blank(min(24.0, 1.6 + 1.25 * len(shown)), min(16.0, 1.2 + 0.34 * rows))
        axes = figure.add_subplot(
            title="Beam search: blue goes on, orange is finished, dotted is dropped"
        )
        axes.set(xlim=(-0.6, len(shown) + 0.6), ylim=(rows - 0.4, -0.6), xlabel="step")
        axes.set_yticks([])
        axes.text(0, 0, "prompt", ha="center", va="center")
        before: dict[int | None, int] = {None: 0}
        for at, nodes in enumerate(shown):
            # In the order of their parents, so that no lines cross.
            rows_of_parents = [(before[node.parent], index) for index, node in enumerate(nodes)]
            places: dict[int | None, int] = {
                index: row for row, (_, index) in enumerate(sorted(rows_of_parents))
            }
            for index, node in enumerate(nodes):
                colour, style = LOOKS[node.state]
                ends = (before[node.parent], places[index])
                axes.plot((at + 0.35, at + 0.65), ends, style, color=colour, linewidth=1)
                axes.text(
                    at + 1,
                    places[index],
                    f"{token_label(node.token)} {node.score:.2f}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color=COLOURS["dropped-text"] if node.state == "dropped" else "black",
                    bbox={"boxstyle": "round", "fc": "white", "ec": colour, "ls": style},
                    parse_math=False,
                )
            before = places
        return figure

    @traitlets.validate("step")
    def _exists(self, proposal: dict[str, Any]) -> int | None:
        return checked_choice(proposal, 0, len(self.steps) - 1)


def _for_browser(node: BeamNode) -> dict[str, Any]:
    return {
        "token": token_label(node.token),
        "parent": node.parent,
        "log_probability": float(node.log_probability),
        "score": float(node.score),
        "state": node.state,
    }


def _check(tree: BeamTree) -> None:
    if not isinstance(tree, BeamTree):
        raise TypeError(f"tree is a {type(tree).__name__}; pass what record_beam_search returns.")
    if not isinstance(tree.prompt, list) or not all(isinstance(t, str) for t in tree.prompt):
        raise TypeError(f"tree.prompt is {tree.prompt!r:.80}; pass a list of strings.")
    checked_size("tree.beam_width", tree.beam_width, 1, MOST_NODES)
    if not 1 <= len(tree.steps) <= MOST_STEPS:
        raise ValueError(f"tree has {len(tree.steps)} steps; this view shows 1 to {MOST_STEPS}.")
    before: list[BeamNode] | None = None
    for at, nodes in enumerate(tree.steps):
        if not 1 <= len(nodes) <= MOST_NODES:
            raise ValueError(
                f"step {at} has {len(nodes)} hypotheses; this view shows 1 to {MOST_NODES}. "
                "Search with a narrower beam."
            )
        for index, node in enumerate(nodes):
            _check_node(f"node {index} of step {at}", node, before)
        before = nodes


def _check_node(name: str, node: BeamNode, before: list[BeamNode] | None) -> None:
    if not isinstance(node, BeamNode):
        raise TypeError(f"{name} is a {type(node).__name__}; pass a BeamNode.")
    if not isinstance(node.token, str):
        raise TypeError(f"{name} has the token {node.token!r}; tokens are strings.")
    if node.state not in STATES:
        raise ValueError(f"{name} has the state {node.state!r}; expected one of {STATES}.")
    if not (math.isfinite(node.score) and node.log_probability <= 1e-6):
        raise ValueError(
            f"{name} has the log-probability {node.log_probability} and the score {node.score}; "
            "log-probabilities are 0 or less, and scores finite."
        )
    if before is None:
        if node.parent is not None:
            raise ValueError(f"{name} has parent {node.parent}; in the first step it is None.")
    elif node.parent is None or not 0 <= node.parent < len(before):
        raise ValueError(f"{name} has parent {node.parent}; expected 0 to {len(before) - 1}.")
    elif before[node.parent].state != "kept":
        raise ValueError(
            f"{name} has parent {node.parent}, which is {before[node.parent].state}; only kept "
            "hypotheses go on."
        )
