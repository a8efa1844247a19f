import torch


def one_hot_product(ids, upstream, vocab_size):
    one_hot = (ids.reshape(-1, 1) == torch.arange(vocab_size)).to(upstream)
    return one_hot.T @ upstream.reshape(len(one_hot), -1)


def loop_over_tokens(ids, upstream, vocab_size):
    gradient = upstream.new_zeros(vocab_size, upstream.shape[2])
    for sentence in range(ids.shape[0]):
        for place in range(ids.shape[1]):
            gradient[ids[sentence, place]] += upstream[sentence, place]
    return gradient


def sum_for_each_word(ids, upstream, vocab_size):
    return torch.stack([upstream[ids == word].sum(0) for word in range(vocab_size)])


STYLES = {"tokens.embedding_gradient": (one_hot_product, loop_over_tokens, sum_for_each_word)}
