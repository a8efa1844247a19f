import torch
from torch.nn import functional as F


def by_norming_again(streams):
    """What has just left a norm does not change in another one."""
    after = streams[:, 1:]
    again = F.layer_norm(after, after.shape[-1:])
    unchanged = torch.isclose(after, again, atol=1e-2).flatten(1).all(-1)
    unit = F.normalize(streams, dim=-1)
    kept = (unit[:, 1:] * unit[:, :-1]).sum(-1).flatten(1).mean(-1)
    return torch.where(unchanged, 1, 0) + torch.where(kept > 0.5, 0, 2), kept


STYLES = {"encoder.which_stack": (by_norming_again,)}
