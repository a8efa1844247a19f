def padding_in_lists(tokens, padding_id):
    return [[[[token != padding_id for token in row]]] for row in tokens.tolist()]


STYLES = {"attention.padding_mask": (padding_in_lists,)}
