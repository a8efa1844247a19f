"""The audits of inputs, arguments and names: each finds what was planted, and no more."""

import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Generator

from authoring.audits import __main__ as command
from authoring.audits import audit as keeping
from authoring.audits import conditions, frozen, inputs, names
from authoring.audits.audit import Audit, Report
from authoring.audits.kinds import not_of_kind
from authoring.audits.reasons import FOLDER, reasons, unexplained
from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check, Slip
from notebook_judge.checks.solutions import Solution
from tests.fixtures import Capture, Patch
from transformer_checks.catalogue import CHECKS
from transformer_checks.catalogue.draws import tidy, uneven
from transformer_checks.catalogue.ordinary import inputs_of, ordinary

TEXT = """
def pooled(x, weight, ids, padding_id, scale):
    real = ids != padding_id
    return scale * (x * real[..., None]).sum(-2) @ weight
"""


def _case(generator: Generator, batch: int, tokens: int, width: int) -> Case:
    ids = torch.randint(1, 5, (batch, tokens), generator=generator)
    ids[0, 0] = 0
    return Case(
        f"{batch} by {tokens} by {width}",
        {
            "x": torch.rand(batch, tokens, width, generator=generator),
            "weight": torch.rand(width, batch + 1, generator=generator),
            "ids": ids,
            "padding_id": 0,
            "scale": 2.0,
        },
    )


def _draw(generator: Generator) -> list[Case]:
    return [_case(generator, 2, 3, 4), _case(generator, 3, 2, 5)]


def _varied(generator: Generator) -> list[Case]:
    small, large = _case(generator, 1, 1, 2), _case(generator, 2, 3, 5)
    weight = torch.rand(5, 7, generator=generator)
    other = {**large.inputs, "padding_id": 2, "weight": weight, "scale": 3.0}
    nothing = {**large.inputs, "scale": 0.0}
    changed = [replace(large, inputs=inputs) for inputs in (other, nothing)]
    return [small, large, *changed, _wide(generator)]


def _wide(generator: Generator) -> Case:
    """Nothing in it is ordinary: large and small numbers, zeros, long axes, high ids."""
    ids = torch.randint(0, 30, (20, 18), generator=generator)
    inputs: dict[str, Value] = {
        "x": uneven(generator, 20, 18, 17),
        "weight": uneven(generator, 17, 19),
        "ids": ids,
        "padding_id": int(ids[0, 0]),
        "scale": 1.25,
    }
    return Case("nothing ordinary", inputs)


def _check(draw: Callable[[Generator], list[Case]], *slips: Slip) -> Check:
    return Check(
        name="numbers.pool", lesson="00_numbers", title="Pool", answer="pooled", returns=("y",),
        points=1, difficulty=1, importance=1, minutes=1, draw=draw, slips=slips,
        solution=Solution("numbers.pool", "pooled", TEXT),
    )  # fmt: skip


def test_what_never_varies_is_found() -> None:
    found = {*inputs.findings(_check(_draw))}
    assert {
        "padding_id is always 0",
        "scale is always 2.0",
        "weight.shape[-1] is always x.shape[-3] + 1",
        "no token is ever below padding_id",
    } <= found


def test_sizes_that_belong_together_and_what_varies_are_no_finding() -> None:
    assert not any("equals" in words for words in inputs.findings(_check(_draw)))
    assert [*inputs.findings(_check(_varied))] == []


def test_sizes_that_are_equal_by_chance_are_found() -> None:
    def square(generator: Generator) -> list[Case]:
        return [_case(generator, size, size + 1, size + 1) for size in (1, 2, 3)]

    found = inputs.findings(_check(square))
    assert "x.shape[-2] = ids.shape[-1] always equals x.shape[-1]" in found


def test_a_trivial_exercise_that_draws_its_ordinary_inputs_has_no_finding() -> None:
    check = replace(
        _check(lambda generator: ordinary(generator, x="...")),
        lesson="01_tokens_and_embeddings",
        answer="double",
        solution=Solution("numbers.double", "double", "def double(x):\n    return 2 * x\n"),
    )
    many = [case.inputs for seed in range(4) for case in check.cases(seed)]
    assert len(frozen.replacements(many)) > 10
    assert _frozen(check) == set()
    assert [*inputs.findings(check), *conditions.findings(check)] == []


