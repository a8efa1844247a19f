import math

import numpy as np
import torch


def all_texts_in_one_batch(model, prompt, width, max_tokens, end_id, length_penalty):
    """One call of the model for all running texts; topk over texts and words together."""
    texts, totals = prompt, torch.zeros(1)
    scores = []
    finished = []
    for written in range(1, max_tokens - prompt.shape[1] + 1):
        penalty = math.pow((5 + written) / 6, length_penalty)
        sums = totals[:, None] + model(texts).log_softmax(dim=-1)
        vocabulary = sums.shape[1]
        values, places = sums.flatten().topk(min(2 * width, sums.numel()))
        words, rows = places % vocabulary, places // vocabulary
        texts = torch.cat([texts[rows], words[:, None]], dim=1)
        ends = words == end_id
        for index in ends[:width].nonzero().flatten().tolist():
            finished.append(texts[index])
            scores.append(values[index] / penalty)
        texts, totals = texts[~ends][:width], values[~ends][:width]
    finished += list(texts)
    scores += list(totals / penalty)
    best = int(torch.stack(scores).argmax())
    return finished[best], scores[best]


def stops_when_nothing_can_win(model, prompt, width, max_tokens, end_id, length_penalty):
    """A sum only falls: once no running text can beat the best finished one, the search is over."""
    given = prompt.shape[1]
    most = ((5 + max_tokens - given) / 6) ** length_penalty
    best = {"score": (-math.inf,), "text": ()}
    beams = {tuple(map(int, prompt[0])): 0.0}
    while beams:
        grown = {}
        for text, total in beams.items():
            logits = model(torch.tensor(text).unsqueeze(0))[0].double()
            for word, gain in enumerate(logits - logits.logsumexp(-1)):
                grown[(*text, word)] = total + gain.item()
        order = sorted(grown, key=grown.__getitem__, reverse=True)
        length = len(order[0])
        running = [text for text in order if text[-1] != end_id][:width]
        ended = [text for text in order[:width] if text[-1] == end_id]
        penalty = ((5 + length - given) / 6) ** length_penalty
        for text in ended + (running if length == max_tokens else []):
            if grown[text] / penalty > best["score"][0]:
                best = {"score": (grown[text] / penalty,), "text": text}
        beams = {text: grown[text] for text in running if length < max_tokens}
        if beams and max(beams.values()) / most <= best["score"][0]:
            break
    return torch.tensor(best["text"]), best["score"][0]


class WithNumpy:
    """A callable on numpy arrays: texts and sums in tables of a fixed size."""

    def __call__(self, model, prompt, width, max_tokens, end_id, length_penalty):
        texts, totals = prompt.numpy(), np.zeros(1)
        candidates = []
        for length in range(prompt.shape[1] + 1, max_tokens + 1):
            logits = model(torch.from_numpy(texts)).numpy().astype(np.float64)
            logits = logits - logits.max(axis=1, keepdims=True)
            gains = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
            sums = (totals[:, None] + gains).ravel()
            order = np.argsort(-sums)
            rows, words = np.divmod(order, gains.shape[1])
            grown = np.column_stack([texts[rows], words])
            divisor = ((5 + length - prompt.shape[1]) / 6) ** length_penalty
            last = length == max_tokens
            going = np.flatnonzero(words != end_id)[:width]
            ended = [index for index in range(width) if words[index] == end_id]
            for index in [*ended, *(going if last else ())]:
                candidates.append((sums[order[index]] / divisor, grown[index]))
            texts, totals = grown[going], sums[order[going]]
        score, text = max(candidates, key=lambda candidate: candidate[0])
        return text, score


STYLES = {"decoder.beam_search": (all_texts_in_one_batch, stops_when_nothing_can_win, WithNumpy())}
