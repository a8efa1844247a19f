"""Three models from one configuration, built from the stacks of ``stacks.py``.

``EncoderDecoder`` is the Transformer of Vaswani et al. 2017 (figure 1), ``EncoderOnly`` the body of
BERT, ``DecoderOnly`` that of GPT. Masks are made here, from the padding and from the model's kind.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.parallel import DataParallel, DistributedDataParallel

from transformer_lesson.attention import Mask, MultiHeadAttention, causal_mask, padding_mask
from transformer_lesson.blocks import DecoderLayer, EncoderLayer
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.config import BY_KIND, DECODERS, PAIRS, ModelConfig
from transformer_lesson.flash.api import FlashMask
from transformer_lesson.initialization import draw, empty_linear, initialize
from transformer_lesson.positions import LearnedPositions, SinusoidalPositions
from transformer_lesson.stacks import Stack
from transformer_lesson.validation import tensors, token_ids

if TYPE_CHECKING:
    import pandas as pd


class TokenEmbedding(nn.Module):
    """Token ids to rows, plus positions where they are added to the rows (section 3.4)."""

    def __init__(
        self, config: ModelConfig, generator: torch.Generator | None, vocab_size: int | None = None
    ) -> None:
        super().__init__()
        self.scale = config.embedding_scale
        self.std = 0.02 if config.initialization == "gpt2" else config.d_model**-0.5
        self.weight = nn.Parameter(torch.empty(vocab_size or config.vocab_size, config.d_model))
        self.positions: SinusoidalPositions | LearnedPositions | None = None
        if config.positions == "sinusoidal":
            self.positions = SinusoidalPositions(config.d_model, config.max_tokens)
        elif config.positions == "learned":
            size = (config.d_model, config.max_tokens)
            self.positions = LearnedPositions(*size, generator=generator)
        self.dropout = nn.Dropout(config.dropout)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Set the rows in place to new ones, as ``ModelConfig.initialization`` describes."""
        draw(self.weight, partial(nn.init.normal_, std=self.std), generator)

    def forward(self, tokens: Tensor, start: int = 0, padding: Tensor | None = None) -> Tensor:
        """Return ``(batch, tokens, d_model)`` for ids ``(batch, tokens)`` from position ``start``.

        ``padding (batch, 1)`` counts the padding on the left of each text: its first real token
        stands at position 0.

        Ids are checked where they enter, in ``decoding`` and ``training``: to read them here would
        make every step wait for the GPU.

        Raises:
            TypeError: the tokens are not integers.
            ValueError: they are not ``(batch, tokens)``, or go beyond the last position.
            IndexError: an id is beyond the vocabulary (on a GPU, an assertion fails).
        """
        token_ids.check_ids(tokens)
        x = F.embedding(tokens, self.weight) * self.scale
        if self.positions is not None:
            stop = start + tokens.shape[1]
            token_ids.check_text_length(stop, len(self.positions.table))
            places = torch.arange(start, stop, device=tokens.device)
            if padding is not None:
                places = (places - padding).clamp(min=0)  # (batch, tokens)
            x = x + self.positions(places.flatten()).view(*places.shape, x.shape[-1])
        return self.dropout(x)


