import torch


def in_closed_form(queries, keys, width, capacity):
    """Whole divisions, rounded up by their negative."""
    pair = 2 * width
    tall = min((capacity - pair) // (pair + 3), queries)
    long = min((capacity - pair - 2) // (pair + 1), keys)
    outer = pair * (queries - (-queries // tall) * keys)
    inner = pair * keys - (-keys // long) * queries * (3 * width + 4)
    return [torch.tensor([outer, inner]), torch.tensor(outer > inner).long()]


STYLES = {"flash.traffic": (in_closed_form,)}
