"""Run the Triton kernels on tensors, forward and backward."""

from contextlib import AbstractContextManager
from math import ceil

import torch
from torch import Tensor

from transformer_lesson.flash import configs
from transformer_lesson.flash.interpret import interpreting

LOG2_E = 1.4426950408889634


def triton_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    real: Tensor | None = None,
    *,
    causal: bool,
    scale: float,
) -> tuple[Tensor, Tensor]:
    """Do what ``tiled_forward`` does, by the kernels of ``kernels.py``."""
    query, key, value = (_readable(t) for t in (query, key, value))
    with _launching(query):
        return _Call(query, key, real, causal, scale).forward(query, key, value)


def triton_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    log_sum_exp: Tensor,
    d_output: Tensor,
    real: Tensor | None = None,
    *,
    causal: bool,
    scale: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Do what ``tiled_backward`` does, by the kernels of ``kernels.py``."""
    query, key, value, output, d_output = map(_readable, (query, key, value, output, d_output))
    with _launching(query):
        call = _Call(query, key, real, causal, scale)
        return call.backward(query, key, value, output, log_sum_exp, d_output)


class _Call:
    """What all kernels of one call are told."""

    def __init__(
        self, query: Tensor, key: Tensor, real: Tensor | None, causal: bool, scale: float
    ) -> None:
        self.batch, self.heads, self.queries, self.width = query.shape
        self.key_heads, self.keys = key.shape[1:3]
        self.group = self.heads // self.key_heads
        self.causal, self.scale, self.padding = causal, scale * LOG2_E, real is not None
        # Without padding nothing reads these two; a kernel still wants an address.
        self.real = self.spans = query.new_empty(1, dtype=torch.uint8)
        if real is not None:
            self.real, self.spans = real.contiguous().view(torch.uint8), _spans(real)
        known = configs.widths(half=query.dtype.itemsize == 2)
        self.padded = min(width for width in known if width >= self.width)
        self.whole = (max(16, 1 << (self.width - 1).bit_length()),)  # where nothing is multiplied
        self.device, self.dtype = query.device, query.dtype

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Return the output and the log-sum-exp; a few queries share the keys among programs."""
        rows = self.queries * self.group
        tiles = self.tiles("decode" if rows <= configs.DECODED else "forward")
        heads = self.batch * self.key_heads
        parts = 1
        if rows <= configs.DECODED:  # too few tiles of queries to keep a GPU busy
            processors = configs.INTERPRETED_MULTIPROCESSORS
            if query.device.type == "cuda":
                processors = torch.cuda.get_device_properties(query.device).multi_processor_count
            parts = configs.parts(heads, ceil(self.keys / tiles.keys), processors)
        share = ceil(self.keys / (parts * tiles.keys)) * tiles.keys
        parts = ceil(self.keys / share)  # whole tiles: fewer shares may hold all keys
        output = _room_for(query)
        log_sum_exp = query.new_empty(query.shape[:-1], dtype=torch.float32)
        found, found_lse = output, log_sum_exp
        if parts > 1:  # one output for each share of the keys, before they are merged
            found = query.new_empty((parts * self.batch, *query.shape[1:]), dtype=torch.float32)
            found_lse = found.new_empty(found.shape[:-1])
        grid = (ceil(rows / tiles.queries) * heads, parts)
        flat = (self.real, self.spans, found_lse, self.queries, self.keys, share, self.scale)
        self.run("forward", grid, tiles, (query, key, value, found), flat)
        if parts > 1:
            self.merge(found, found_lse, output, log_sum_exp, parts)
        return output, log_sum_exp

    def merge(
        self, found: Tensor, found_lse: Tensor, output: Tensor, log_sum_exp: Tensor, parts: int
    ) -> None:
        """Merge the outputs ``found (parts * batch, heads, queries, d_head)`` into ``output``."""
        from transformer_lesson.flash import kernels

        strides = (found.stride()[:3], output.stride()[:3])
        given = (found, output, *strides, found_lse, log_sum_exp, self.queries, parts)
        sizes = {"HEADS": self.heads, "WIDTH": self.width, "BLOCKS": self.whole}
        kernels.merge[(self.batch * self.heads * self.queries,)](*given, **sizes, TILE_PARTS=16)

    def backward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        output: Tensor,
        log_sum_exp: Tensor,
        d_output: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the gradients of query, key and value."""
        row_terms = torch.empty_like(log_sum_exp)
        self.row_term(output, d_output, row_terms)
        d_query, d_key, d_value = (_room_for(tensor) for tensor in (query, key, value))
        given = (query, key, value, d_output)
        sizes = (self.queries, self.keys, self.scale)
        flat = (self.real, self.spans, log_sum_exp * LOG2_E, row_terms, *sizes)
        tiles = self.tiles("backward_keys")
        grid = (ceil(self.keys / tiles.keys) * self.batch * self.key_heads,)
        self.run("backward_keys", grid, tiles, (*given, d_key, d_value), flat)
        tiles = self.tiles("backward_queries")
        grid = (ceil(self.queries / tiles.queries) * self.batch * self.heads,)
        self.run("backward_queries", grid, tiles, (*given, d_query), flat, AHEAD=tiles.ahead)
        return d_query, d_key, d_value

    def row_term(self, output: Tensor, d_output: Tensor, row_terms: Tensor) -> None:
        """Write what the softmax takes off every gradient of a row."""
        from transformer_lesson.flash import kernels

        tile = 128 if interpreting() else 64
        strides = (output.stride()[:3], d_output.stride()[:3])
        sizes = {"HEADS": self.heads, "WIDTH": self.width, "BLOCKS": self.whole}
        kernels.row_term[(ceil(self.queries / tile) * self.batch * self.heads,)](
            output, d_output, *strides, row_terms, self.queries, **sizes, TILE_QUERIES=tile
        )

    def tiles(self, name: configs.Entry) -> configs.Tiles:
        """Return what the table says of an entry, for this width and dtype."""
        if interpreting():
            return configs.INTERPRETER
        capability, _ = torch.cuda.get_device_capability(self.device)
        half = self.dtype.itemsize == 2
        return configs.tiles(name, self.padded, half=half, capability=capability)

    def run(
        self, name: str, grid: tuple[int, ...], tiles: configs.Tiles, strided: tuple[Tensor, ...],
        others: tuple[Tensor | int | float, ...], **fixed: bool,
    ) -> None:  # fmt: skip
        """Launch a kernel, which takes tensors, then the strides of each, then the others."""
        from transformer_lesson.flash import kernels

        try:
            getattr(kernels, name)[grid](
                *strided, *(tensor.stride()[:3] for tensor in strided), *others,
                HEADS=self.heads, GROUP=self.group, CAUSAL=self.causal, PADDING=self.padding,
                WIDTH=self.width, BLOCKS=tiles.blocks(self.padded), TILE_QUERIES=tiles.queries,
                TILE_KEYS=tiles.keys, num_warps=tiles.warps, num_stages=tiles.stages, **fixed,
            )  # fmt: skip
        except kernels.OutOfResources as error:
            raise RuntimeError(
                f"the kernel {name} at d_head={self.width} in {self.dtype} needs {error.required} "
                f"of {error.name}, {self.device} has {error.limit}. Use backend='tiled' (in a "
                "model: attention='fused'), or give smaller tiles in transformer_lesson/flash/"
                "configs.py; benchmarks/first_gpu.py searches them."
            ) from error


def _launching(tensor: Tensor) -> AbstractContextManager[object]:
    """Where kernels run: on the device of ``tensor``, at which Triton does not look, or here."""
    if not interpreting():
        return torch.cuda.device_of(tensor)
    from transformer_lesson.flash import bfloat16

    return bfloat16.mended()


def _spans(real: Tensor) -> Tensor:
    """``(batch, 3)``: the first real key, the first padding after it, where real keys end."""
    keys = real.shape[1]
    place = torch.arange(keys, device=real.device)
    first = torch.where(real, place, keys).amin(1)
    end = torch.where(real, place + 1, 0).amax(1)
    gap = torch.where(real | (place < first[:, None]), keys, place).amin(1)
    return torch.stack((first, gap, end), 1).int()


def _room_for(tensor: Tensor) -> Tensor:
    """An empty tensor laid out like ``tensor``, the numbers of a row as neighbors."""
    room = torch.empty_like(tensor)  # where rows overlap, PyTorch chooses another layout
    return room if room.stride(-1) == 1 else tensor.new_empty(tensor.shape)


def _readable(tensor: Tensor) -> Tensor:
    """The numbers of a row as neighbors."""
    return tensor if tensor.stride(-1) == 1 else tensor.contiguous()
