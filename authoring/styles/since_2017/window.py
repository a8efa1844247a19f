def pair_by_pair(queries, keys, window):
    return [
        [max(0, end - window) <= key < end for key in range(keys)]
        for end in range(keys - queries + 1, keys + 1)
    ]


STYLES = {"modern.window": (pair_by_pair,)}
