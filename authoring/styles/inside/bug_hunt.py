import torch


def _attention(head, tokens, vocab):
    """Entries of the head, looked up by ids and by places."""
    places = vocab + torch.arange(len(tokens))
    scores = head[tokens[:, None], places] + head[places[:, None], places]
    before = torch.stack([head[tokens], head[places]]).sum(0)[:, tokens[:-1]]
    scores[:, 1:] += before
    return scores.masked_fill(torch.ones_like(scores).triu(1) > 0, -torch.inf).softmax(-1)


def one_text_for_all(heads, text, vocab):
    """New ids in three blocks: the last query of each kind looks somewhere else."""
    block = len(text) // 2
    fresh = [id for id in range(vocab) if id not in text.tolist()][:block]
    kinds = []
    for head in heads:
        last = _attention(head, torch.tensor(fresh * 3), vocab)[-1]
        looks = {0: last[[block, 2 * block]].min() * 2, 1: last[2 * block], 2: last[-1]}
        kinds.append(next((kind for kind, most in looks.items() if most > 0.6), 3))
    return kinds


def from_the_weights(heads, text, vocab):
    """No text at all: the diagonals of the two blocks of a head."""
    block = len(text) // 2
    ids = heads[:, :vocab, :vocab].diagonal(dim1=1, dim2=2)
    places = heads[:, vocab:, vocab:]
    other = torch.ones(vocab, dtype=torch.bool)
    other[text] = False
    at = torch.arange(2 * block, places.shape[-1])
    kinds = torch.full((len(heads),), 3)
    kinds[(ids[:, other] > 6).all(1)] = 0
    kinds[(places[:, at, at - block + 1] > 6).all(1)] = 1
    kinds[(places[:, at, at] > 6).all(1)] = 2
    return kinds


def by_induction_scores(heads, text, vocab):
    """Three experiments, each on all queries whose id has occurred before."""
    block = text[: len(text) // 2]
    fresh = torch.tensor(sorted(set(range(vocab)) - set(text.tolist())))[: len(block)]

    def succeeds(head, tokens):
        same = tokens[:, None] == tokens
        after = torch.zeros_like(same)
        after[:, 1:] = same[:, :-1]
        after = after.tril()
        spent = (_attention(head, tokens, vocab) * after).sum(1)[after.any(1)]
        return bool(spent.mean() > 0.9)

    shorter, longer = block[:-1].repeat(2), torch.cat([block, fresh[:1]]).repeat(2)
    late = torch.cat([fresh, block, block])
    table = {(True, True): 0, (False, True): 1, (False, False): 2}
    kinds = []
    for head in heads:
        if not succeeds(head, fresh.repeat(2)):
            kinds.append(3)
            continue
        other_lengths = succeeds(head, shorter) and succeeds(head, longer)
        kinds.append(table[other_lengths, succeeds(head, late)])
    return torch.tensor(kinds)


STYLES = {"inside.bug_hunt": (one_text_for_all, from_the_weights, by_induction_scores)}
