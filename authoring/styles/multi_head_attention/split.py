import torch


def split_by_unflatten(tokens, num_heads):
    return tokens.unflatten(2, (num_heads, -1)).movedim(2, 1)


def split_by_copying(tokens, num_heads, start=0):
    batch, length, d_model = tokens.shape
    width = d_model // num_heads
    heads = torch.empty(batch, num_heads, length, width)
    for head in range(start, num_heads):
        heads[:, head] = tokens[..., head * width : (head + 1) * width]
    return heads


def split_by_index(tokens, num_heads):
    columns = torch.arange(tokens.shape[-1]).view(num_heads, -1)
    return tokens[:, :, columns].permute(0, 2, 1, 3).contiguous()


STYLES = {"heads.split": (split_by_unflatten, split_by_copying, split_by_index)}
