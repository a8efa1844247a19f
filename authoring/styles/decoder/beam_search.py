import math

import torch


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


STYLES = {"decoder.beam_search": (stops_when_nothing_can_win,)}
