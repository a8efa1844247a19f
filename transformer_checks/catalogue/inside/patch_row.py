"""inside.patch_row: one row of the stream, replaced by that of another sentence."""

from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        draw: Draw,
        tokens: tuple[int, int],
        d_model: int,
        layers: int,
        where: tuple[int, int, int],
    ) -> Case:
        x, other = (draw(generator, count, d_model) for count in tokens)
        # Where there are many layers, each does less: what is rounded in one grows in the next.
        size = 1 / (d_model**0.5 * max(1, layers / 4))
        matrices = size * normal(generator, layers, 3, d_model, d_model)
        if d_model > 16:
            matrices[:, [0, 1, 2], 0, [0, 1, 2]], matrices[..., 1, :2] = 11.0, 0.0
        other[where[2], 0] = 0.0
        return _case(label, x, other, matrices, where)

    def same(tokens: int, d_model: int) -> Case:
        x = normal(generator, tokens, d_model)
        matrices = normal(generator, 2, 3, d_model, d_model) / d_model**0.5
        other = x.clone()
        other[1] = normal(generator, d_model)
        return _case("sentences that differ in one word", x, other, matrices, (1, 0, 0))

    return [
        case("2 tokens, one layer, patched below it", tidy, (2, 2), 3, 1, (0, 1, 1)),
        case("2 tokens, one layer, patched at the top", tidy, (2, 2), 3, 1, (1, 0, 0)),
        case("3 and 4 tokens, 2 layers, patched between", normal, (3, 4), 4, 2, (1, 0, 3)),
        case("5 and 2 tokens, 3 layers, depth 1", normal, (5, 2), 6, 3, (1, 4, 0)),
        case("4 and 6 tokens, 3 layers, depth 2", normal, (4, 6), 5, 3, (2, 2, 5)),
        case("3 tokens, 3 layers, depth 0", normal, (3, 3), 4, 3, (0, 2, 1)),
        case("one token each", normal, (1, 1), 4, 2, (1, 0, 0)),
        case("width 1", normal, (2, 3), 1, 2, (1, 1, 2)),
        same(4, 5),
        case("18 and 21 tokens of width 19, many sizes", uneven, (18, 21), 19, 2, (1, 17, 20)),
        case("20 layers, depth 18", normal, (3, 2), 4, 20, (18, 1, 1)),
    ]


def _case(
    label: str, x: Tensor, other: Tensor, layers: Tensor, where: tuple[int, int, int]
) -> Case:
    depth, place, other_place = where
    at = {"depth": depth, "place": place, "other_place": other_place}
    return Case(label, {"x": x, "other": other, "layers": layers, **at})


CHECK = Check(
    name="inside.patch_row",
    lesson="12_inside",
    title="Patch one row",
    answer="patch_row",
    returns=("stream",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=5,
    minutes=15,
)
