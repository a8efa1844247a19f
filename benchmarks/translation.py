"""What lesson 10 promises: speed beside ``nn.Transformer``, padding, preparation, beam, BLEU.

All on one thread and in seconds of processor time, so that other work on the machine matters
little; only the minute of training is by the clock, on two cores. The two models train in the same
loop, on the same batches, and take turns.

``python -m benchmarks.translation`` takes about five minutes; ``--quick`` runs it small.
"""

import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import nn

from benchmarks.model import WithPyTorch
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import TokenBatches, TrainingConfig, train, translation
from transformer_lesson.translation.corpora import Corpus, load_corpus
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.recipe import Recipe, learn_vocabulary, train_translator
from transformer_lesson.translation.translator import examples
from transformer_lesson.translation.vocabulary import PADDING, Vocabulary

RECIPE = Recipe(batch_tokens=576)
MINUTE_RECIPE = Recipe(batch_tokens=1024, steps=400, warmup_steps=50, evaluate_every=0)
STEPS = 20
PROMISED_SPEED, PROMISED_PADDING, PROMISED_PREPARATION = 1.0, 0.10, 0.05
PROMISED_BEAM_SECONDS, PROMISED_BLEU, MINUTE = 60.0, 15.0, 60.0


@dataclass(frozen=True)
class Prepared:
    """What training needs, and the seconds that it took.

    Attributes:
        loading: seconds to read the corpus.
        tokenizer: seconds from text to ids, once there is a vocabulary.
    """

    corpus: Corpus
    vocabulary: Vocabulary
    batches: TokenBatches
    loading: float
    tokenizer: float


def seconds(action: Callable[[], object]) -> float:
    """Return the processor time of one call."""
    start = time.process_time()
    action()
    return time.process_time() - start


def prepare(pairs: int) -> Prepared:
    """Prepare corpus, vocabulary and batches, and time what is done for every pair."""
    start = time.process_time()
    corpus = load_corpus("builtin", pairs=pairs)
    loading = time.process_time() - start
    vocabulary = learn_vocabulary(corpus, RECIPE.vocab_size if pairs > 10_000 else 2000)
    start = time.process_time()
    ids = examples(corpus.train, vocabulary, RECIPE.max_tokens)
    tokenizer = time.process_time() - start
    batches = TokenBatches(ids, RECIPE.batch_tokens, padding_id=PADDING)
    return Prepared(corpus, vocabulary, batches, loading, tokenizer)


def speed(prepared: Prepared, rounds: int) -> tuple[float, float]:
    """Print tokens per second of both models; return the ratio and our seconds per step."""
    config = ModelConfig(
        len(prepared.vocabulary),
        RECIPE.d_model,
        RECIPE.num_heads,
        RECIPE.num_layers,
        RECIPE.d_ff,
        max_tokens=RECIPE.max_tokens,
    )
    ours = EncoderDecoder(config, generator=seeded(0))
    models: tuple[nn.Module, nn.Module] = (ours, WithPyTorch(EncoderDecoder(config)))
    objective = translation(padding_id=PADDING, label_smoothing=RECIPE.label_smoothing)

    def some_steps(model: nn.Module) -> float:
        training = TrainingConfig(steps=STEPS, learning_rate=1e-3)
        took = seconds(lambda: train(model, objective, prepared.batches, training, progress=False))
        return took / STEPS

    for model in models:
        some_steps(model)
    times = []
    for number in range(rounds):
        # They take turns at going first, so that a machine that slows down favours neither.
        order = models if number % 2 else models[::-1]
        found = {model: some_steps(model) for model in order}
        times.append([found[model] for model in models])
    mine, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(other / own for own, other in times)
    targets = (prepared.batches(number)[1][:, 1:] for number in range(STEPS))
    tokens = sum(int((target != PADDING).sum()) for target in targets) / STEPS
    print(
        f"training: ours {tokens / mine:,.0f} French tokens/s, nn.Transformer "
        f"{tokens / theirs:,.0f}, {ratio:.2f} times (promised: at least {PROMISED_SPEED})",
        flush=True,
    )
    return ratio, mine


def preparation(prepared: Prepared, step: float) -> float:
    """Print the cost of loading and tokenizing beside the training; return the larger share."""
    whole = RECIPE.steps * step
    shares = [
        part / (whole + prepared.loading + prepared.tokenizer)
        for part in (prepared.loading, prepared.tokenizer)
    ]
    print(
        f"of a training of {whole:.0f} s: loading {shares[0]:.1%}, tokenizer {shares[1]:.1%} "
        f"(promised: at most {PROMISED_PREPARATION:.0%} each)"
    )
    return max(shares)


def translating(prepared: Prepared, steps: int) -> tuple[float, float, float]:
    """Train for ``steps``, then translate.

    Print and return the BLEU, the seconds of training and those of a beam of 4.
    """
    recipe = replace(MINUTE_RECIPE, steps=steps, vocab_size=len(prepared.vocabulary))
    hardly_scored = replace(prepared.corpus, validation=prepared.corpus.validation[:2])
    torch.set_num_threads(2)
    start = time.perf_counter()
    translator, _ = train_translator(
        hardly_scored, recipe, vocabulary=prepared.vocabulary, progress=False
    )
    took = time.perf_counter() - start
    torch.set_num_threads(1)
    test = prepared.corpus.test
    texts, references = [pair.english for pair in test], [pair.french for pair in test]
    bleu = score(translator.translate(texts), references)
    beam = seconds(lambda: translator.translate(texts, beam_width=4))
    print(
        f"after {steps} steps, {took:.0f} s: {bleu} "
        f"(promised: above {PROMISED_BLEU} within {MINUTE:.0f} s)"
    )
    print(
        f"beam 4 over {len(texts):,} sentences: {beam:.1f} s "
        f"(promised: below {PROMISED_BEAM_SECONDS:.0f} s)"
    )
    return bleu.bleu, took, beam


def main() -> int:
    """Print all; return 1 if a promise is broken."""
    warnings.filterwarnings("ignore", message="enable_nested_tensor")
    torch.set_num_threads(1)
    quick = "--quick" in sys.argv
    prepared = prepare(4_000 if quick else 40_000)
    padding = prepared.batches.padding_share
    print(f"padding: {padding:.1%} of a batch (promised: at most {PROMISED_PADDING:.0%})")
    ratio, step = speed(prepared, 2 if quick else 9)
    share = preparation(prepared, step)
    bleu, took, beam = translating(prepared, 60 if quick else MINUTE_RECIPE.steps)
    broken = [
        ratio < PROMISED_SPEED,
        padding > PROMISED_PADDING,
        share > PROMISED_PREPARATION,
        bleu < PROMISED_BLEU or took > MINUTE,
        beam > PROMISED_BEAM_SECONDS,
    ]
    return int(any(broken))


if __name__ == "__main__":
    sys.exit(main())
