"""Greedy translation in other styles."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

Model = Callable[[Tensor], Tensor]


def row_by_row(
    model: Model, prompts: Tensor, limits: list[int], end_id: int, padding_id: int
) -> tuple[Tensor, list[bool]]:
    """Each sentence by itself, padded at the end."""
    texts, finished = [], []
    for prompt, limit in zip(prompts, limits, strict=True):
        text = prompt[None]
        ended = False
        for _ in range(limit):
            word = model(text)[0].argmax()
            ended = bool(word == end_id)
            if ended:
                break
            text = torch.cat([text, word.view(1, 1)], dim=1)
        texts.append(text[0, len(prompt) :])
        finished.append(ended)
    return pad_sequence(texts, batch_first=True, padding_value=padding_id), finished


def only_those_that_run(
    model: Model, prompts: Tensor, limits: list[int], end_id: int, padding_id: int
) -> tuple[Tensor, Tensor]:
    """The model reads the running rows alone."""
    room = torch.full((len(prompts), max(limits)), padding_id)
    finished = torch.zeros(len(prompts), dtype=torch.bool)
    for step in range(max(limits)):
        runs = [i for i, limit in enumerate(limits) if step < limit and not finished[i]]
        if not runs:
            break
        chosen = model(torch.cat([prompts, room[:, :step]], dim=1)[runs]).max(dim=-1).indices
        for row, word in zip(runs, chosen.tolist(), strict=True):
            if word == end_id:
                finished[row] = True
            else:
                room[row, step] = word
    longest = int((room != padding_id).sum(dim=1).max())
    return room[:, :longest], finished


def written_to_the_end_then_cut(
    model: Model, prompts: Tensor, limits: list[int], end_id: int, padding_id: int
) -> tuple[Tensor, Tensor]:
    """All rows run to the largest limit; what should not be there is cut off."""
    tokens = prompts
    for _ in range(max(limits)):
        tokens = torch.cat([tokens, model(tokens).argmax(-1, keepdim=True)], dim=1)
    written = tokens[:, prompts.shape[1] :]
    allowed = torch.arange(max(limits)) < torch.tensor(limits)[:, None]
    ends = (written == end_id) & allowed
    keep = allowed & (ends.cumsum(1) == 0)
    written = torch.where(keep, written, padding_id)
    return written[:, : int(keep.sum(1).max())], ends.any(1)


def with_queues(
    model: Model, prompts: Tensor, limits: list[int], end_id: int, padding_id: int
) -> tuple[list[list[int]], list[bool]]:
    """Lists of words; a row waits in a queue for as long as it runs."""
    texts: list[list[int]] = [[] for _ in limits]
    ended = [False] * len(limits)
    running = list(range(len(limits)))
    while running:
        index = running.pop(0)
        read = torch.tensor([[*prompts[index].tolist(), *texts[index]]])
        word = int(model(read).argsort(dim=-1, descending=True)[0, 0])
        ended[index] = word == end_id
        if not ended[index]:
            texts[index].append(word)
            if len(texts[index]) < limits[index]:
                running.append(index)
    width = max(map(len, texts))
    return [text + [padding_id] * (width - len(text)) for text in texts], ended


class WithNumpy:
    """A callable on numpy arrays."""

    def __call__(
        self, model: Model, prompts: Tensor, limits: list[int], end_id: int, padding_id: int
    ) -> tuple[np.ndarray, np.ndarray]:
        tokens = prompts.numpy()
        left, ended = np.array(limits), np.zeros(len(prompts), dtype=bool)
        while (left > 0).any():
            chosen = model(torch.from_numpy(tokens)).numpy().argmax(axis=1)
            chosen = np.where(left > 0, chosen, padding_id)
            ended |= (chosen == end_id) & (left > 0)
            left = np.where(ended, 0, left - 1)
            chosen = np.where(chosen == end_id, padding_id, chosen)
            tokens = np.column_stack([tokens, chosen])
        written = tokens[:, prompts.shape[1] :]
        return written[:, (written != padding_id).any(axis=0)], ended


STYLES = {
    "translation.greedy": (
        row_by_row,
        only_those_that_run,
        written_to_the_end_then_cut,
        with_queues,
        WithNumpy(),
    ),
}
