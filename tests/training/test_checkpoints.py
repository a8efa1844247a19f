import errno
import multiprocessing
import os
import random
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.fixtures import Patch
from tests.training import small
from tests.training.small import small_model, train_long
from transformer_lesson.training import CheckpointError, History, TrainingConfig

CONFIG = TrainingConfig(steps=10, learning_rate=0.01, warmup_steps=3, save_every=2)


def run(folder: Path | None, config: TrainingConfig = CONFIG, **more: Any) -> History:
    return small.run(config, folder=folder, **more)


def with_steps(steps: int) -> TrainingConfig:
    return replace(CONFIG, steps=steps)


def test_a_resumed_run_repeats_bit_for_bit(tmp_path: Path) -> None:
    whole, model = small_model(), small_model(seed=9)
    expected = run(None, model=whole)
    run(tmp_path, with_steps(6))
    history = run(tmp_path, model=model)
    assert history.losses == expected.losses
    assert all(a.equal(b) for a, b in zip(model.parameters(), whole.parameters(), strict=True))


def test_a_stable_rate_may_end_elsewhere_before_it_falls(tmp_path: Path) -> None:
    falling = replace(CONFIG, steps=9, schedule="stable", decay_steps=3, save_every=1)
    longer, resumed = replace(falling, steps=20), small_model(seed=5)

    def batches(number: int) -> Any:
        return small.BATCHES(number) if number < 4 else pytest.fail("stopped")

    with pytest.raises(pytest.fail.Exception):
        run(tmp_path, longer, batches=batches)
    history = run(tmp_path, falling, model=resumed)
    assert history.losses == run(None, falling).losses
    with pytest.raises(CheckpointError, match="steps=9, this run has steps=20"):
        run(tmp_path, longer, model=resumed)


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    def batches(number: int) -> Any:
        if number == 4 and not (tmp_path / "pressed").exists():
            (tmp_path / "pressed").touch()
            os.kill(os.getpid(), signal.SIGINT)
        return small.BATCHES(number)

    before = signal.getsignal(signal.SIGINT)
    stopped = run(tmp_path, batches=batches)
    assert stopped.interrupted and stopped.steps == 5, "it ends after the step under way"
    assert signal.getsignal(signal.SIGINT) is before
    history, whole = run(tmp_path), run(None)
    assert not history.interrupted
    assert (history.losses, stopped.losses) == (whole.losses, whole.losses[:5])


@pytest.mark.rare
def test_killed_ten_times_it_ends_the_same(tmp_path: Path) -> None:
    # The server has torch loaded, so that each process starts at once.
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.training.small", "transformer_lesson.training"])
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    moments = random.Random(0)
    for _ in range(10):
        process = processes.Process(target=train_long, args=(killed,))
        process.start()
        seen = _written(killed)
        # Each kill hits a run that has got further than the one before it.
        while process.is_alive() and _written(killed) == seen:
            time.sleep(0.005)
        time.sleep(moments.uniform(0, 0.03))
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL, "done before ten kills; let it run longer"
    for folder in (killed, whole):
        process = processes.Process(target=train_long, args=(folder,))
        process.start()
        process.join()
        assert process.exitcode == 0
    one, two = (torch.load(folder / "checkpoint.pt") for folder in (killed, whole))
    assert one["history"]["losses"] == two["history"]["losses"]
    assert all(one["model"][name].equal(weight) for name, weight in two["model"].items())


def _written(folder: Path) -> int:
    path = folder / "checkpoint.pt"
    return path.stat().st_mtime_ns if path.exists() else 0


def test_a_full_disk_keeps_the_checkpoint_before(tmp_path: Path, monkeypatch: Patch) -> None:
    run(tmp_path, with_steps(4))
    good = (tmp_path / "checkpoint.pt").read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match=r"step 6 .*No space left.*before it is whole"):
        run(tmp_path)
    assert (tmp_path / "checkpoint.pt").read_bytes() == good
    assert {path.name for path in tmp_path.iterdir()} == {"checkpoint.pt", "log.csv"}


def test_another_file_or_folder_is_no_checkpoint(tmp_path: Path) -> None:
    torch.save({"weights": torch.zeros(2)}, tmp_path / "checkpoint.pt")
    with pytest.raises(CheckpointError, match="no checkpoint of this course"):
        run(tmp_path)
    with pytest.raises(CheckpointError, match=r"checkpoint\.pt"):
        run(tmp_path / "checkpoint.pt" / "folder")


