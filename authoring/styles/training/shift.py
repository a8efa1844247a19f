def by_narrow(tokens, padding_id):
    length = tokens.size(1) - 1
    targets = tokens.narrow(1, 1, length)
    return tokens.narrow(1, 0, length), targets, targets.ne(padding_id)


STYLES = {"training.shift": (by_narrow,)}
