# Derived from solutions/08_bert_and_gpt.ipynb by `make exercises`.


import torch
from torch import Tensor


# %% bert.mask
def attention_mask(tokens: Tensor, padding_id: int, causal: bool) -> Tensor:
    """Return the boolean mask (batch, 1, tokens, tokens) for token ids (batch, tokens)."""
    batch, length = tokens.shape
    mask = (tokens != padding_id)[:, None, None, :]
    if causal:
        mask = mask & torch.ones(length, length).tril().bool()
    return mask.expand(batch, 1, length, length)


# %% bert.corrupt
def corrupt(
    tokens: Tensor,
    choose: Tensor,
    how: Tensor,
    replacements: Tensor,
    mask_id: int,
    first_word: int,
    padding_id: int,
) -> tuple[Tensor, Tensor]:
    """Return what the model reads and what it is asked for; all tensors are (batch, tokens)."""
    chosen = (tokens >= first_word) & (choose < 0.15)
    reads = torch.where(chosen & (how < 0.8), mask_id, tokens)
    reads = torch.where(chosen & (how >= 0.8) & (how < 0.9), replacements, reads)
    return reads, torch.where(chosen, tokens, padding_id)


# %% bert.loss
def masked_loss(logits: Tensor, tokens: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Return loss and accuracy, both 0-dim.

    logits (batch, tokens, vocabulary); tokens and the boolean chosen are (batch, tokens).
    """
    losses = -logits.log_softmax(-1).gather(-1, tokens[..., None]).squeeze(-1)
    right = (logits.argmax(-1) == tokens).float()
    count = chosen.sum().clamp(min=1)
    return losses[chosen].sum() / count, right[chosen].sum() / count


# %% bert.pair
def sentence_pair(
    documents: list[list[list[int]]],
    document: int,
    sentence: int,
    coin: float,
    other_document: int,
    other_sentence: int,
    cls_id: int,
    sep_id: int,
) -> tuple[list[int], list[int], int]:
    """Return tokens and segments, lists of the same length, and follows, 0 or 1."""
    a = documents[document][sentence]
    follows = int(coin < 0.5)
    if follows:
        b = documents[document][sentence + 1]
    else:
        if other_document == document:
            other_document = (document + 1) % len(documents)
        other = documents[other_document]
        b = other[other_sentence % len(other)]
    tokens = [cls_id, *a, sep_id, *b, sep_id]
    segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
    return tokens, segments, follows


# %% bert.classify
def classify(
    hidden: Tensor, tokens: Tensor, weight: Tensor, bias: Tensor, padding_id: int, pool: str
) -> Tensor:
    """Return logits (batch, classes).

    hidden (batch, tokens, d_model), tokens (batch, tokens), weight (classes, d_model) as in
    nn.Linear, bias (classes,); pool is "first" or "mean".
    """
    if pool == "first":
        pooled = hidden[:, 0]
    else:
        real = (tokens != padding_id)[..., None]
        pooled = (hidden * real).sum(1) / real.sum(1).clamp(min=1)
    return pooled @ weight.T + bias


# %% bert.which_run
def which_run(
    tokens: Tensor, reads: Tensor, guesses: Tensor, mask_id: int
) -> tuple[Tensor, Tensor]:
    """Return the shares (4 runs, 3), and the runs (4,): sound, all places, reads, frequencies.

    tokens and reads are (batch, tokens), guesses (4, batch, tokens).
    """
    masked = reads == mask_id
    replaced = ~masked & (reads != tokens)
    right, repeated = (guesses == tokens).float(), (guesses == reads).float()
    where = right[:, masked], right[:, replaced], repeated[:, replaced]
    shares = torch.stack([each.mean(1) for each in where], dim=1)
    sound = shares[:, 1].argmax()  # only context can mend a wrong word
    all_places = (shares[:, 0] + shares[:, 2]).argmax()  # a copy, where there is one to take
    what_it_reads = shares[:, 0].argmin()  # it says [mask] where it reads [mask]
    frequencies = 0 + 1 + 2 + 3 - sound - all_places - what_it_reads  # the one that is left
    return shares, torch.stack([sound, all_places, what_it_reads, frequencies])