@pytest.mark.parametrize("share", [0, 0.5, 0.99])
def test_half_a_file_is_refused_and_kept(tmp_path: Path, share: float) -> None:
    run(tmp_path, with_steps(2))
    path = tmp_path / "checkpoint.pt"
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(CheckpointError, match=r"checkpoint\.pt cannot be read.*Move it away"):
        run(tmp_path)
    assert path.stat().st_size == int(len(data) * share)


def test_code_in_a_checkpoint_never_runs(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (os.mkdir, (str(tmp_path / "sprung"),))

    torch.save({"model": Trap()}, tmp_path / "checkpoint.pt")
    with pytest.raises(CheckpointError):
        run(tmp_path)
    assert not (tmp_path / "sprung").exists()
    torch.load(tmp_path / "checkpoint.pt", weights_only=False)
    assert (tmp_path / "sprung").exists(), "the trap was set"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d_ff": 64}, r"layers\.0\.feed_forward\.up\.weight is of shape \(32, 16\) there"),
        ({"num_layers": 3}, r"layers\.2\..* is missing there"),
        ({"num_layers": 1}, r"layers\.1\..* missing in this model"),
        ({"norm": "post"}, r"final_norm"),
        ({"dropout": 0.3}, r"dropout=0\.1.*not .*dropout=0\.3"),
    ],
)
def test_another_model_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    run(tmp_path, with_steps(2))
    model = small_model(**change)
    before = [p.clone() for p in model.parameters()]
    with pytest.raises(CheckpointError, match=message):
        run(tmp_path, model=model)
    assert all(a.equal(b) for a, b in zip(model.parameters(), before, strict=True))


@pytest.mark.parametrize(
    ("name", "there", "here"), [("learning_rate", 0.01, 0.02), ("precision", "float32", "bfloat16")]
)
def test_another_configuration_is_named(tmp_path: Path, name: str, there: Any, here: Any) -> None:
    run(tmp_path, with_steps(2))
    with pytest.raises(CheckpointError, match=f"{name}={there!r}, this run has .*={here!r}"):
        run(tmp_path, replace(CONFIG, **{name: here}))


def test_another_optimizer_is_named(tmp_path: Path) -> None:
    def trained_by(kind: type[torch.optim.Adam], **options: Any) -> None:
        model = small_model()
        run(tmp_path, model=model, optimizer=kind(model.parameters(), **options))

    run(tmp_path, with_steps(2))
    with pytest.raises(CheckpointError, match=r"betas=\(0\.9, 0\.98\), this one has .*0\.95\)"):
        trained_by(torch.optim.Adam, betas=(0.9, 0.95), eps=1e-9, fused=True)
    # What tells the two apart is a setting of its own since PyTorch 2.7.
    with pytest.raises(CheckpointError, match=r"weight_decay=(False|0), .*=(True|0\.1)"):
        trained_by(torch.optim.AdamW, betas=(0.9, 0.98), eps=1e-9, fused=True, weight_decay=0.1)
    trained_by(torch.optim.Adam, betas=(0.9, 0.98), eps=1e-9, fused=True, lr=3.0)


def test_a_younger_pytorch_with_one_more_setting_goes_on(tmp_path: Path) -> None:
    run(tmp_path, with_steps(6))
    state = torch.load(tmp_path / "checkpoint.pt")
    state["optimizer"]["param_groups"][0].pop("decoupled_weight_decay", None)
    torch.save(state, tmp_path / "checkpoint.pt")
    assert run(tmp_path).losses == run(None).losses


def test_a_cosine_cannot_be_stretched(tmp_path: Path) -> None:
    cosine = TrainingConfig(steps=2, learning_rate=0.01, schedule="cosine")
    run(tmp_path, cosine)
    with pytest.raises(CheckpointError, match="steps=2, this run has steps=4"):
        run(tmp_path, replace(cosine, steps=4))


def test_beside_it_stands_a_log_that_pandas_reads(tmp_path: Path) -> None:
    import pandas as pd

    config = TrainingConfig(steps=4, learning_rate=0.01, evaluate_every=2, save_every=2)
    history = run(tmp_path, config, evaluate=lambda _: {"bleu": 12.5, "loss": 1.0})
    log = pd.read_csv(tmp_path / "log.csv", index_col="step")
    assert log.tokens.dropna().tolist() == history.tokens
    assert list(log.index) == [0, 1, 2, 3, 4]
    assert list(log.loss[1:]) == history.losses
    assert list(log.gradient_norm[1:]) == history.gradient_norms
    assert list(log.bleu.dropna().index) == [0, 2, 4]
