"""Which source word a target word was made from: read out of attention, and measured."""

from collections.abc import Collection, Sequence

import torch
from torch import Tensor

from transformer_lesson.models import EncoderDecoder, recorded_weights

Link = tuple[int, int]


def cross_attention(model: EncoderDecoder, source: Tensor, target: Tensor) -> Tensor:
    """Return the cross-attention weights of one sentence pair.

    Args:
        model: left in eval mode.
        source: ids ``(source tokens,)``.
        target: ids ``(target tokens,)``: start token, words, end token.

    Returns:
        ``(layers, heads, target tokens - 1, source tokens)``: row i is what the decoder looked at
        while it predicted target token i + 1.
    """
    model.eval()
    with torch.no_grad(), recorded_weights(model) as weights:
        model(source[None], target[None, :-1])
    return torch.cat([w for name, w in weights.items() if name.endswith("cross_attention")])


def word_weights(
    weights: Tensor, target_words: Sequence[int], source_words: Sequence[int]
) -> Tensor:
    """Gather the weights of pieces into weights of words.

    A target word looks at a source word with the sum over its pieces, averaged over the target
    word's own pieces.

    Args:
        weights: ``(..., target pieces, source pieces)``; further rows and columns (the end token)
            are left out.
        target_words: for each target piece, the index of its word.
        source_words: for each source piece, the index of its word.

    Returns:
        ``(..., target words, source words)``.
    """
    rows, columns = (_membership(words, weights) for words in (target_words, source_words))
    pieces = weights[..., : len(target_words), : len(source_words)]
    return (rows / rows.sum(-1, keepdim=True)) @ pieces @ columns.T


def _membership(words: Sequence[int], like: Tensor) -> Tensor:
    """Return ``(words, pieces)``: 1 where a piece belongs to a word."""
    index = torch.tensor(words)
    return (index == torch.arange(max(words) + 1)[:, None]).to(like.dtype)


def links(weights: Tensor) -> set[Link]:
    """Link each target word to the source word that it looks at most.

    Returns pairs (source word, target word) for ``weights (target words, source words)``.
    """
    return {(source, target) for target, source in enumerate(weights.argmax(-1).tolist())}


def alignment_error_rate(
    found: Sequence[Collection[Link]], gold: Sequence[Collection[Link]]
) -> float:
    """Return the share of links that disagree, over a corpus; 0 is perfect.

    ``1 - 2 |found ∩ gold| / (|found| + |gold|)``: the rate of Och & Ney 2003 where every gold link,
    the right ones of each sentence, is sure.

    Raises:
        ValueError: there are more sentences of one than of the other, or no link at all.
    """
    if len(found) != len(gold):
        raise ValueError(f"{len(found)} sentences were aligned, {len(gold)} have a gold alignment.")
    shared = sum(len(set(a) & set(b)) for a, b in zip(found, gold, strict=True))
    total = sum(len(set(a)) + len(set(b)) for a, b in zip(found, gold, strict=True))
    if not total:
        raise ValueError("there is no link, neither found nor gold.")
    return 1 - 2 * shared / total
