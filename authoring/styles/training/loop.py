import math

import torch
from torch import nn
from torch.nn import functional as F


class Model(nn.Module):
    """The exercise's model, with its mode as a factor."""

    def __init__(self, embedding, output, dropped):
        super().__init__()
        self.table = nn.Embedding.from_pretrained(embedding.clone(), freeze=False)
        self.head = nn.Linear(output.shape[1], len(output), bias=False, dtype=output.dtype)
        self.head.load_state_dict({"weight": output})
        self.kept = (~dropped).to(output.dtype)

    def forward(self, tokens):
        rows = self.table(tokens)
        return self.head(rows * self.kept if self.training else rows)


class Descent:
    """Gradient descent with momentum, its velocity kept beside each weight."""

    def __init__(self, model):
        self.state = [(weight, torch.zeros_like(weight)) for weight in model.parameters()]

    def step(self, rate):
        for weight, velocity in self.state:
            velocity.copy_(0.9 * velocity + weight.grad)
            weight.data -= rate * velocity


def without_a_module(
    embedding, output, dropped, batches, held_out, rates, clip_norm, every, padding_id
):
    """Plain tensors: autograd gives the gradients, and momentum is written out."""
    weights = [embedding.clone().requires_grad_(), output.clone().requires_grad_()]
    velocity = [torch.zeros_like(w) for w in weights]
    keep = (~dropped).to(embedding.dtype)

    def surprise(tokens, factor):
        real = tokens[..., 1:] != padding_id
        logits = (weights[0][tokens[..., :-1]] * factor) @ weights[1].T
        said = logits.gather(-1, tokens[..., 1:].unsqueeze(-1))[..., 0]
        return ((logits.logsumexp(-1) - said) * real).sum(), real.sum()

    losses, measured = [], []
    for step in range(len(batches)):
        total, count = surprise(batches[step], keep)
        loss = total / count
        gradients = torch.autograd.grad(loss, weights)
        norm = math.sqrt(sum(float(g.square().sum()) for g in gradients))
        factor = clip_norm / norm if norm > clip_norm else 1.0
        with torch.no_grad():
            for w, v, g in zip(weights, velocity, gradients, strict=True):
                v.mul_(0.9).add_(g * factor)
                w -= rates[step] * v
        losses.append(loss.detach())
        if (step + 1) % every == 0:
            total, count = surprise(held_out, torch.ones_like(keep))
            measured.append((total / count).detach())
    return torch.stack(losses), torch.stack(measured)


def by_hand(embedding, output, dropped, batches, held_out, rates, clip_norm, every, padding_id):
    """No autograd: softmax minus one-hot, and two products of matrices."""
    table, head = embedding.clone(), output.clone()
    moves = torch.zeros_like(table), torch.zeros_like(head)

    def pairs(texts):
        given, said = texts[..., :-1].flatten(), texts[..., 1:].flatten()
        return given[said != padding_id], said[said != padding_id]

    def mean_loss(texts):
        given, said = pairs(texts)
        return -(table[given] @ head.T).log_softmax(1)[torch.arange(len(said)), said].mean()

    losses = torch.empty(len(batches), dtype=embedding.dtype)
    measured = []
    for step, batch in enumerate(batches):
        given, said = pairs(batch)
        rows = torch.where(dropped, 0.0, table[given])
        chances = (rows @ head.T).softmax(1)
        wanted = F.one_hot(said, len(head)).to(chances.dtype)
        losses[step] = -(chances * wanted).sum(1).log().mean()
        error = (chances - wanted) / len(said)
        d_head = error.T @ rows
        d_table = torch.zeros_like(table).index_add(0, given, (error @ head).where(~dropped, 0.0))
        norm = torch.cat([d_table.flatten(), d_head.flatten()]).norm()
        for weight, move, gradient in zip((table, head), moves, (d_table, d_head), strict=True):
            move *= 0.9
            move += gradient * min(1.0, clip_norm / float(norm))
            weight -= rates[step] * move
        if step % every == every - 1:
            measured.append(mean_loss(held_out))
    return losses, torch.tensor(measured)


class Trainer:
    """A callable that keeps the parts of a loop in itself."""

    def __call__(self, embedding, output, dropped, *rest):
        batches, held_out, rates, clip_norm, every, self.padding_id = rest
        self.model = Model(embedding, output, dropped)
        descent = Descent(self.model)
        losses, measured = [], []
        for first in range(0, len(batches), every):
            self.model.train()
            for batch, rate in zip(batches[first:], rates[first : first + every], strict=False):
                self.model.zero_grad()
                losses.append(self.loss(batch).mean())
                losses[-1].backward()
                gradients = [weights.grad for weights in self.model.parameters()]
                norm = torch.stack([g.norm() for g in gradients if g is not None]).norm()
                for gradient in gradients:
                    gradient.div_((norm / clip_norm).clamp(min=1))
                descent.step(rate)
            self.model.eval()
            if first + every <= len(batches):
                measured.append(self.loss(held_out).mean())
        return torch.stack(losses).detach(), torch.stack(measured).detach()

    def loss(self, texts):
        logits = self.model(texts.narrow(-1, 0, texts.shape[-1] - 1))
        targets = texts[..., 1:]
        every_place = F.cross_entropy(logits.movedim(-1, 1), targets, reduction="none")
        return every_place.masked_select(targets != self.padding_id)


STYLES = {"training.loop": (without_a_module, by_hand, Trainer())}
