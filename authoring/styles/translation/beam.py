import numpy as np
import torch


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


STYLES = {"translation.beam": (WithNumpy(),)}
