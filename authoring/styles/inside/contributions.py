import numpy as np
import torch


def in_numpy(added, gain, bias, eps, output, first, second):
    parts = added.double().numpy()
    end = parts.sum(0)
    scale = np.sqrt(((end - end.mean(-1, keepdims=True)) ** 2).mean(-1) + eps)
    matrix = output.double().numpy()
    toward = matrix[first.numpy()] - matrix[second.numpy()]
    read = toward * gain.numpy()
    # Centering is its own transpose: what is read is centered, and not what is added.
    read = read - read.mean(-1, keepdims=True)
    brought = np.einsum("pbtd,btd->pbt", parts, read) / scale
    return np.concatenate([brought, (toward @ bias.double().numpy())[None]])


def token_by_token(added, gain, bias, eps, output, first, second):
    parts, batch, tokens, width = added.shape
    result = torch.empty(parts + 1, batch, tokens)
    for b in range(batch):
        for t in range(tokens):
            end = added[:, b, t].sum(0)
            divisor = (end.pow(2).mean() - end.mean() ** 2 + eps).clamp(min=0) ** 0.5
            for p, part in enumerate(added[:, b, t]):
                logits = output @ ((part - part.sum() / width) / divisor * gain)
                result[p, b, t] = logits[first[b, t]] - logits[second[b, t]]
            rest = output @ bias
            result[parts, b, t] = rest[first[b, t]] - rest[second[b, t]]
    return result


def all_logits(added, gain, bias, eps, output, first, second):
    """Through the whole output layer, then two entries of it."""
    x = added.double()
    size = torch.sqrt(x.sum(0).var(-1, unbiased=False) + eps)[..., None]
    normed = (x - x.mean(-1, keepdim=True)) / size * gain
    normed = torch.cat([normed, bias.double().expand_as(normed[:1])])
    logits = normed @ output.double().T
    index = [ids.expand(len(logits), -1, -1).unsqueeze(-1) for ids in (first, second)]
    one, other = (logits.gather(-1, ids).squeeze(-1) for ids in index)
    return one - other


STYLES = {"inside.contributions": (in_numpy, token_by_token, all_logits)}
