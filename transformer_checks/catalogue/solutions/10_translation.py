# Derived from solutions/10_translation.ipynb by `make exercises`.


import itertools
import math
from collections import Counter

import torch
from torch import Tensor


# %% translation.batches
def batch_by_tokens(
    source_lengths: list[int], target_lengths: list[int], max_tokens: int
) -> tuple[list[int], list[int]]:
    """Return the order of the pairs, and how many of them each batch takes."""
    lengths = list(zip(target_lengths, source_lengths, strict=True))
    order = sorted(range(len(lengths)), key=lambda index: lengths[index])
    sizes, rows, longest = [], 0, 0
    for index in order:
        widest = max(longest, *lengths[index])
        if (rows + 1) * widest > max_tokens:
            sizes.append(rows)
            rows, widest = 0, max(lengths[index])
        rows, longest = rows + 1, widest
    return order, [*sizes, rows]


# %% translation.pairs
def make_batch(
    sources: list[list[int]], targets: list[list[int]], start_id: int, end_id: int, padding_id: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Return source, inputs and targets, each (batch, its own longest row)."""
    def padded(rows: list[list[int]]) -> Tensor:
        longest = max(len(row) for row in rows)
        return torch.tensor([row + [padding_id] * (longest - len(row)) for row in rows])

    return (
        padded([[*words, end_id] for words in sources]),
        padded([[start_id, *words] for words in targets]),
        padded([[*words, end_id] for words in targets]),
    )


# %% translation.loss
def translation_loss(
    logits: Tensor, targets: Tensor, padding_id: int, smoothing: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return smoothed sum, count and plain sum, each 0-dim.

    logits are (batch, tokens, vocabulary), targets (batch, tokens).
    """
    costs = -logits.log_softmax(-1)
    real = targets != padding_id
    plain = costs.gather(-1, targets[..., None]).squeeze(-1)[real]
    even = (costs.sum(-1) - costs[..., padding_id])[real] / (logits.shape[-1] - 1)
    smoothed = (1 - smoothing) * plain + smoothing * even
    return smoothed.sum(), real.sum(), plain.sum()


# %% translation.greedy
def translate_greedily(
    model, prompts: Tensor, limits: list[int], end_id: int, padding_id: int
) -> tuple[Tensor, Tensor]:
    """Return ids (batch, longest translation) and booleans (batch,)."""
    tokens, limit = prompts, torch.tensor(limits)
    ended = torch.zeros(len(prompts), dtype=torch.bool)
    for step in range(max(limits)):
        stopped = ended | (step >= limit)
        if stopped.all():
            break
        chosen = model(tokens).argmax(-1).masked_fill(stopped, padding_id)
        tokens = torch.cat([tokens, chosen[:, None]], dim=1)
        ended |= (chosen == end_id) & ~stopped
    written = tokens[:, prompts.shape[1] :]
    written = written.masked_fill(written == end_id, padding_id)
    return written[:, (written != padding_id).any(0)], ended


# %% translation.beam
def step(model, running, width, end_id):
    """Continue each (sum of log-probabilities, ids) by every token; the best `width` count.

    Returns two lists: those that ended, and those that run on, the most probable first.
    """
    grown = []
    for total, text in running:
        gains = model(torch.tensor([text]))[0].log_softmax(-1).tolist()
        grown += [(total + gain, [*text, word]) for word, gain in enumerate(gains)]
    grown.sort(reverse=True)
    ended = [beam for beam in grown[:width] if beam[1][-1] == end_id]
    return ended, [beam for beam in grown if beam[1][-1] != end_id][:width]


def search(
    model, prompt: list[int], width: int, limit: int, end_id: int, alpha: float
) -> tuple[Tensor, float, int]:
    """Return the ids written, the end token among them, their score, and the steps it took."""
    running, steps = [(0.0, prompt)], 0
    best_score, best = -math.inf, []
    longest_penalty = ((5 + limit) / 6) ** alpha
    while steps < limit and best_score < running[0][0] / longest_penalty:
        ended, running = step(model, running, width, end_id)
        steps += 1
        for total, text in ended + (running if steps == limit else []):
            score = total / ((5 + steps) / 6) ** alpha
            if score > best_score:
                best_score, best = score, text
    return torch.tensor(best[len(prompt) :]), best_score, steps


# %% translation.bleu
def corpus_bleu(
    hypotheses: list[list[int]], references: list[list[int]]
) -> tuple[float, list[float], float]:
    """Return BLEU from 0 to 100, four precisions from 0 to 1, and the brevity penalty."""
    def grams(words: list[int], n: int) -> Counter:
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    precisions = []
    for n in range(1, 5):
        pairs = [(grams(h, n), grams(r, n)) for h, r in zip(hypotheses, references, strict=True)]
        found = sum((ours & theirs).total() for ours, theirs in pairs)
        made = sum(ours.total() for ours, _ in pairs)
        precisions.append(found / made if made else 0.0)
    ours, theirs = (sum(map(len, texts)) for texts in (hypotheses, references))
    brevity = 1.0 if ours >= theirs else math.exp(1 - theirs / ours)
    return 100 * brevity * math.prod(precisions) ** 0.25, precisions, brevity


# %% translation.alignment
def alignment_error_rate(
    weights: Tensor,
    source_lengths: list[int],
    target_lengths: list[int],
    gold: list[list[list[int]]],
) -> float:
    """Return the error rate for weights (sentences, target words, source words).

    gold[i] lists the links [source word, target word] of sentence i.
    """
    shared = total = 0
    for i, (sources, targets) in enumerate(zip(source_lengths, target_lengths, strict=True)):
        chosen = weights[i, :targets, :sources].argmax(-1).tolist()
        found = {(source, target) for target, source in enumerate(chosen)}
        right = {(source, target) for source, target in gold[i]}
        shared += len(found & right)
        total += len(found) + len(right)
    return 1 - 2 * shared / total


# %% translation.paired
def paired_bootstrap(a: Tensor, b: Tensor, draws: Tensor) -> tuple[Tensor, Tensor, int]:
    """Compare systems with rows (sentences, 3) on drawn test sets, draws (sets, sentences).

    Returns the difference of their scores, the share of the sets that B wins, and which is better.
    """
    def bleu(statistics: Tensor) -> Tensor:
        """Score sets (..., sentences, 3)."""
        matched, written, wanted = statistics.sum(-2).double().unbind(-1)
        return matched / written * torch.exp((1 - wanted / written).clamp(max=0))

    differences = bleu(b[draws]) - bleu(a[draws])
    wins, losses = (differences > 0).double().mean(), (differences < 0).double().mean()
    better = 1 if wins >= 0.95 else -1 if losses >= 0.95 else 0
    return bleu(b) - bleu(a), wins, better


# %% translation.beat
def word_by_word(sources, targets, tests, seed):
    """Each word becomes the target word that it shares most sentences with."""
    ours, theirs, both = Counter(), Counter(), Counter()
    for source, target in zip(sources, targets, strict=True):
        ours.update(set(source))
        theirs.update(set(target))
        both.update(itertools.product(set(source), set(target)))
    best = {}
    for (word, other), times in sorted(both.items()):
        score = 2 * times / (ours[word] + theirs[other])  # 1: they only occur together
        if score > best.get(word, (0.0, 0))[0]:
            best[word] = (score, other)
    rows = [[best[word][1] for word in words if word in best] for words in tests]
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


def translate(
    sources: list[list[int]], targets: list[list[int]], tests: list[list[int]], seed: int
) -> Tensor:
    """Return ids (sentences of tests, longest translation), filled up with 0."""
    def pieces(words: list[int], most: int) -> set[tuple[int, ...]]:
        found = set()
        for start in range(len(words)):
            for end in range(start + 1, min(start + most, len(words)) + 1):
                found.add(tuple(words[start:end]))
        return found

    ours, theirs, both = Counter(), Counter(), Counter()
    for source, target in zip(sources, targets, strict=True):
        here, there = pieces(source, 3), pieces(target, 4)
        ours.update(here)
        theirs.update(there)
        both.update(itertools.product(here, there))
    # For each piece the one that it shares most sentences with; few sentences prove little.
    best = {}
    for (piece, other), times in both.items():
        score = (2 * times - 1) / (ours[piece] + theirs[other])
        best[piece] = max(best.get(piece, (0.0, 0, ())), (score, -len(other), other))
    rows = []
    for words in tests:
        cuts = [(0.0, [])]  # the best cut of the first n words: its score, its translation
        for end in range(1, len(words) + 1):
            choices = [cuts[end - 1]]
            for start in range(max(0, end - 3), end):
                score, _, other = best.get(tuple(words[start:end]), (0.0, 0, ()))
                before, translated = cuts[start]
                choices.append((before + score * (end - start) ** 1.6, [*translated, *other]))
            cuts.append(max(choices))
        rows.append(cuts[-1][1])
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])
