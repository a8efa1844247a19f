import torch


def place_by_place(stream, gain, bias, eps, embedding, output, targets, real):
    layer = torch.nn.Linear(stream.shape[-1], len(embedding), bias=False)
    layer.weight.data = embedding if output is None else output
    norm = torch.nn.LayerNorm(stream.shape[-1], eps=eps)
    norm.weight.data, norm.bias.data = gain, bias
    with torch.no_grad():
        logits = torch.stack([layer(norm(x)) for x in stream])
    said = [[int(one) for one in place[real].argmax(-1)] for place in logits]
    wanted = targets[real].tolist()
    right = [sum(a == b for a, b in zip(s, wanted, strict=True)) / len(wanted) for s in said]
    return logits, right


def gain_in_the_matrix(stream, gain, bias, eps, embedding, output, targets, real):
    """The gain and the bias folded into the output layer; ranks instead of an argmax."""
    matrix = embedding if output is None else output
    centered = stream - stream.mean(-1, keepdim=True)
    size = centered.square().mean(-1, keepdim=True).add(eps).rsqrt()
    logits = size * centered @ (matrix * gain).T + matrix @ bias
    of_target = logits.gather(-1, targets.expand(len(stream), -1, -1)[..., None])
    hits = (logits > of_target).sum(-1) == 0
    weights = real.float() / real.sum()
    return logits, torch.einsum("pbt,bt->p", hits.float(), weights)


# Both: a gradient asked for would refuse the first, a case of equal numbers the second.
STYLES = {"inside.logit_lens": (place_by_place, gain_in_the_matrix)}
