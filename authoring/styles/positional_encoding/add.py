import torch


def narrowed(embeddings, table, start):
    return torch.add(table.narrow(0, start, embeddings.shape[1]).unsqueeze(0), embeddings)


def token_by_token(embeddings, table, start):
    tokens = enumerate(embeddings.unbind(1), start)
    return torch.stack([token + table[position] for position, token in tokens], dim=1)


def sentence_by_sentence(embeddings, table, start):
    result = torch.zeros_like(embeddings)
    for number, sentence in enumerate(embeddings):
        result[number] += sentence
        result[number] += table[start : start + len(sentence)]
    return result


STYLES = {"positions.add": (narrowed, token_by_token, sentence_by_sentence)}
