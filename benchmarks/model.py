"""Forward and backward of our ``EncoderDecoder`` beside ``nn.Transformer`` with the same weights.

Both have the same embedding and output layer and read the same padded sentences.
"""

import statistics
import warnings
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.harness import medians, promise, rounds, run
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention
from transformer_lesson.blocks import DecoderLayer, EncoderLayer, NormPlace
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderDecoder

THREADS = (1, 2)
BATCH, TOKENS = 32, 64
REPEATS = 7


class WithPyTorch(nn.Module):
    """``nn.Transformer`` with the weights of ours, between the embedding and output of ours."""

    def __init__(self, ours: EncoderDecoder) -> None:
        super().__init__()
        config = ours.config
        self.ours = ours
        sizes = (
            config.d_model,
            config.num_heads,
            config.num_layers,
            config.num_layers,
            config.d_ff,
        )
        layout: Any = {"batch_first": True, "norm_first": config.norm == "pre"}
        self.transformer = nn.Transformer(*sizes, config.dropout, **layout)
        if config.norm == "post":  # nn.Transformer has final norms here too, the paper has none
            self.transformer.encoder.norm = self.transformer.decoder.norm = None
        copy_weights(ours, self.transformer)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the logits, as ``EncoderDecoder`` does."""
        # PyTorch's masks have True = blocked.
        length = target.shape[1]
        causal = torch.ones(length, length, dtype=torch.bool).triu(1)
        hidden = self.transformer(
            self.ours.embedding(source),
            self.ours.embedding(target),
            tgt_mask=causal,
            src_key_padding_mask=source == 0,
            tgt_key_padding_mask=target == 0,
            memory_key_padding_mask=source == 0,
        )
        return F.linear(hidden, self.ours.embedding.weight)


def copy_weights(ours: EncoderDecoder, theirs: nn.Transformer) -> None:
    """Copy the weights of all layers, by the order of the parts that both share."""
    for stack, twin in ((ours.encoder, theirs.encoder), (ours.decoder, theirs.decoder)):
        for layer, other in zip(stack.layers, twin.layers, strict=True):
            attentions = [m for m in layer.modules() if isinstance(m, MultiHeadAttention)]
            twins = [m for m in other.modules() if isinstance(m, nn.MultiheadAttention)]
            for one, two in zip(attentions, twins, strict=True):
                parts = (one.query_projection, one.key_projection, one.value_projection)
                two.in_proj_weight.data = torch.cat([part.weight.detach() for part in parts])
                two.in_proj_bias.data = torch.cat([part.bias.detach() for part in parts])
                two.out_proj.load_state_dict(one.output_projection.state_dict())
            assert isinstance(layer, EncoderLayer | DecoderLayer)
            other.linear1.load_state_dict(layer.feed_forward.up.state_dict())
            other.linear2.load_state_dict(layer.feed_forward.down.state_dict())


def sentences(generator: torch.Generator, batch: int = BATCH, tokens: int = TOKENS) -> Tensor:
    """Return ids ``(batch, tokens)``, half to all of each sentence real, the rest padding."""
    ids = torch.randint(1, 1000, (batch, tokens), generator=generator)
    lengths = torch.randint(tokens // 2, tokens + 1, (batch, 1), generator=generator)
    return ids.masked_fill(torch.arange(tokens) >= lengths, 0)


def measure(threads: int, num_heads: int, norm: NormPlace) -> float:
    """Print the medians of both and return their ratio.

    Raises:
        AssertionError: the two do not compute the same.
    """
    torch.set_num_threads(threads)
    config = ModelConfig(1000, 256, num_heads, num_layers=4, d_ff=1024, norm=norm)
    ours = EncoderDecoder(config, generator=seeded(0))
    models = (ours, WithPyTorch(ours))
    generator = seeded(1)
    source, target = sentences(generator), sentences(generator)

    def step(model: nn.Module) -> Tensor:
        logits = model(source, target)
        loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)
        model.zero_grad()
        loss.backward()
        return loss.detach()

    torch.testing.assert_close(*(step(model) for model in models))
    taken = rounds([partial(step, model) for model in models], REPEATS)
    mine, theirs = medians(taken)
    ratio = statistics.median(one / other for one, other in taken)
    print(
        f"{threads} threads, {num_heads} heads, {norm + '-norm':9} ours {1000 * mine:5.0f} ms, "
        f"nn.Transformer {1000 * theirs:5.0f} ms, ratio {ratio:.2f}",
        flush=True,
    )
    return ratio


def main() -> None:
    """Print all ratios, and the largest."""
    # PyTorch warns that pre-norm rules out nested tensors, which only serve inference.
    warnings.filterwarnings("ignore", message="enable_nested_tensor")
    print(f"forward and backward, d_model 256, 4 layers, batch {BATCH} x {TOKENS}")
    # Pre-norm and post-norm cost the same: one of each is enough.
    norms: dict[int, NormPlace] = {4: "pre", 8: "post"}
    worst = max(measure(threads, heads, norms[heads]) for threads in THREADS for heads in norms)
    # As long as PyTorch takes, plus the difference between two runs of the same code.
    words = "forward and backward of an encoder-decoder, in times of nn.Transformer"
    promise(words, worst, most=1.05, detail="the largest of four")


if __name__ == "__main__":
    run(main)