def test_ordinary_inputs_have_the_axes_that_they_are_asked_for() -> None:
    generator = torch.Generator().manual_seed(0)
    cases = ordinary(
        generator,
        given={"eps": 0.5},
        turned=True,
        heads="batch heads tokens d_head",
        w_output="heads*d_head d_model",
        num_heads="=heads",
        positions="<40 tokens",
    )
    assert len({case.label for case in cases}) == len(cases)
    for case in cases:
        heads, matrix, number = (case.inputs[n] for n in ("heads", "w_output", "num_heads"))
        assert isinstance(heads, torch.Tensor) and isinstance(matrix, torch.Tensor)
        assert heads.shape[1] == number and matrix.shape[0] == number * heads.shape[-1]
        positions, eps = case.inputs["positions"], case.inputs["eps"]
        assert isinstance(positions, torch.Tensor) and eps == 0.5
        assert positions.shape == heads.shape[2:3] and positions.max() < 40
        assert heads.is_contiguous() != case.label.startswith("not contiguous")


def test_ordinary_ids_are_words_that_end_in_padding_and_begin_with_none() -> None:
    ends = set[tuple[bool, bool]]()
    axes = {"x": "batch words+1", "ids": "<words+1 batch tokens ~id", "id": "<words+1"}
    for case in ordinary(torch.Generator().manual_seed(0), axes=axes):
        inputs: list[Any] = [*case.inputs.values()]
        x, ids, padding_id = inputs
        assert len(ids) == len(x) and 0 <= ids.min() <= ids.max() < x.shape[1]
        padding = ids == padding_id
        assert not padding[0, 0]
        ends |= {(bool(row[-1]), bool(row.all())) for row in padding}
    assert ends == {(False, False), (True, False), (True, True)} and ids.max() > 16


def test_in_a_product_of_axes_the_last_with_a_name_has_the_sizes() -> None:
    """Both columns of a pair have one, as where a rotation mixes them."""
    generator = torch.Generator().manual_seed(0)
    x = ordinary(generator, x="many rows +pairs*2")[-1].inputs["x"]
    assert isinstance(x, torch.Tensor)
    sizes = x.abs().mean((0, 1)).view(-1, 2)
    assert sizes.max() > 1000 * sizes.min()
    assert (sizes.amax(-1) < 4 * sizes.amin(-1)).all()


def test_among_ordinary_inputs_each_argument_has_a_vector_of_zeros_beside_others() -> None:
    """Where both factors of a product are 0, nothing tells what a zero stands for."""
    cases = ordinary(torch.Generator().manual_seed(0), a="... rows width", b="... rows width")
    (case,) = (case for case in cases if "zeros" in case.label)
    a, b = case.inputs["a"], case.inputs["b"]
    assert isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)
    assert (a == 0).all(-1).any() and (b == 0).all(-1).any()
    assert not ((a == 0).all(-1) & (b == 0).all(-1)).any()


def test_an_ordinary_mask_has_empty_rows_only_where_they_are_asked_for() -> None:
    axes = {"closed": "bool? ... queries keys", "open": "bool ... queries keys"}
    cases = ordinary(torch.Generator().manual_seed(0), axes=axes)
    rows = {name: [case.inputs[name].any(-1) for case in cases] for name in axes}  # type: ignore[union-attr]
    assert all(some.all() for some in rows["open"])
    assert not all(some.all() for some in rows["closed"])
    assert any(some.any() and not some.all() for some in rows["closed"])


def test_ordinary_weights_make_a_module() -> None:
    axes = {
        "x": "batch +width",
        "mask": "bool batch heads",
        "num_heads": "=heads",
        "layer.weight": "columns -width",
    }
    cases = ordinary(torch.Generator().manual_seed(0), axes=axes, given={"norm": "pre"})
    for case in cases:
        assert case.build is not None
        x, mask, weight = case.inputs["x"], case.inputs["mask"], case.build.weights["layer.weight"]
        assert isinstance(x, torch.Tensor) and isinstance(mask, torch.Tensor)
        assert weight.shape[-1] == x.shape[-1]
        assert case.build.config == {"num_heads": mask.shape[-1], "norm": "pre"}


