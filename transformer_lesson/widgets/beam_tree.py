"""A beam search as a tree of hypotheses, recorded while it runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from transformer_lesson.decoding import BeamStep, Model, beam_search

STATES = ("kept", "dropped", "finished")


@dataclass(frozen=True)
class BeamNode:
    """One hypothesis that a step of a beam search considered.

    Attributes:
        token: the token that it adds to the text of its parent.
        parent: the index of the node of the step before that it extends; None in the first step,
            whose nodes extend the prompt.
        log_probability: of the whole text after the prompt.
        score: the log-probability after the length penalty.
        state: "kept" if the search extends it, "dropped" if not, "finished" if it is complete.
    """

    token: str
    parent: int | None
    log_probability: float
    score: float
    state: str


@dataclass(frozen=True)
class BeamTree:
    """All hypotheses that a beam search considered.

    Attributes:
        prompt: the tokens from which it started.
        steps: the nodes of each step, the most probable first.
        beam_width: number of hypotheses kept in each step, and of finished texts at the end.
    """

    prompt: list[str]
    steps: list[list[BeamNode]]
    beam_width: int

    def text(self, step: int, node: int) -> list[str]:
        """Return the tokens of a node after the prompt."""
        tokens: list[str] = []
        at: int | None = node
        for nodes in reversed(self.steps[: step + 1]):
            assert at is not None
            tokens.append(nodes[at].token)
            at = nodes[at].parent
        return tokens[::-1]

    def ranking(self, step: int | None = None) -> list[tuple[int, int]]:
        """Return ``(step, node)`` of the best ``beam_width`` finished texts, the best first.

        Args:
            step: the last step considered; by default the last of all.
        """
        last = len(self.steps) - 1 if step is None else step
        finished = [
            (at, index)
            for at, nodes in enumerate(self.steps[: last + 1])
            for index, node in enumerate(nodes)
            if node.state == "finished"
        ]
        finished.sort(key=lambda place: -self.steps[place[0]][place[1]].score)
        return finished[: self.beam_width]


def record_beam_search(
    model: Model,
    prompt: Tensor,
    *,
    source: Tensor | None = None,
    beam_width: int,
    max_tokens: int,
    end_id: int,
    length_penalty: float = 0.6,
    pieces: Sequence[str] | Callable[[int], str],
) -> BeamTree:
    """Search with ``decoding.beam_search`` and return all hypotheses that it considered.

    Args:
        model: in evaluation mode.
        prompt: ids ``(1, tokens)`` of one text; for an encoder-decoder the start token.
        source: ids ``(1, source tokens)``, for an encoder-decoder.
        beam_width: number of hypotheses kept in each step.
        max_tokens: largest length of the text, including the prompt.
        end_id: the token that finishes a text.
        length_penalty: see ``decoding.beam_search``; 0 favours short texts.
        pieces: the text of each token id: a list, or a function such as a tokenizer's
            ``id_to_token``.

    Raises:
        ValueError: the prompt does not hold exactly one text; or see ``decoding.beam_search``.
    """
    if prompt.ndim != 2 or len(prompt) != 1:
        raise ValueError(
            f"prompt has shape {tuple(prompt.shape)}; a tree is the search for one text, so pass "
            "ids of shape (1, tokens)."
        )
    watched: list[BeamStep] = []
    beam_search(
        model,
        prompt,
        source=source,
        beam_width=beam_width,
        max_tokens=max_tokens,
        end_id=end_id,
        length_penalty=length_penalty,
        watch=watched.append,
    )
    piece: Callable[[int], str] = pieces if callable(pieces) else pieces.__getitem__
    steps: list[list[BeamNode]] = []
    # The index of the node that each beam of the step before ends with.
    running: list[int] = []
    for step in watched:
        nodes, places = _nodes(step, running, piece)
        steps.append(nodes)
        running = [places.get(candidate, -1) for candidate in step.running[0].tolist()]
    return BeamTree([piece(i) for i in prompt[0].tolist()], steps, beam_width)


def _nodes(
    step: BeamStep, running: list[int], piece: Callable[[int], str]
) -> tuple[list[BeamNode], dict[int, int]]:
    """Return the nodes of a step, and the index of the node of each possible candidate."""
    columns: list[list[Any]] = [
        one[0].tolist()
        for one in (step.rows, step.tokens, step.totals, step.scores, step.finished, step.kept)
    ]
    nodes: list[BeamNode] = []
    places: dict[int, int] = {}
    for candidate, (row, token, total, score, finished, kept) in enumerate(
        zip(*columns, strict=True)
    ):
        # All beams begin as the same prompt, so all but one start with probability 0.
        if total == float("-inf"):
            continue
        state = "finished" if finished else "kept" if kept else "dropped"
        places[candidate] = len(nodes)
        parent = running[row] if running else None
        nodes.append(BeamNode(piece(token), parent, total, score, state))
    return nodes, places