class _Model(nn.Module):
    """What all three share: the configuration, the embedding and the way to logits."""

    config: ModelConfig
    output: nn.Linear | None
    usual_padding: int | None = 0

    def __init__(
        self,
        config: ModelConfig,
        *,
        generator: torch.Generator | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        tensors.check_dtype(dtype)
        if not isinstance(config, ModelConfig):
            raise TypeError(
                f"the configuration is of type {type(config).__name__}; "
                "expected a ModelConfig, such as ModelConfig(vocab_size=1000)."
            )
        if config.padding_id == BY_KIND:
            config = replace(config, padding_id=self.usual_padding)
        self.config = config
        self.embedding = TokenEmbedding(config, generator)
        self._build(generator)
        initialize(self, config.initialization, generator)
        self.to(device=device, dtype=dtype)

    def _build(self, generator: torch.Generator | None) -> None:
        """Make the stacks, and the output layer where there is one."""
        raise NotImplementedError

    def _output_layer(self) -> nn.Linear | None:
        if self.config.tie_embeddings:
            return None
        return empty_linear(self.config.d_model, self.config.vocab_size, bias=False)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Set all weights in place to those that a new model would be given."""
        self.load_state_dict(type(self)(self.config, generator=generator).state_dict())

    def _refuse(self, kind: str, *names: str) -> None:
        """Refuse the fields of the configuration that only models of another ``kind`` have."""
        for name in names:
            if (value := getattr(self.config, name)) is not None:
                raise ValueError(
                    f"{name}={value} is for {kind}; this is a {type(self).__name__}. Leave it out."
                )

    def _logits(self, x: Tensor) -> Tensor:
        cap = self.config.logit_softcap
        rows = self.embedding.weight if self.output is None else self.output.weight
        logits = F.linear(x, rows)
        return logits if cap is None else cap * (logits / cap).tanh()

    def _causal(self, tokens: Tensor, cache: KeyValueCache | None) -> Mask:
        """Causal and padding mask for ``tokens``, of all that have been read so far."""
        seen = tokens if cache is None else cache.read(tokens)
        padding = self._padding(seen)
        if self.config.attention == "flash":
            return FlashMask(True, padding.real if isinstance(padding, FlashMask) else None)
        if tokens.shape[1] == 1:
            return padding  # the last token may see all the others
        mask = causal_mask(tokens.shape[1], seen.shape[1], device=tokens.device)
        return mask & padding if isinstance(padding, Tensor) else mask

    def _embedded(self, tokens: Tensor, cache: KeyValueCache | None) -> Tensor:
        """The rows of ``tokens``, of which those before them are in the cache."""
        if not isinstance(cache, KeyValueCache | None):
            raise TypeError(
                f"cache={cache!r}; expected a KeyValueCache({self.config.num_layers}), or None."
            )
        start = cache.length if cache else 0
        return self.embedding(tokens, start, self._on_the_left(tokens, cache))

    def _on_the_left(self, tokens: Tensor, cache: KeyValueCache | None = None) -> Tensor | None:
        """Count the padding ``(batch, 1)`` before the first real token of each text."""
        token_ids.check_ids(tokens)
        if self.config.padding_id is None or self.embedding.positions is None:
            return None  # only places in a table are counted from the first real token
        seen = tokens if cache is None else cache.with_new(tokens)
        real = seen != self.config.padding_id
        return (real.cumsum(1) == 0).sum(1, keepdim=True)

    def _padding(self, tokens: Tensor) -> Mask:
        padding_id = self.config.padding_id
        if padding_id is None:
            return None
        if self.config.attention == "flash":
            return FlashMask(False, tokens != padding_id)
        return padding_mask(tokens, padding_id)


class EncoderOnly(_Model):
    """Every token sees every other: the body of BERT (Devlin et al. 2019).

    Args:
        config: sizes and kinds.
        generator, device, dtype: of the weights, as in ``MultiHeadAttention``.

    Raises:
        TypeError: the configuration is no ``ModelConfig``.
        ValueError: it asks for what this model does not have.
    """

    def _build(self, generator: torch.Generator | None) -> None:
        self._refuse(*PAIRS)
        self._refuse(*DECODERS)
        self.encoder = Stack(EncoderLayer, self.config, generator)
        self.output = None

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the hidden states ``(batch, tokens, d_model)`` of ids ``(batch, tokens)``."""
        return self.encoder(self._embedded(tokens, None), self._padding(tokens))


class DecoderOnly(_Model):
    """Every token sees those before it: the body of GPT (Radford et al. 2019).

    Its arguments and errors are those of ``EncoderOnly``.
    """

    usual_padding = None

    def _build(self, generator: torch.Generator | None) -> None:
        self._refuse(*PAIRS)
        self.decoder = Stack(EncoderLayer, self.config, generator)
        self.output = self._output_layer()

    def forward(self, tokens: Tensor, cache: KeyValueCache | None = None) -> Tensor:
        """Return the logits ``(batch, tokens, vocab_size)`` of the token after each.

        Args:
            tokens: ids ``(batch, tokens)``; with a cache, the new ones.
            cache: of the tokens before them; these are added to it.
        """
        x = self._embedded(tokens, cache)
        return self._logits(self.decoder(x, self._causal(tokens, cache), cache=cache))


class EncoderDecoder(_Model):
    """The Transformer: an encoder reads the source, a decoder writes the target.

    Its arguments and errors are those of ``EncoderOnly``.
    """

    def _build(self, generator: torch.Generator | None) -> None:
        self._refuse(*DECODERS)
        config, vocab_size = self.config, self.config.source_vocab_size
        self.encoder = Stack(EncoderLayer, config, generator, config.num_encoder_layers)
        self.decoder = Stack(DecoderLayer, config, generator)
        own = None if vocab_size is None else TokenEmbedding(config, generator, vocab_size)
        self.source_embedding = own
        self.output = self._output_layer()

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return what ``decode`` does for a ``target`` that begins with the start token."""
        return self.decode(target, self.encode(source), source)

    def encode(self, source: Tensor) -> Tensor:
        """Return the memory ``(batch, source tokens, d_model)`` of ``source``."""
        embedding = self.embedding if self.source_embedding is None else self.source_embedding
        x = embedding(source, 0, self._on_the_left(source))
        return self.encoder(x, self._padding(source))

    def decode(
        self, target: Tensor, memory: Tensor, source: Tensor, cache: KeyValueCache | None = None
    ) -> Tensor:
        """Return the logits ``(batch, target tokens, vocab_size)`` of the token after each.

        Args:
            target: ids ``(batch, target tokens)``; with a cache, the new ones.
            memory: what ``encode`` made of the source.
            source: ids ``(batch, source tokens)``, which say where the padding is.
            cache: of the target's tokens before these; these are added to it.
        """
        if cache is not None:
            cache.read_from(source)
        x = self._embedded(target, cache)
        mask, memory_mask = self._causal(target, cache), self._padding(source)
        return self._logits(self.decoder(x, memory, mask, memory_mask, cache=cache))


def summary(model: nn.Module) -> "pd.DataFrame":
    """Say where the parameters are: a pandas table with a row for each part and their sum.

    Parts of the same name in all layers are counted together; a tied matrix is counted once.
    """
    import pandas as pd

    counts: dict[str, int] = {}
    for name, parameter in model.named_parameters():
        words = [word for word in name.split(".")[:-1] if word != "layers" and not word.isdigit()]
        part = ".".join(words[:2])
        counts[part] = counts.get(part, 0) + parameter.numel()
    total = sum(counts.values())
    table = pd.DataFrame({"parameters": [*counts.values(), total]}, index=[*counts, "total"])
    table["share"] = (table["parameters"] / max(total, 1)).map("{:.1%}".format)
    return table


def unwrapped(model: nn.Module) -> nn.Module:
    """The model in what ``torch.compile``, ``DataParallel`` and the like have put around it."""
    inner = getattr(model, "_orig_mod", None)
    if isinstance(model, DataParallel | DistributedDataParallel):
        inner = model.module
    return unwrapped(inner) if isinstance(inner, nn.Module) else model


@contextmanager
def recorded_weights(model: nn.Module) -> Iterator[dict[str, Tensor]]:
    """Collect the attention weights of the last forward pass inside the block.

    Every attention computes by the reference path meanwhile, since the others return no weights.

    Yields:
        Weights ``(batch, heads, queries, keys)`` by the name of the attention in the model, such
        as ``"encoder.layers.0.self_attention"``, in the order of the layers.

    Raises:
        ValueError: the model holds no ``MultiHeadAttention``.
    """
    attentions = _attentions(model)
    weights: dict[str, Tensor] = {}

    def record(name: str) -> Callable[..., Any]:
        return lambda module, args, returned: weights.__setitem__(name, returned[1].detach())

    usual = {name: attention.attention for name, attention in attentions.items()}
    hooks = [m.register_forward_hook(record(name)) for name, m in attentions.items()]
    for attention in attentions.values():
        attention.attention = "reference"
    try:
        with _hooks_seen(model):
            yield weights
    finally:
        for name, attention in attentions.items():
            attention.attention = usual[name]
        for hook in hooks:
            hook.remove()


@contextmanager
def replaced_heads(
    model: nn.Module, instead: Mapping[str, Mapping[int, Tensor | float]]
) -> Iterator[None]:
    """Let chosen heads give something else in every forward pass inside the block.

    What a head gives is its average of the values, before the output projection reads it. 0 takes
    the head away (Michel et al. 2019), its mean over a text keeps what it always says, and what it
    gave for another text patches it (Meng et al. 2022 patch rows of the stream).

    Args:
        model: whose attentions have the names that ``recorded_weights`` gives them.
        instead: for the name of an attention and the number of a head, a number or a tensor that
            broadcasts to ``(batch, queries, d_head)``.

    Raises:
        ValueError: the model has no such attention, or the attention no such head.
        RuntimeError: in a forward pass, a tensor does not broadcast.
    """
    attentions = _attentions(model)
    for name, heads in instead.items():
        if name not in attentions:
            raise ValueError(f"no attention is called {name!r}; there are {', '.join(attentions)}.")
        count = attentions[name].num_heads
        if wrong := [head for head in heads if head not in range(count)]:
            raise ValueError(f"{name} has no head {wrong[0]}; its heads are 0 to {count - 1}.")

    def replace_in(attention: MultiHeadAttention, heads: Mapping[int, Tensor | float]) -> Any:
        def replace_(projection: nn.Module, args: tuple[Tensor]) -> Tensor:
            # (batch, queries, heads, d_head), a copy: the backward pass needs the original
            given = args[0].unflatten(-1, (attention.num_heads, attention.d_head)).clone()
            for head, other in heads.items():
                given[:, :, head] = other
            return given.flatten(-2)

        return attention.output_projection.register_forward_pre_hook(replace_)

    hooks = [replace_in(attentions[name], heads) for name, heads in instead.items()]
    try:
        with _hooks_seen(model):
            yield
    finally:
        for hook in hooks:
            hook.remove()


def _attentions(model: nn.Module) -> dict[str, MultiHeadAttention]:
    """The attentions of a model by their names, in the order of the layers."""
    inner = unwrapped(model)
    found = {n: m for n, m in inner.named_modules() if isinstance(m, MultiHeadAttention)}
    if not found:
        raise ValueError(f"{type(inner).__name__} holds no MultiHeadAttention.")
    return found


def _hooks_seen(model: nn.Module) -> AbstractContextManager[Any]:
    """A context in which hooks are called: compiled code may not know of them."""
    compiled = any(hasattr(module, "_orig_mod") for module in model.modules())
    return torch.compiler.set_stance("force_eager") if compiled else nullcontext()
