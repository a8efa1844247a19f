import torch
from torch.nn.utils.rnn import pad_sequence


def recursive(model, prompt, max_tokens, end_id, padding_id):
    """Each row by itself; lists at the end."""

    def go_on(text):
        if len(text) >= max_tokens:
            return text
        word = model(torch.tensor([text])).argmax().item()
        text = (*text, int(word))
        return text if word == end_id else go_on(text)

    texts = [go_on(tuple(row)) for row in prompt.tolist()]
    longest = max(len(text) for text in texts)
    return [[*text, *[padding_id] * (longest - len(text))] for text in texts]


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


class Writer:
    """A callable that keeps its state in itself."""

    def __call__(self, model, prompt, max_tokens, end_id, padding_id):
        self.columns = list(prompt.T)
        self.alive = torch.full((prompt.shape[0],), True)
        while len(self.columns) < max_tokens and int(self.alive.sum()):
            self.step(model(torch.stack(self.columns, dim=1)), end_id, padding_id)
        return torch.stack(self.columns, dim=-1)

    def step(self, logits, end_id, padding_id):
        word = (logits == logits.amax(dim=-1, keepdim=True)).int().argmax(-1)
        word = word * self.alive + padding_id * ~self.alive
        self.alive = self.alive & word.ne(end_id)
        self.columns.append(word)


STYLES = {"decoder.greedy": (recursive, only_running_rows, Writer())}
