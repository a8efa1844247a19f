def split_by_unflatten(tokens, num_heads):
    return tokens.unflatten(2, (num_heads, -1)).movedim(2, 1)


STYLES = {"heads.split": (split_by_unflatten,)}
