import torch
from torch.nn import functional as F


def choice_by_choice(tokens, w_up, w_down, weights, chosen, capacity):
    """Token after token, with a list of the room that is left."""
    room = [capacity] * w_up.shape[0]
    rows = []
    for token, own, experts in zip(tokens, weights, chosen.tolist(), strict=True):
        row = torch.zeros_like(token)
        for weight, expert in zip(own, experts, strict=True):
            if room[expert] > 0:
                room[expert] -= 1
                row = row + weight * (F.silu(token @ w_up[expert]) @ w_down[expert])
        rows.append(row)
    return torch.stack(rows)


def by_dispatch(tokens, w_up, w_down, weights, chosen, capacity):
    """One-hot dispatch into (experts, capacity) slots, as GShard's einsums do it."""
    wanted = F.one_hot(chosen, len(w_up)).to(tokens)
    sent = wanted.sum(1)
    place = torch.cumsum(sent, 0).sub(1).masked_fill(sent == 0, -1).long()
    slots = torch.arange(min(capacity, len(tokens)))
    dispatch = (place[..., None] == slots).to(tokens)
    inside = torch.einsum("tec,td->ecd", dispatch, tokens)
    made = torch.bmm(F.silu(torch.bmm(inside, w_up)), w_down)
    share = (wanted * weights[..., None]).sum(1)
    return torch.einsum("tec,ecd->td", share[..., None] * dispatch, made)


class Sorted:
    """A callable that sorts all choices by expert and cuts them into one piece for each."""

    def __call__(self, tokens, w_up, w_down, weights, chosen, capacity):
        order = chosen.flatten().argsort(stable=True)
        counts = torch.bincount(chosen.flatten(), minlength=len(w_up)).tolist()
        self.made = tokens.new_zeros(chosen.numel(), tokens.shape[1])
        for expert, piece in enumerate(order.split(counts)):
            taken = piece[:capacity]
            inside = F.silu(F.linear(tokens[taken // chosen.shape[1]], w_up[expert].T))
            self.made = self.made.index_put((taken,), F.linear(inside, w_down[expert].T))
        return torch.linalg.vecdot(weights[:, :, None], self.made.view(*chosen.shape, -1), dim=1)


STYLES = {"modern.combine": (choice_by_choice, by_dispatch, Sorted())}
