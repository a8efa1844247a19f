import math

import torch


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


STYLES = {"training.loop": (without_a_module,)}
