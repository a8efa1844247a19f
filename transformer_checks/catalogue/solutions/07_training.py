# Derived from solutions/07_training.ipynb by `make exercises`.


import math
from collections import Counter

import torch
from torch import Tensor, nn
from torch.nn import functional as F


# %% training.shift
def shift(tokens: Tensor, padding_id: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return inputs, targets and counted, each (batch, tokens - 1), of ids (batch, tokens)."""
    targets = tokens[:, 1:]
    return tokens[:, :-1], targets, targets != padding_id


# %% training.cross_entropy
def cross_entropy(logits: Tensor, targets: Tensor, padding_id: int) -> Tensor:
    """Return a 0-dim tensor for logits (batch, tokens, vocabulary) and targets (batch, tokens)."""
    chosen = logits.gather(-1, targets[..., None]).squeeze(-1)
    losses = logits.logsumexp(-1) - chosen
    real = targets != padding_id
    return losses[real].sum() / real.sum().clamp(min=1)


# %% training.label_smoothing
def smoothed_loss(logits: Tensor, targets: Tensor, padding_id: int, smoothing: float) -> Tensor:
    """Return a 0-dim tensor for logits (batch, tokens, vocabulary) and targets (batch, tokens)."""
    costs = -logits.log_softmax(-1)
    target_cost = costs.gather(-1, targets[..., None]).squeeze(-1)
    even_cost = (costs.sum(-1) - costs[..., padding_id]) / (logits.shape[-1] - 1)
    losses = (1 - smoothing) * target_cost + smoothing * even_cost
    real = targets != padding_id
    return losses[real].sum() / real.sum().clamp(min=1)


# %% training.schedule
def learning_rate(step: int, warmup_steps: int, d_model: int) -> float:
    """Return the learning rate of a step; the first one is step 1."""
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% training.adam
def adam_step(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    step: int,
    rate: float,
    beta1: float,
    beta2: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the new weight, mean and square, all of the shape of the weight."""
    mean = beta1 * mean + (1 - beta1) * gradient
    square = beta2 * square + (1 - beta2) * gradient**2
    corrected_mean = mean / (1 - beta1**step)
    corrected_square = square / (1 - beta2**step)
    return weight - rate * corrected_mean / (corrected_square.sqrt() + eps), mean, square


# %% training.accumulate
def accumulate(losses: Tensor, gradients: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """losses and tokens are (batches,), gradients (batches, weights).

    Returns the loss, 0-dim, and the gradient (weights,).
    """
    some = tokens > 0
    share = (tokens[some] / tokens.sum()).to(losses.dtype)
    return share @ losses[some], share @ gradients[some]


# %% training.clip
def clip(matrix: Tensor, bias: Tensor, max_norm: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of a matrix and of a bias, clipped together, and their norm before."""
    norm = (matrix.square().sum() + bias.square().sum()).sqrt()
    factor = max_norm / norm if norm > max_norm else 1.0
    return factor * matrix, factor * bias, norm


# %% training.repaired
def trained_layer(x, w_query, w_key, w_value, w_output, w_up, w_down, num_heads):
    def norm(y):
        centred = y - y.mean(1, keepdim=True)
        return centred / torch.sqrt(centred.square().mean(1, keepdim=True) + 1e-5)

    def attend(y):
        query, key, value = (
            (y @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2)
            for w in (w_query, w_key, w_value)
        )
        weights = (query @ key.mT / math.sqrt(x.shape[-1])).softmax(dim=-2)
        return (weights @ value).transpose(1, 2).flatten(-2) @ w_output

    x = norm(x)
    x = x + attend(x)
    x = norm(x)
    return x + F.relu(x @ w_up) @ w_down


def repaired_layer(
    x: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    w_up: Tensor,
    w_down: Tensor,
    num_heads: int,
) -> Tensor:
    """Return (batch, tokens, d_model) for x of that shape. The matrices stand to the right."""
    def norm(y: Tensor) -> Tensor:
        centred = y - y.mean(-1, keepdim=True)
        return centred / torch.sqrt(centred.square().mean(-1, keepdim=True) + 1e-5)

    def attend(y: Tensor) -> Tensor:
        query, key, value = (
            (y @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2)
            for w in (w_query, w_key, w_value)
        )
        weights = (query @ key.mT / math.sqrt(query.shape[-1])).softmax(dim=-1)
        return (weights @ value).transpose(1, 2).flatten(-2) @ w_output

    x = x + attend(norm(x))
    return x + F.relu(norm(x) @ w_up) @ w_down


# %% training.loop
class Bigram(nn.Module):
    """Predict the next token from the last; in training, the dropped features are 0."""

    def __init__(self, embedding: Tensor, output: Tensor, dropped: Tensor) -> None:
        super().__init__()
        self.embedding = nn.Parameter(embedding.clone())  # (vocabulary, d_model)
        self.output = nn.Parameter(output.clone())  # (vocabulary, d_model)
        self.dropped = dropped  # (d_model,), boolean

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits (batch, tokens, vocabulary) of what follows each token."""
        features = self.embedding[tokens]
        if self.training:
            features = features.masked_fill(self.dropped, 0.0)
        return features @ self.output.mT


class Momentum:
    """Gradient descent with momentum; it is called like PyTorch's optimizers."""

    def __init__(self, model: nn.Module) -> None:
        self.weights, self.rate = list(model.parameters()), 0.0
        self.moves = [torch.zeros_like(weight) for weight in self.weights]

    def zero_grad(self) -> None:
        for weight in self.weights:
            weight.grad = None

    @torch.no_grad()
    def step(self) -> None:
        for weight, move in zip(self.weights, self.moves):
            if weight.grad is not None:
                move.mul_(0.9).add_(weight.grad)
                weight.sub_(self.rate * move)


class Schedule:
    """Give an optimizer the rate of its first step, and at each call of `step` the next one."""

    def __init__(self, optimizer: Momentum, rates: list[float]) -> None:
        self.optimizer, self.rates = optimizer, iter(rates)
        self.step()

    def step(self) -> None:
        self.optimizer.rate = next(self.rates, self.optimizer.rate)


def fit(
    embedding: Tensor,
    output: Tensor,
    dropped: Tensor,
    batches: Tensor,
    held_out: Tensor,
    rates: list[float],
    clip_norm: float,
    every: int,
    padding_id: int,
) -> tuple[Tensor, Tensor]:
    """Train on batches (steps, batch, tokens); return its losses and the held-out losses."""
    model = Bigram(embedding, output, dropped).eval()
    optimizer = Momentum(model)
    schedule = Schedule(optimizer, rates)
    def loss_of(batch: Tensor, reduction: str) -> Tensor:
        logits, targets = model(batch[:, :-1]), batch[:, 1:]
        return F.cross_entropy(logits.mT, targets, ignore_index=padding_id, reduction=reduction)

    losses, held_out_losses = [], []
    for step, batch in enumerate(batches, start=1):
        model.train()
        loss = loss_of(batch, "mean")
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
        optimizer.step()
        schedule.step()
        losses.append(loss.detach())
        if step % every == 0:
            model.eval()
            with torch.no_grad():
                total = sum(loss_of(other, "sum") for other in held_out)
            held_out_losses.append(total / (held_out[..., 1:] != padding_id).sum())
    return torch.stack(losses), torch.stack(held_out_losses)


# %% training.floors
def floors_of(texts: Tensor, padding_id: int, losses: Tensor) -> tuple[Tensor, Tensor]:
    """Return the floors (5,) of the table's lines, and the line of each of losses (runs,)."""
    def floor(known_of, ahead=1, padding=False):
        pairs = [
            (known_of(text[: place + 1 - ahead]), text[place])
            for text in texts.tolist()
            for place in range(ahead, len(text))
            if padding or text[place] != padding_id
        ]
        alike, same = Counter(known for known, _ in pairs), Counter(pairs)
        costs = [n * math.log(alike[known] / n) for (known, _), n in same.items()]
        return sum(costs) / len(pairs)

    def last(before):
        return before[-1]

    floors = torch.tensor(
        [floor(tuple), floor(tuple, ahead=2), floor(last), floor(tuple, padding=True), 0.0]
    )
    reached = torch.where(floors <= losses[:, None], floors, -1.0)  # (runs, 5)
    return floors, reached.argmax(1)
