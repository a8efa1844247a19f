"""The view of a training run, without a browser."""

from typing import Any

import numpy as np
import pytest
import torch

from transformer_lesson.training import History
from transformer_lesson.widgets import TrainingExplorer

SIX = ["The", "cat", "sat", "on", "the", "mat"]
HISTORY = History(
    losses=[3.0, 2.0, 1.5, 1.25],
    tokens=[6] * 4,
    learning_rates=[0.5, 1.0, 0.75, 0.5],
    gradient_norms=[1.0] * 4,
    evaluations=[(0, {"accuracy": 0.1}), (2, {"accuracy": 0.5}), (4, {"accuracy": 0.9})],
)


def weights(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).softmax(-1)


def snapshots() -> list[tuple[int, torch.Tensor]]:
    return [(step, weights(2, 3, 6, 6, seed=step)) for step in (0, 2, 4)]


def test_the_browser_gets_weights_losses_and_rates_once() -> None:
    explorer = TrainingExplorer(HISTORY, snapshots(), SIX)
    assert explorer.shape == [6, 3, 6, 6]
    assert (explorer.num_layers, explorer.num_losses) == (2, 4)
    assert explorer.checkpoints == [0, 2, 4]
    bytes_of_weights = 2 * 6 * 3 * 6 * 6
    sent = np.frombuffer(explorer.data[:bytes_of_weights], dtype="<u2") / 65535
    given = torch.stack([one for _, one in snapshots()]).numpy()
    assert np.abs(sent.reshape(given.shape) - given).max() <= 7.7e-6
    rest = np.frombuffer(explorer.data[bytes_of_weights:], dtype="<f4")
    assert rest.tolist() == HISTORY.losses + HISTORY.learning_rates


def test_the_checkpoint_has_its_maps_and_numbers() -> None:
    explorer = TrainingExplorer(HISTORY, snapshots(), SIX)
    assert explorer.numbers() == {"evaluation: accuracy": 0.1}
    explorer.checkpoint = 1
    assert np.array_equal(explorer.shown(), snapshots()[1][1].numpy())
    assert explorer.numbers() == {
        "training loss": 2.0,
        "learning rate": 1.0,
        "evaluation: accuracy": 0.5,
    }


@pytest.mark.parametrize(
    "history", [HISTORY.to_plain(), {"losses": HISTORY.losses}, HISTORY.losses]
)
def test_a_history_may_be_its_lists(history: Any) -> None:
    explorer = TrainingExplorer(history, snapshots(), SIX)
    explorer.checkpoint = 2
    assert explorer.numbers()["training loss"] == 1.25


def test_steps_and_maps_may_come_zipped_one_layer_at_a_time() -> None:
    explorer = TrainingExplorer([1.0], zip([0, 1], weights(2, 4, 2, 6), strict=True), SIX[:2], SIX)
    assert explorer.shape == [2, 4, 2, 6]


def test_the_text_says_step_numbers_and_strongest_keys() -> None:
    eye = torch.eye(6).expand(1, 2, 6, 6)
    explorer = TrainingExplorer(HISTORY, [(0, weights(1, 2, 6, 6)), (4, eye)], SIX)
    explorer.checkpoint, explorer.pinned = 1, 2
    text = explorer._repr_mimebundle_()[0]["text/plain"].splitlines()
    assert text[0] == (
        "A training of 4 steps, checkpoint 2 of 2, step 4: training loss 1.25, learning rate 0.5, "
        "evaluation: accuracy 0.9."
    )
    assert text[2] == "sat (2) → layer 0 head 0 sat (2) 1.00, layer 0 head 1 sat (2) 1.00"
    explorer.pinned = None
    assert len(explorer._alt_text().splitlines()) == 8
