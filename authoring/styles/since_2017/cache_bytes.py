import torch


def of_shapes(layers, key_heads, d_head, tokens, bytes_per_number, window, full_every):
    """The sizes of tensors that are never made."""
    numbers = 0
    for layer in range(layers):
        last = -1 if window is None or (full_every and (layer + 1) % full_every == 0) else window
        length = len(range(tokens)[: last if last >= 0 else None])
        keys = torch.empty(1, key_heads, length, d_head, device="meta")
        numbers += keys.numel() + torch.empty_like(keys).numel()
    return numbers * bytes_per_number


STYLES = {"modern.cache_bytes": (of_shapes,)}
