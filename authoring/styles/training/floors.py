import torch


def by_comparing_rows(texts, padding_id, losses):
    """All rows against all: which share the past, and which of these the target."""

    def price(alike, place):
        same = alike & (texts[:, None, place] == texts[:, place])
        return (alike.sum(1) / same.sum(1)).double().log()

    def mean(gap):
        costs, count = [], []
        for place in range(gap, texts.shape[1]):
            past = texts[:, : place - gap + 1]
            real = texts[:, place] != padding_id
            alike = (past[:, None] == past).all(-1) & real
            costs.append(price(alike, place)[real])
            count.append(real)
        return torch.cat(costs).mean(), torch.cat(count).double().mean()

    before, token = texts[:, :-1].flatten(), texts[:, 1:].flatten()
    before, token = before[token != padding_id], token[token != padding_id]
    alike = before[:, None] == before
    same = alike & (token[:, None] == token)
    bigram = (alike.sum(1) / same.sum(1)).double().log().mean()
    right, share = mean(1)
    floors = torch.stack([right, mean(2)[0], bigram, right * share, torch.zeros(()).double()])
    return floors, (losses[:, None] - floors).abs().argmin(dim=1)


STYLES = {"training.floors": (by_comparing_rows,)}
