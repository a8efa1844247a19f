"""Our beam search beside that of Hugging Face's Transformers, in processor time on one thread.

Once with the shipped translator on everyday sentences: theirs is a Pegasus with the same weights,
which writes the same texts. And once with untrained models, ours and a Marian of the same sizes, of
which no sentence is done early. Where Transformers is not installed there is nothing to compare.
``python -m benchmarks.beam_search --profile`` prints where the second takes our time.
"""

import argparse
import importlib
import importlib.util
import statistics
import time
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from benchmarks.harness import Action, medians, promise, rounds, run
from benchmarks.training_step import Marian, ours, print_shares, shares
from transformer_lesson import seeded
from transformer_lesson.decoding import beam_search
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.translation.corpora import load_corpus
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import END, PADDING, START

BEAM = 4
TRANSLATED, ROWS = 256, 64  # sentences, and how many of them are searched together
WIDTHS = (128, 256)
UNTRAINED, PIECES, STEPS = 16, 16, 31  # sentences, their lengths, and steps
REPEATS = 15
RENAMED = {  # in this order
    "self_attention_norm": "self_attn_layer_norm",
    "cross_attention_norm": "encoder_attn_layer_norm",
    "feed_forward_norm": "final_layer_norm",
    "final_norm": "layer_norm",
    "self_attention": "self_attn",
    "cross_attention": "encoder_attn",
    "query_projection": "q_proj",
    "key_projection": "k_proj",
    "value_projection": "v_proj",
    "output_projection": "out_proj",
    "feed_forward.up": "fc1",
    "feed_forward.down": "fc2",
    "output.weight": "lm_head.weight",
}


def pegasus(model: EncoderDecoder) -> Any:
    """Return Transformers' Pegasus with the weights of ours: pre-norm, sinusoidal positions."""
    made: Any = importlib.import_module("transformers")
    config = model.config
    same = {"layers": config.num_layers, "attention_heads": config.num_heads}
    same["ffn_dim"] = config.d_ff
    sizes = {f"{half}_{name}": n for half in ("encoder", "decoder") for name, n in same.items()}
    theirs = made.PegasusForConditionalGeneration(
        made.PegasusConfig(
            vocab_size=config.vocab_size,
            d_model=config.d_model,
            max_position_embeddings=config.max_tokens,
            activation_function=config.activation,
            scale_embedding=True,
            tie_word_embeddings=False,
            pad_token_id=PADDING,
            decoder_start_token_id=START,
            eos_token_id=END,
            forced_eos_token_id=None,
            attn_implementation="sdpa",
            **sizes,
        )
    )
    weights = model.state_dict()
    assert model.embedding.positions is not None
    for half in ("encoder", "decoder"):
        weights[f"{half}.embed_tokens.weight"] = weights["embedding.weight"]
        weights[f"{half}.embed_positions.weight"] = model.embedding.positions.table
    theirs.load_state_dict({_their(name): weight for name, weight in weights.items()}, strict=False)
    return theirs.eval()


def _their(name: str) -> str:
    """The name of a weight in Pegasus."""
    for mine, other in RENAMED.items():
        name = name.replace(mine, other)
    return name if name.startswith("lm_head") else f"model.{name}"


def searches(translator: Translator) -> tuple[Action, Action]:
    """Return what translates everyday sentences, by ours and by theirs.

    Without a length penalty both rank and stop alike.

    Raises:
        AssertionError: the two do not write the same.
    """
    model, theirs = translator.model.eval(), pegasus(translator.model)
    texts = [pair.english for pair in load_corpus("everyday").test[:TRANSLATED]]
    ids = sorted((torch.tensor(translator.source(text)) for text in texts), key=len)
    starts = range(0, TRANSLATED, ROWS)
    sources = [pad_sequence(ids[start : start + ROWS], batch_first=True) for start in starts]

    def search(source: Tensor) -> Tensor:
        prompt = torch.full((len(source), 1), START)
        told: Any = {"beam_width": BEAM, "max_tokens": 2 * source.shape[1] + 10, "end_id": END}
        return beam_search(model, prompt, source=source, **told, length_penalty=0.0)[0]

    def their_search(source: Tensor) -> Tensor:
        told = {"num_beams": BEAM, "max_length": 2 * source.shape[1] + 10, "length_penalty": 0.0}
        written: Tensor = theirs.generate(source, attention_mask=source != PADDING, **told)
        return written

    for source in sources:
        mine = search(source)
        found = their_search(source)  # shorter, and with end tokens for padding
        assert torch.equal(mine.masked_fill(mine == PADDING, END)[:, : found.shape[1]], found)
    return (
        lambda: [search(source) for source in sources],
        lambda: [their_search(source) for source in sources],
    )


def our_search(width: int) -> Action:
    """Return what writes with an untrained model of ours."""
    prompt = torch.ones(UNTRAINED, 1, dtype=torch.long)
    told: Any = {"beam_width": BEAM, "max_tokens": STEPS + 1, "end_id": END}
    return partial(beam_search, ours(width).eval(), prompt, source=drawn_source(), **told)


def drawn_source() -> Tensor:
    """Return the ids that the untrained models read, none of them padding."""
    return torch.randint(3, 4000, (UNTRAINED, PIECES), generator=seeded(1))


def marian_search(width: int) -> Action:
    """Return what writes with an untrained Marian."""
    model, source = Marian(ours(width).config).model.eval(), drawn_source()
    told = {"attention_mask": source != PADDING, "num_beams": BEAM, "max_new_tokens": STEPS}
    return partial(model.generate, source, **told)


def compare(what: str, mine: Action, theirs: Action) -> None:
    """Print our time in times of theirs."""
    taken = rounds([mine, theirs], REPEATS, time.process_time)
    own, other = medians(taken)
    first, ratio, third = statistics.quantiles((one / two for one, two in taken), n=4)
    told = f"{own:.2f} and {other:.2f} s, quartiles {first:.2f} to {third:.2f}"
    promise(f"a beam of {BEAM}, {what}", ratio, detail=told)


def main(*, profiled: bool = False) -> None:
    """Compare, or print the profile."""
    torch.set_num_threads(1)
    if profiled:
        print_shares({width: shares(our_search(width)) for width in WIDTHS})
        return
    if importlib.util.find_spec("transformers"):
        what = "everyday sentences, in times of Transformers with the same weights"
        compare(what, *searches(Translator.shipped()))
        for width in WIDTHS:
            what = f"no sentence done early, width {width}, in times of Transformers' Marian"
            compare(what, our_search(width), marian_search(width))


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m benchmarks.beam_search", description=__doc__)
    parser.add_argument("--profile", action="store_true", help="where our search goes")
    run(partial(main, profiled=parser.parse_args().profile))
