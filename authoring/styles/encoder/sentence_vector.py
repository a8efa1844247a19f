import torch


def sentence_by_sentence(hidden, tokens, padding_id):
    vectors = []
    for sentence, ids in zip(hidden, tokens.tolist(), strict=True):
        real = [vector for vector, word in zip(sentence, ids, strict=True) if word != padding_id]
        zero = hidden.new_zeros(hidden.shape[-1])
        vectors.append(sum(real, zero) / max(len(real), 1))
    return torch.stack(vectors)


class AsAttention:
    """A query that scores all real tokens alike."""

    def __call__(self, hidden, tokens, padding_id):
        hide = tokens == padding_id
        scores = torch.zeros_like(tokens, dtype=hidden.dtype).masked_fill(hide, -1e4)
        weights = scores.softmax(dim=-1).masked_fill(hide, 0.0)
        return torch.bmm(weights[:, None, :], hidden)[:, 0]


# Both: a ban of softmax would refuse the second alone.
STYLES = {"encoder.sentence_vector": (sentence_by_sentence, AsAttention())}
