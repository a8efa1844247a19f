import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, sys, torch
from tests.training.small import SENTENCES, small_model
from transformer_lesson.training import TokenBatches, TrainingConfig, next_token, train
torch.set_num_threads(1)
config = TrainingConfig(steps=8, learning_rate=0.01, warmup_steps=2, batches_per_step=4,
                        evaluate_every=4, seed=5)
model = small_model()
history = train(model, next_token(padding_id=0), TokenBatches(SENTENCES, 80), config,
                evaluate=lambda model: {"one": 1.0}, folder=sys.argv[1], progress=False)
if history.evaluations:
    logits = model(torch.tensor(SENTENCES[:1])).flatten().tolist()
    print(json.dumps([history.losses, history.tokens, logits, history.evaluations]))
"""


def result(command: list[str], folder: Path) -> list:
    script = folder.with_suffix(".py")
    script.write_text(SCRIPT)
    done = subprocess.run(
        [*command, str(script), str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_two_processes_end_where_one_does(tmp_path: Path) -> None:
    """The same global batch, dropout included, gives the same losses and weights."""
    alone = result([sys.executable], tmp_path / "one")
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    both = result([sys.executable, *launcher], tmp_path / "two")
    assert both[0] == pytest.approx(alone[0], rel=1e-4)
    assert both[1] == alone[1]
    assert both[2] == pytest.approx(alone[2], rel=1e-3, abs=1e-4)
    assert both[3] == alone[3]
    assert (tmp_path / "two" / "checkpoint.pt").exists()
