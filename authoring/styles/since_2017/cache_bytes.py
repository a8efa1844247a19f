import numpy as np
import torch


def layer_by_layer(layers, key_heads, d_head, tokens, bytes_per_number, window, full_every):
    total = 0
    for layer in range(1, layers + 1):
        whole = window is None or (full_every is not None and layer % full_every == 0)
        kept = tokens if whole or tokens < window else window
        total += 2 * kept * key_heads * d_head * bytes_per_number
    return total


def of_shapes(layers, key_heads, d_head, tokens, bytes_per_number, window, full_every):
    """The sizes of tensors that are never made."""
    numbers = 0
    for layer in range(layers):
        last = -1 if window is None or (full_every and (layer + 1) % full_every == 0) else window
        length = len(range(tokens)[: last if last >= 0 else None])
        keys = torch.empty(1, key_heads, length, d_head, device="meta")
        numbers += keys.numel() + torch.empty_like(keys).numel()
    return numbers * bytes_per_number


def by_numpy(layers, key_heads, d_head, tokens, bytes_per_number, window, full_every):
    number = np.arange(1, layers + 1, dtype=np.int64)
    kept = np.full(layers, tokens if window is None else min(tokens, window), dtype=np.int64)
    if full_every is not None:
        kept[number % full_every == 0] = tokens
    return int(kept.sum()) * 2 * key_heads * d_head * bytes_per_number


STYLES = {"modern.cache_bytes": (layer_by_layer, of_shapes, by_numpy)}
