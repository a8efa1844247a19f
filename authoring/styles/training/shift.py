"""Shift by one in other styles."""

from torch import Tensor

Result = tuple[Tensor, Tensor, Tensor]


def by_narrow(tokens: Tensor, padding_id: int) -> Result:
    length = tokens.size(1) - 1
    targets = tokens.narrow(1, 1, length)
    return tokens.narrow(1, 0, length), targets, targets.ne(padding_id)


def by_windows(tokens: Tensor, padding_id: int) -> Result:
    pairs = tokens.unfold(1, 2, 1)  # (batch, tokens - 1, 2)
    return pairs[..., 0], pairs[..., 1], ~(pairs[..., 1] == padding_id)


class Shifter:
    """A callable that rolls and cuts."""

    def __call__(self, tokens: Tensor, padding_id: int = 0, by: int = 1) -> list[Tensor]:
        targets = tokens.roll(-by, dims=1)[:, :-by]
        return [tokens.clone()[:, :-by], targets, (targets - padding_id).bool()]


STYLES = {"training.shift": (by_narrow, by_windows, Shifter())}
