import torch
from torch.nn.utils.rnn import pad_sequence


def only_running_rows(model, prompt, max_tokens, end_id=2, padding_id=0, verbose=False):
    """The model sees unfinished rows alone."""
    texts = list(prompt)
    active = list(range(len(prompt)))
    for _ in range(max_tokens - prompt.shape[1]):
        if not active:
            break
        words = torch.log_softmax(model(torch.stack([texts[row] for row in active])), -1).argmax(1)
        for row, word in zip(active, words, strict=True):
            texts[row] = torch.hstack([texts[row], word])
        active = [r for r, word in zip(active, words.tolist(), strict=True) if word != end_id]
    return pad_sequence(texts, batch_first=True, padding_value=padding_id)


STYLES = {"decoder.greedy": (only_running_rows,)}
