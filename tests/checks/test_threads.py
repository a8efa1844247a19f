"""What an answer does in threads is watched; queues and profilers are its own business."""

import cProfile
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor

from notebook_judge.checks.calls import call
from notebook_judge.checks.cases import Case
from transformer_lesson.attention import reference_attention

CASE = Case("two numbers", {"x": torch.tensor([1.0, 2.0])})
NOTHING: frozenset[str] = frozenset()


def test_a_thread_is_noticed() -> None:
    def hides(x: Tensor) -> Tensor:
        results: list[Tensor] = []
        thread = threading.Thread(target=lambda: results.append(x.softmax(-1)))
        thread.start()
        thread.join()
        return results[0]

    outcome = call(hides, CASE, ("y",), forbidden=frozenset({"softmax"}))
    assert outcome.shortcuts[0] == "PyTorch's softmax"
    counted = Case("", CASE.inputs, most_numbers=100)
    outcome = call(hides, counted, ("y",), forbidden=NOTHING)
    assert outcome.shortcuts[0] == "another thread or process"


def test_a_pool_is_watched_if_it_began_in_the_answer() -> None:
    early = ThreadPoolExecutor(1)
    early.submit(len, "").result()

    def hides(x: Tensor) -> Tensor:
        return early.submit(torch.exp, x).result()

    def shows(x: Tensor, operation: Callable[[Tensor], Tensor] = torch.exp) -> Tensor:
        with ThreadPoolExecutor(1) as pool:
            return torch.stack(list(pool.map(operation, x)))

    def course(x: Tensor) -> Tensor:
        return shows(x, lambda one: reference_attention(*[one.view(1, 1, 1, 1)] * 3)[0].view(()))

    forbidden = frozenset({"softmax"})
    assert (
        call(hides, CASE, ("y",), forbidden=forbidden).shortcuts[0] == "another thread or process"
    )
    assert call(shows, CASE, ("y",), forbidden=forbidden).shortcuts == ()
    assert call(course, CASE, ("y",), forbidden=NOTHING).shortcuts[0].startswith("the course's")
    early.shutdown()


def test_a_queue_of_its_own_is_no_shortcut() -> None:
    def ordered(x: Tensor) -> Tensor:
        best = queue.PriorityQueue[float]()
        for one in x.tolist():
            best.put(one)
        return torch.tensor([best.get() for _ in x])

    outcome = call(ordered, CASE, ("y",), forbidden=frozenset({"softmax"}))
    assert (outcome.error, outcome.shortcuts) == ("", ())


def test_a_profiler_that_runs_goes_on() -> None:
    def later() -> None:
        """Runs when the answer has been called."""

    with cProfile.Profile() as profiler:
        outcome = call(lambda x: x.exp(), CASE, ("y",), forbidden=frozenset({"softmax"}))
        later()
    assert outcome.error == ""
    assert later.__code__ in {entry.code for entry in profiler.getstats()}
