"""What a call leaves behind, besides what it returns, for all that is computed after it."""

import torch


def settings() -> dict[str, object]:
    """PyTorch's settings for a whole session, by what is said of an answer that changes them."""
    return {
        "sets the default dtype of all tensors to come": torch.get_default_dtype(),
        "sets the default device of all tensors to come": torch.get_default_device(),
        "sets the seed of all random numbers to come": torch.initial_seed(),
        "switches for all that follows whether gradients are recorded": torch.is_grad_enabled(),
    }


def left_changed(before: dict[str, object]) -> str:
    """The first of the settings that is not what it was before, in words; empty if all are."""
    return next((words for words, now in settings().items() if before[words] != now), "")
