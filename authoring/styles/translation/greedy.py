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


STYLES = {"translation.greedy": (row_by_row,)}
