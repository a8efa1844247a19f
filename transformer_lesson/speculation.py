"""Speculative decoding: a small model guesses ahead, a large one reads all guesses at once.

The text follows the large model's distribution exactly, in fewer calls of it (Leviathan et al.
2023, algorithm 1; Chen et al. 2023).
"""

import torch
from torch import Tensor

from transformer_lesson.decoding import Model, Reader, likely
from transformer_lesson.validation import arguments


@torch.no_grad()
def speculative_sample(
    model: Model,
    draft: Model,
    prompt: Tensor,
    *,
    source: Tensor | None = None,
    guesses: int = 4,
    max_tokens: int,
    end_id: int | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Draw what ``sample`` draws from ``model``, of whose calls ``draft`` saves some.

    A guess is kept with probability min(1, p/q), where p is what the model and q what the draft
    thinks of it. In place of the first that is not kept a token is drawn from what p has more than
    q; if all are kept, one more token comes from the model.

    What is not named here is as in ``sample``, the settings of the draws for both models.

    Args:
        model: whose distribution the text follows, in evaluation mode.
        draft: a faster model of the same vocabulary.
        prompt: ids ``(1, tokens)``: one text, since texts keep different numbers of guesses.
        guesses: number of tokens that are guessed before the model reads them.

    Raises:
        ValueError: the vocabularies differ, there are several texts, ``guesses`` is below 1, or see
            ``sample``.
    """
    arguments.check_sizes(guesses=guesses)
    reader, guesser = (
        Reader(each, prompt, source, max_tokens, end_id, cached=True, rings=False)
        for each in (model, draft)
    )
    if len(prompt) != 1:
        raise ValueError(f"there are {len(prompt)} prompts; each keeps its own guesses. Give one.")
    if model.config.vocab_size != draft.config.vocab_size:
        raise ValueError(
            f"the draft has vocab_size={draft.config.vocab_size} and the model "
            f"{model.config.vocab_size}; a guess must mean the same to both."
        )

    def probabilities(logits: Tensor) -> Tensor:
        allowed = likely(logits, temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
        return allowed.softmax(-1)

    def draw(probability: Tensor) -> Tensor:
        return torch.multinomial(probability, 1, generator=generator)

    tokens = prompt
    while (length := tokens.shape[1]) < max_tokens:
        guessed, thought = tokens, []
        for _ in range(min(guesses, max_tokens - length - 1)):
            thought.append(probabilities(guesser(guessed)))
            guessed = torch.cat([guessed, draw(thought[-1])], dim=1)
        new = guessed[0, length:, None]
        p = probabilities(reader.last(guessed, len(new) + 1)[0])  # (guesses + 1, vocab_size)
        q = torch.cat([*thought, torch.zeros_like(p[:1])])  # after the last guess: p alone
        shares = (p[:-1].gather(1, new) / q[:-1].gather(1, new)).flatten()
        random = torch.rand(shares.shape, device=shares.device, generator=generator)
        kept = int((random < shares).cumprod(0).sum())
        other = draw((p[kept] - q[kept]).clamp(min=0))
        tokens = torch.cat([guessed[:, : length + kept], other[None]], dim=1)
        for each in (reader, guesser):
            each.forget_after(length + kept)
        ends = [] if end_id is None else (tokens[0, length:] == end_id).nonzero().tolist()
        if ends:
            return tokens[:, : length + ends[0][0] + 1]
    return tokens