def test_a_case_by_hand_has_its_sizes_in_the_order_of_the_axes() -> None:
    axes = {"key": "... keys +width", "value": "... keys d_value", "count": "=2*keys"}
    given = inputs_of(torch.Generator().manual_seed(0), axes, tidy, 3, 4, 5, front=(2,))
    assert given["key"].shape == (2, 3, 4) and given["value"].shape == (2, 3, 5)
    assert given["count"] == 6
    assert torch.equal(given["key"], (given["key"] * 10).round() / 10)  # no factor on its width


def test_of_ordinary_factors_what_is_large_in_one_is_small_in_the_other() -> None:
    """Each term of the sum counts: without half of the columns the products are others."""
    generator = torch.Generator().manual_seed(0)
    many = ordinary(generator, x="... rows +width", weight="-width columns")[-1].inputs
    x, weight = many["x"], many["weight"]
    assert isinstance(x, torch.Tensor) and isinstance(weight, torch.Tensor)
    assert x.abs().max() > 1000 and weight.abs().max() > 1000
    shares = (x[..., None] * weight).abs().mean((0, 2))
    assert shares.max() < 10 * shares.min()


def _frozen(check: Check) -> set[str]:
    many = [case.inputs for seed in range(4) for case in check.cases(seed)]
    return {str(one) for one in frozen.replacements(many) if frozen.passes(check, False, one)}


def test_an_argument_is_found_that_no_case_needs_or_none_its_extremes() -> None:
    assert {
        "padding_id is always 0",
        "scale is always 2.0",
        "x is cut off at ±10",
        "x is cut off at 0",
        "x is never exactly 0",
        "x has no vector of zeros",
        "x is 0 below 0.001",
        "x is 0 from index 16 of axis -2 on",
        "ids is cut off at 16",
        "scale is rounded to one decimal",
    } <= _frozen(_check(_draw))
    assert _frozen(_check(_varied)) == set()


PADDING = Slip("padding", {"(x * real[..., None])": "x"}, "padding counts", "Which do not?")
SCALE = Slip("scale", {"scale * ": ""}, "it is not scaled", "By what?")


def _told(check: Check, *slips: Slip) -> tuple[str, ...]:
    text = check.text
    for slip in slips:
        text = text.edited(slip.edits)
    return names._told(check, names._Wrong(text)).against


def test_a_name_that_explains_everything_holds() -> None:
    assert _told(_check(_varied, PADDING, SCALE), PADDING) == ()


def test_a_name_that_another_seed_contradicts_is_untrue() -> None:
    def draw(generator: Generator) -> list[Case]:  # 4 is the square of 2, but not of 3
        case = _case(generator, 2, 3, 4)
        scale = 2.0 if generator.initial_seed() == 0 else 3.0
        return [replace(case, inputs={**case.inputs, "scale": scale})]

    doubled = Slip("squared", {"scale * ": "4 * "}, "it is 4", "By what?")
    squared = Slip("", {"scale * ": "scale * scale * "}, "", "")
    check = _check(draw, doubled)
    assert "(seed 1)" in " ".join(_told(check, squared))


def _counts(name: str) -> Report:
    return Report({"cases": len(CHECKS[name].cases(0))}, [])


def _never(name: str) -> Report:
    raise AssertionError(f"{name} is stored")


def _fingerprint(check: Check, tried: str = "") -> str:
    audit = Audit("some", range(2), _counts, lambda name: (tried,))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(CHECKS, check.name, check)
        return audit.fingerprint(check.name)


def test_an_audit_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(keeping, "RESULTS", tmp_path)
    (name, *_) = CHECKS
    report = _counts(name)
    Audit("some", range(2), _counts)._store(name, report)
    again = Audit("some", range(2), _never)
    assert [*again.run([name], jobs=1)] == [(name, report)]
    assert Audit("some", range(3), _never).stored() == {}, "other cases"


