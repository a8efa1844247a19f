def pair_by_pair(tokens, padding_id):
    return [
        [[[k <= q and int(row[k]) != padding_id for k in range(len(row))] for q in range(len(row))]]
        for row in tokens
    ]


STYLES = {"decoder.mask": (pair_by_pair,)}
