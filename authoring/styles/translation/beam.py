import heapq
import math

import numpy as np
import torch


def _step(model, running, width, end_id):
    """What the notebook gives."""
    grown = []
    for total, text in running:
        gains = model(torch.tensor([text]))[0].log_softmax(-1).tolist()
        grown += [(total + gain, [*text, word]) for word, gain in enumerate(gains)]
    grown.sort(reverse=True)
    ended = [beam for beam in grown[:width] if beam[1][-1] == end_id]
    return ended, [beam for beam in grown if beam[1][-1] != end_id][:width]


def one_batch_a_step(model, prompt, width, limit, end_id, alpha):
    """Without the given step: tensors, and one call of the model for all texts."""
    texts, totals = torch.tensor([prompt]), torch.zeros(1)
    best_score, best = torch.tensor(-torch.inf), torch.tensor([end_id])
    for taken in range(1, limit + 1):
        sums = totals[:, None] + model(texts).log_softmax(-1)
        values, places = sums.flatten().sort(descending=True, stable=True)
        words = places % sums.shape[1]
        grown = torch.cat([texts[places // sums.shape[1]], words[:, None]], dim=1)
        ends = words == end_id
        texts, totals = grown[~ends][:width], values[~ends][:width]
        among = ends & (torch.arange(len(ends)) < width)
        if taken == limit:
            among[torch.arange(len(ends))[~ends][:width]] = True
        for index in among.nonzero().flatten().tolist():
            score = values[index] / ((5 + taken) / 6) ** alpha
            if score > best_score:
                best_score, best = score, grown[index]
        if best_score >= totals[0] / ((5 + limit) / 6) ** alpha:
            break
    return best[len(prompt) :], best_score, taken


def in_logarithms(model, prompt, width, limit, end_id, alpha):
    """The penalty from its logarithm, finished texts in a heap of costs."""

    def cost(total, length):
        return math.exp(math.log(max(-total, 1e-300)) - alpha * math.log((5 + length) / 6))

    running = [(0.0, list(prompt))]
    heap = []
    number = taken = 0
    while taken < limit:
        ended, running = _step(model, running, width, end_id)
        taken += 1
        for total, text in [*ended, *(running if taken == limit else ())]:
            number += 1
            heapq.heappush(heap, (cost(total, taken), number, text))
        if heap and heap[0][0] <= cost(running[0][0], limit):
            break
    lowest, _, text = heap[0]
    return torch.tensor(text)[len(prompt) :], -lowest, taken


class WithNumpy:
    """A callable on numpy arrays, with the step written out."""

    def __call__(self, model, prompt, width, limit, end_id, alpha):
        penalties = ((5 + np.arange(limit + 1)) / 6) ** alpha
        texts, totals = np.array([prompt]), np.zeros(1)
        best = (-np.inf, texts[0])
        for taken in range(1, limit + 1):
            logits = model(torch.from_numpy(texts)).numpy().astype(np.float64)
            gains = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
            sums = (totals[:, None] + gains).ravel()
            order = np.argsort(-sums)
            rows, words = np.divmod(order, gains.shape[1])
            grown = np.column_stack([texts[rows], words])
            going = np.flatnonzero(words != end_id)[:width]
            done = [i for i in range(width) if words[i] == end_id]
            for i in [*done, *(going if taken == limit else ())]:
                score = float(sums[order[i]] / penalties[taken])
                best = max(best, (score, grown[i]), key=lambda pair: pair[0])
            texts, totals = grown[going], sums[order[going]]
            if best[0] >= totals[0] / penalties[limit]:
                break
        return best[1][len(prompt) :], best[0], taken


STYLES = {"translation.beam": (one_batch_a_step, in_logarithms, WithNumpy())}