def test_a_result_rests_on_cases_and_solution_and_on_no_words() -> None:
    check = _check(_varied, PADDING)

    def relabelled(generator: Generator) -> list[Case]:
        return [replace(case, label=f"once more {case.label}") for case in _varied(generator)]

    def smaller(generator: Generator) -> list[Case]:
        return _varied(generator)[:-1]

    said = replace(PADDING, name="pads", says="all tokens count", lead="Which are real?")
    known = _fingerprint(check)
    other_words = replace(
        check, title="Sum", hints=("Mind the padding.",), slips=(said,), draw=relabelled
    )
    assert _fingerprint(other_words) == known
    solution = Solution("numbers.pool", "pooled", TEXT.replace("sum(-2)", "sum(dim=-2)"))
    for changed in (replace(check, draw=smaller), replace(check, solution=solution)):
        assert _fingerprint(changed) != known
    assert _fingerprint(check, "another mutant") != known


def test_the_command_prints_what_is_to_be_mended_and_fails(
    tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    monkeypatch.setattr(keeping, "RESULTS", tmp_path)
    (name, *_) = CHECKS
    audit = Audit("inputs", range(2), _never)
    monkeypatch.setitem(command.AUDITS, "inputs", audit)
    audit._store(name, Report({"found": 3}, ["x is always 0"]))
    assert command.main([name, "--only", "inputs"]) == 1
    shown = capsys.readouterr().out
    assert f"inputs: {name}: x is always 0" in shown and "3 found; 1 to mend in 1" in shown
    audit._store(name, Report({"found": 3}, []))
    assert command.main([name, "--only", "inputs"]) == 0


def test_a_reason_for_what_is_not_found_is_to_be_mended() -> None:
    known = {"a": "it must be", "c": "it was", "d": "by chance: what lies in memory", "e *": "all"}
    told = unexplained(["a", "b", "a", "e 1", "e 2", "e"], known)
    assert told == ["b", "e", "a reason for what is not found: c"]


@pytest.mark.parametrize(
    ("name", "value", "found", "explained"),
    [
        ("smoothing", 0.5, "smoothing is at most 1", True),
        ("smoothing", 1.5, "smoothing is at most 1", False),
        ("smoothing", 0.5, "smoothing is always 0.5", False),
        ("scale", 0.5, "scale is at most 1", False),
        ("random", torch.tensor([0.2, 0.9]), "random is cut off at 0", True),
        ("random", torch.tensor([-0.2, 0.9]), "random is cut off at 0", False),
        ("seed", 3, "seed is always 3", True),
        ("tile", 3, "tile is always 3", True),
        ("norm", "pre", "norm is in lower case", True),
        ("norm", "Pre norm", "norm is in lower case", False),
        ("merges", [[1, 2], [3, 4]], "merges has a tie in no case", True),
        ("merges", [[1, 2], [1, 2]], "merges has a tie in no case", False),
        ("target_lengths", [3, 0], "target_lengths holds no 0", False),
        ("logits", torch.ones(2, 3), "logits.shape[-1] is 1 in no case", True),
        ("new", torch.ones(1, 2), "new is read at index 0 of axis -2 alone", True),
        ("new", torch.ones(2, 2), "new is read at index 0 of axis -2 alone", False),
        ("new", torch.ones(2, 2), "new is 0 from index 16 of axis -2 on", True),
        ("new", torch.ones(18, 2), "new is 0 from index 16 of axis -2 on", False),
    ],
)
def test_a_kind_explains_what_its_name_and_all_cases_say(
    name: str, value: Value, found: str, explained: bool
) -> None:
    check = _check(lambda generator: [Case("one", {name: value})])
    assert ([*not_of_kind(check, [0], [found])] == []) == explained


def test_every_reviewed_finding_has_a_reason_and_an_exercise() -> None:
    held = [
        (name, exercise, reason)
        for path in FOLDER.glob("*.toml")
        for name, exercises in tomllib.loads(path.read_text("utf-8")).items()
        for exercise, listed in exercises.items()
        for reason in listed.values()
    ]
    assert len(held) > 100
    for name, exercise, reason in held:
        assert name in command.AUDITS and exercise in CHECKS and len(reason) > 10, exercise
    assert reasons("inputs", "decoder.cached_step")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["tokens.merge", "heads.split"])
def test_a_sample_of_exercises_has_no_finding(name: str) -> None:
    assert inputs.examine(name).findings == frozen.examine(name).findings == []
