import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence


def row_by_row(model, prompts, limits, end_id, padding_id):
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


def with_queues(model, prompts, limits, end_id, padding_id):
    """Lists of words; a row waits in a queue for as long as it runs."""
    texts = [[] for _ in limits]
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

    def __call__(self, model, prompts, limits, end_id, padding_id):
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


STYLES = {"translation.greedy": (row_by_row, with_queues, WithNumpy())}
