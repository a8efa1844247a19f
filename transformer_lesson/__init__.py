"""The Transformer, built and measured: what the lessons build, to be read beside them.

    02, 03  attention       scaled dot-product attention, masks, several heads
    04      positions       sinusoids, a relative bias, rotations, ALiBi
    05, 06  blocks          feed-forward, norms, encoder and decoder layers
            models          encoder-decoder, encoder alone, decoder alone, from one ``config``
            stacks          the layers of their encoders and decoders
    06      cache           keys and values that are computed once
            decoding        greedy, sampling, beams
    07      training/       batches, losses, the loop, checkpoints
            weights         from elsewhere
    08      gpt2, bert      their checkpoints in these layers; ``pretrained`` opens a folder
    09      flash/          tiles, the log-sum-exp, kernels in Triton
    10      translation/    corpora, vocabulary, translator, scores
    11      moe             mixtures of experts
            families, llama the checkpoints of what came since

    widgets/, figures       live views and static ones, in the colors of ``palette``
    checks                  the door to the exercises' checks
    initialization, validation, files, machine    what the others share

Importing it costs nothing beyond ``import torch``. Plotting, widgets and Triton load when they
are first used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["seeded"]


def seeded(seed: int) -> "torch.Generator":
    """Return a CPU random generator that starts at ``seed`` and leaves the global one alone."""
    import torch  # not above, so that the grader can start a second process before it loads this

    return torch.Generator().manual_seed(seed)
