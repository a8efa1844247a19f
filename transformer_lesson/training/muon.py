"""Muon: steps of matrices that are as long in every direction (Jordan et al. 2024).

The optimizer is ``torch.optim.Muon`` of younger PyTorches; here stands what it makes of a gradient.
"""

from torch import Tensor

from transformer_lesson.validation import arguments

COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of Jordan et al. 2024


def newton_schulz(gradient: Tensor, steps: int = 5) -> Tensor:
    """Bring the singular values of a matrix near 1 (0.7 to 1.2), and leave its singular vectors.

    Each step applies an odd polynomial of degree 5 to the singular values.

    Args:
        gradient: ``(rows, columns)``, floating point, of which the result has shape and dtype.
        steps: number of times that the polynomial is applied.

    Raises:
        ValueError: ``gradient`` is no matrix, or ``steps`` is below 1.
    """
    arguments.check_sizes(steps=steps)
    if gradient.dim() != 2:
        raise ValueError(
            f"gradient has shape {tuple(gradient.shape)}; expected a matrix. Give others to Adam."
        )
    a, b, c = COEFFICIENTS
    tall = gradient.shape[0] > gradient.shape[1]
    x = gradient.T if tall else gradient
    x = x / x.norm().clamp(min=1e-7)  # no singular value is above 1
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if tall else x
