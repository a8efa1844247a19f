"""Training and decoding on a GPU, as the command line does where there is one."""

import pytest
import torch

pytest.importorskip("sacrebleu", reason="only the kernels' tests do without it")
pytest.importorskip("tokenizers", reason="only the kernels' tests do without it")
pytest.importorskip("tqdm", reason="only the kernels' tests do without it")

from tests.translation.toy import CORPUS, ENGLISH, FRENCH, RECIPE
from transformer_lesson.translation.recipe import train_translator

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def test_a_toy_language_is_learned_and_decoded() -> None:
    translator, _ = train_translator(CORPUS, RECIPE, device="cuda", progress=False)
    for beam_width in (1, 3):
        for cached in (True, False):
            found = translator.translate(ENGLISH, beam_width=beam_width, cached=cached)
            assert found == FRENCH, (beam_width, cached)
