import torch


class OneAfterTheOther:
    """A callable: first the one worker is brought to the maximum, then the other."""

    def __call__(self, maximum_a, total_a, weighted_a, maximum_b, total_b, weighted_b):
        maximum = (maximum_a + (maximum_b - maximum_a).relu()).fmax(maximum_b)
        maximum = torch.where(maximum_a.isneginf(), maximum_b, maximum)
        total, weighted = torch.zeros_like(total_a), torch.zeros_like(weighted_a)
        for own, t, w in ((maximum_b, total_b, weighted_b), (maximum_a, total_a, weighted_a)):
            factor = torch.where(own == maximum, 1.0, torch.exp(own - maximum))
            total = total + factor * t
            weighted = weighted + (factor * w.movedim(-1, 0)).movedim(0, -1)
        return maximum, total, weighted


STYLES = {"flash.merge": (OneAfterTheOther(),)}
