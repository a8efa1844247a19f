import numpy as np
import torch
from torch.nn import functional as F


def softmax_of_the_chosen(logits, k):
    """Weights from the chosen logits alone; shares from one-hot rows."""
    best, chosen = torch.topk(logits, k)
    share = F.one_hot(chosen, logits.size(1)).to(logits).mean((0, 1))
    mean = torch.exp(logits - logits.logsumexp(1, keepdim=True)).mean(0)
    return F.softmax(best, 1), chosen, logits.size(1) * torch.dot(share, mean)


def token_by_token(logits, k):
    """Lists, of numbers and of tensors."""
    tokens, experts = logits.shape
    load, mean, weights, chosen = [0] * experts, [0.0] * experts, [], []
    for row in logits:
        exponentials = (row - row.max()).exp()
        total = exponentials.sum()
        order = sorted(range(experts), key=lambda e: -row[e].item())[:k]
        for expert in range(experts):
            mean[expert] += exponentials[expert] / total / tokens
        for expert in order:
            load[expert] += 1
        weights.append(torch.stack([exponentials[e] for e in order]))
        weights[-1] = weights[-1] / weights[-1].sum()
        chosen.append(order)
    balance = sum(n * p for n, p in zip(load, mean, strict=True)) * experts / (tokens * k)
    return torch.stack(weights), torch.tensor(chosen), balance


class BySorting:
    """A callable that sorts all experts and counts with numpy."""

    def __call__(self, logits, k):
        self.k = k
        order = logits.argsort(dim=1, descending=True)
        probability = torch.softmax(logits, 1)
        chosen = order[:, :k]
        kept = probability.take_along_dim(chosen, 1)
        return F.normalize(kept, p=1, dim=1), chosen, self.balance(probability, chosen)

    def balance(self, probability, chosen):
        tokens, experts = probability.shape
        load = np.zeros(experts)
        np.add.at(load, chosen.numpy().ravel(), 1)
        return (
            (probability @ torch.from_numpy(load).to(probability)).mean()
            * experts
            / (tokens * self.k)
        )


# All: bans of log-sum-exp, of `tolist` and of NumPy would refuse one each.
STYLES = {"modern.route": (softmax_of_the_chosen, token_by_token, BySorting())}
