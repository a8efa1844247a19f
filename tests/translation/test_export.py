"""A translator for other runtimes, and in fewer bytes: the texts are the same."""

from pathlib import Path

import ctranslate2
import pytest
import torch

from tests.fixtures import Capture
from tests.translation.toy import ENGLISH, FRENCH
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.translation.__main__ import main
from transformer_lesson.translation.export import to_ctranslate2
from transformer_lesson.translation.quantized import dequantize_weights, quantize_weights
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import Vocabulary


def untrained(**changes: object) -> Translator:
    """A translator whose texts are long and all different, since it has learned nothing."""
    vocabulary = Vocabulary.train([*ENGLISH, *FRENCH], 60)
    sizes = {"d_model": 32, "num_heads": 4, "d_ff": 64, "max_tokens": 30}
    config = ModelConfig(len(vocabulary), **(sizes | changes))  # type: ignore[arg-type]
    model = EncoderDecoder(config, generator=seeded(3))
    with torch.no_grad():
        for weight in model.parameters():  # Zero biases and unit gains would hide a swap.
            weight.add_(torch.randn(weight.shape, generator=seeded(weight.numel())), alpha=0.3)
    return Translator(model.eval(), vocabulary)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm": "post"},
        {"activation": "gelu", "tie_embeddings": False},
        {"positions": "learned", "num_layers": 1, "initialization": "gpt2"},
    ],
)
def test_ctranslate2_translates_as_we_do(changes: dict[str, object], tmp_path: Path) -> None:
    translator = untrained(**changes)
    to_ctranslate2(translator, tmp_path)
    runtime = ctranslate2.Translator(str(tmp_path), intra_threads=1)
    vocabulary = Vocabulary.load(tmp_path / "vocabulary.json")
    identity = {piece: number for number, piece in enumerate(vocabulary.all_pieces())}
    results = runtime.translate_batch(
        [vocabulary.pieces(text) for text in ENGLISH], beam_size=1, max_decoding_length=20
    )
    ours = [translator.translate([text])[0] for text in ENGLISH]
    theirs = [
        vocabulary.decode([identity[piece] for piece in result.hypotheses[0]]) for result in results
    ]
    assert len(set(ours)) > 2
    for one, other in zip(ours, theirs, strict=True):
        # Which of them ends first depends on their limits alone.
        shorter, longer = sorted((one, other), key=len)
        assert len(shorter) > 20 and longer.startswith(shorter)


@pytest.mark.parametrize(
    "changes", [{"positions": "rotary"}, {"norm_type": "rms"}, {"activation": "swiglu"}]
)
def test_a_part_without_counterpart_is_named(changes: dict[str, str], tmp_path: Path) -> None:
    ((name, value),) = changes.items()
    with pytest.raises(ValueError, match=f"{name}='{value}' cannot be exported"):
        to_ctranslate2(untrained(**changes), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_row_is_off_by_half_its_scale_at_most() -> None:
    weights = {"w": torch.randn(5, 300, generator=seeded(0)), "b": torch.randn(7)}
    weights["w"][3] = 0
    small = quantize_weights(weights)
    whole = dequantize_weights(small)
    assert small["w"].dtype is torch.int8 and small["b"] is weights["b"]
    assert whole.keys() == weights.keys() and whole["w"].dtype is torch.float32
    largest = weights["w"].abs().amax(1, keepdim=True)
    assert ((whole["w"] - weights["w"]).abs() <= largest / 254 * 1.001).all()
    assert whole["w"].abs().amax(1) == pytest.approx(largest[:, 0])


def test_scales_that_are_missing_are_named() -> None:
    small = quantize_weights({"w": torch.ones(2, 3)})
    del small["w.scale"]
    with pytest.raises(ValueError, match="w is int8 and has no scale"):
        dequantize_weights(small)


def test_the_command_writes_each_format_once(tmp_path: Path, capsys: Capture) -> None:
    translator, model = untrained(), tmp_path / "model"
    translator.save(model)
    for form in ("int8", "ctranslate2", "ctranslate2-int8"):
        asked = ["export", str(model), "--format", form, "--out", str(tmp_path / form)]
        assert main(asked) == 0
        assert main(asked) == 2
        assert "is not empty; choose a new folder" in capsys.readouterr().err
    sizes = {form: _size(tmp_path / form) for form in ("model", "int8")}
    assert sizes["int8"] < 0.5 * sizes["model"]
    small = Translator.load(tmp_path / "int8")
    tokens = torch.tensor([[5, 6, 7, 2]])
    whole = translator.model(tokens, tokens)
    torch.testing.assert_close(small.model(tokens, tokens), whole, rtol=0.1, atol=0.5)


def _size(folder: Path) -> int:
    return (folder / "model.safetensors").stat().st_size
