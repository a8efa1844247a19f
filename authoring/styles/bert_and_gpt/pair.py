from itertools import chain

import torch


def by_chain(documents, document, sentence, coin, other_document, other_sentence, cls_id, sep_id):
    random = coin >= 0.5
    others = [*documents[document + 1 :], *documents[:document]]  # the next one comes first
    which = (other_document - document - 1) % len(documents)
    away = others[0] if other_document == document else others[which]
    second = away[other_sentence % len(away)] if random else documents[document][sentence + 1]
    parts = ([cls_id], documents[document][sentence], [sep_id], second, [sep_id])
    lengths = list(map(len, parts))
    segments = [0] * sum(lengths[:3]) + [1] * sum(lengths[3:])
    return list(chain.from_iterable(parts)), segments, 1 - random


def by_appending(
    documents, document, sentence, coin, other_document, other_sentence, cls_id, sep_id
):
    tokens, segments = [cls_id], [0]
    follows = True if coin < 0.5 else False  # noqa: SIM210
    if not follows and other_document == document:
        other_document = 0 if document == len(documents) - 1 else document + 1
    away = documents[other_document]
    while other_sentence >= len(away):
        other_sentence -= len(away)
    b = documents[document][sentence + 1] if follows else away[other_sentence]
    for segment, part in enumerate((documents[document][sentence], b)):
        for token in part:
            tokens.append(token)
            segments.append(segment)
        tokens.append(sep_id)
        segments.append(segment)
    return tokens, segments, (float(follows) == 1.0 and 1) or 0


class Pairs:
    """A callable that draws B with a method of its own."""

    def __call__(self, documents, document, sentence, coin, *rest):
        *draw, cls_id, sep_id = rest
        follows = int(coin < 0.5)
        a, b = documents[document][sentence], self.second(documents, document, sentence, coin, draw)
        tokens = torch.tensor([cls_id, *a, sep_id, *b, sep_id])
        return tokens, torch.arange(len(tokens)).ge(len(a) + 2).long(), follows

    def second(self, documents, document, sentence, coin, draw):
        if coin < 0.5:
            return documents[document][sentence + 1]
        away = draw[0] if draw[0] != document else (document + 1) % len(documents)
        return documents[away][draw[1] % len(documents[away])]


STYLES = {"bert.pair": (by_chain, by_appending, Pairs())}
