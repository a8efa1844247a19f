"""Token ids.

What reads them (``check_tokens`` and what calls it) makes a GPU wait, so it runs once, where ids
enter. What is no tensor of integers raises a TypeError, all else that a check asks for a
ValueError.
"""

import torch
from torch import Tensor

from transformer_lesson.validation.arguments import is_whole


def check_ids(tokens: Tensor, padding_id: int = 0) -> None:
    """Check that ``tokens`` has shape ``(batch, tokens)`` and an integer dtype."""
    if not isinstance(tokens, Tensor):
        raise TypeError("tokens is not a tensor of integer ids; use torch.tensor(ids).")
    if tokens.dtype not in (torch.int64, torch.int32):
        raise TypeError(
            f"tokens has dtype {tokens.dtype}; expected integer ids. Use torch.tensor(ids), "
            "or tokens.long() where the ids are right."
        )
    if not is_whole(padding_id):
        raise TypeError(f"padding_id={padding_id!r}; expected the integer id of the padding token.")
    if tokens.dim() != 2:
        raise ValueError(
            f"tokens has shape {tuple(tokens.shape)}; expected (batch, tokens). "
            "For one sentence use tokens.unsqueeze(0)."
        )


def check_tokens(tokens: Tensor, vocab_size: int) -> None:
    """Check that ``tokens`` is ``(batch, tokens)`` with ids from 0 to ``vocab_size - 1``."""
    check_ids(tokens)
    if not tokens.numel():
        return
    first, last = (int(edge) for edge in tokens.aminmax())
    if first < 0 or last >= vocab_size:
        raise ValueError(
            f"token id {first if first < 0 else last} is beyond the vocabulary: ids go from 0 to "
            f"{vocab_size - 1}. Is the tokenizer the one that the model was made for?"
        )


def check_text_length(tokens: int, max_tokens: int) -> None:
    """Check that a text of ``tokens`` tokens ends within a table of ``max_tokens`` positions."""
    if tokens > max_tokens:
        raise ValueError(
            f"position {tokens - 1} is asked for; there are positions 0 to {max_tokens - 1}. "
            "Cut the text, or make the model with a larger max_tokens."
        )


def check_prompt(
    prompt: Tensor, max_tokens: int, vocab_size: int, end_id: int | None, padding_id: int | None
) -> None:
    """Check what decoding starts from."""
    check_tokens(prompt, vocab_size)
    if prompt.numel() == 0:
        raise ValueError(
            f"the prompt has shape {tuple(prompt.shape)}; expected at least one text "
            "and one token, such as the start token."
        )
    if not is_whole(max_tokens) or max_tokens <= prompt.shape[1]:
        raise ValueError(
            f"max_tokens={max_tokens!r} counts the prompt, which has {prompt.shape[1]} tokens; "
            f"expected {prompt.shape[1] + 1} or more."
        )
    if padding_id is not None:
        real = prompt.ne(padding_id)
        if bool((real.any(1) & real[:, -1].logical_not()).any()):
            raise ValueError(
                f"a prompt ends in padding (id {padding_id}), and the model would go on from "
                "there. Put the padding on the left."
            )
    if end_id is not None and not (is_whole(end_id) and 0 <= end_id < vocab_size):
        raise ValueError(f"end_id={end_id!r}; expected an id from 0 to {vocab_size - 1}, or None.")


def check_source(source: Tensor | None, texts: int, vocab_size: int) -> None:
    """Check that there is a source for each of ``texts`` prompts."""
    if source is None:
        raise ValueError("an EncoderDecoder needs a source; give source=ids (batch, tokens).")
    check_tokens(source, vocab_size)
    if len(source) != texts:
        raise ValueError(
            f"there are {len(source)} sources for {texts} prompts; expected one for each."
        )
