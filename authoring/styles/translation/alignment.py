import torch


def loops(weights, source_lengths, target_lengths, gold):
    """Word by word, with the best column searched for by hand."""
    shared = found = 0
    for i in range(len(gold)):
        for t in range(target_lengths[i]):
            best = 0
            for s in range(source_lengths[i]):
                if weights[i, t, s] > weights[i, t, best]:
                    best = s
            found += 1
            shared += [best, t] in gold[i]
    return 1 - 2 * shared / (found + sum(map(len, gold)))


def all_sentences_at_once(weights, source_lengths, target_lengths, gold):
    """Masks instead of slices, and a boolean tensor of gold links."""
    _, rows, columns = weights.shape
    real = torch.arange(columns) < torch.tensor(source_lengths)[:, None]
    words = torch.arange(rows) < torch.tensor(target_lengths)[:, None]
    chosen = weights.masked_fill(~real[:, None], -torch.inf).argmax(-1)
    right = torch.zeros(weights.shape, dtype=torch.bool)
    for i, links in enumerate(gold):
        for source, target in links:
            right[i, target, source] = True
    shared = (right.gather(-1, chosen[..., None])[..., 0] & words).sum()
    return 1 - 2 * shared / (words.sum() + right.sum())


class HarmonicMean:
    """A callable: 1 - the harmonic mean of precision and recall."""

    def __call__(self, weights, source_lengths, target_lengths, gold):
        hits = 0
        for table, sources, targets, links in zip(
            weights, source_lengths, target_lengths, gold, strict=True
        ):
            order = table[:targets, :sources].sort(dim=1, descending=True).indices[:, 0]
            hits += sum(bool(order[target] == source) for source, target in links)
        if not hits:
            return 1.0
        precision, recall = hits / sum(target_lengths), hits / sum(map(len, gold))
        return 1 - 2 / (1 / precision + 1 / recall)


STYLES = {"translation.alignment": (loops, all_sentences_at_once, HarmonicMean())}
