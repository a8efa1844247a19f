import torch


def sum_for_each_word(ids, upstream, vocab_size):
    return torch.stack([upstream[ids == word].sum(0) for word in range(vocab_size)])


STYLES = {"tokens.embedding_gradient": (sum_for_each_word,)}
