def by_narrow(tokens, padding_id):
    length = tokens.size(1) - 1
    targets = tokens.narrow(1, 1, length)
    return tokens.narrow(1, 0, length), targets, targets.ne(padding_id)


def by_windows(tokens, padding_id):
    pairs = tokens.unfold(1, 2, 1)  # (batch, tokens - 1, 2)
    return pairs[..., 0], pairs[..., 1], ~(pairs[..., 1] == padding_id)


class Shifter:
    """A callable that rolls and cuts."""

    def __call__(self, tokens, padding_id=0, by=1):
        targets = tokens.roll(-by, dims=1)[:, :-by]
        return [tokens.clone()[:, :-by], targets, (targets - padding_id).bool()]


STYLES = {"training.shift": (by_narrow, by_windows, Shifter())}
