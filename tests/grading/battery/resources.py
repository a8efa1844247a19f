"""Notebooks that take more than they should of time, memory, output or disk."""

from tests.grading.battery.submission import ALONE, QUICK, Submission, all_of, around, instead

RIGHT = "torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries"
DEAF = """while True:
    try:
        while True:
            pass
    except BaseException:
        pass"""


def _mask(*lines: str) -> str:
    """An answer that does something before it returns what is right."""
    body = "\n".join(("import os, sys, time, threading, signal", *lines, f"return {RIGHT}"))
    return "def causal_mask(queries, keys):\n    " + body.replace("\n", "\n    ")


def _stopped(name: str, *lines: str, verdict: str = "timeout") -> Submission:
    answers = instead(causal_mask=_mask(*lines))
    return Submission(name, answers, all_of(verdict, ["causal_mask"]), limits=QUICK)


def _survived(name: str, *cells: str) -> Submission:
    """A cell that is stopped or fails, and costs no answer."""
    return Submission(name, around(cells), limits=QUICK)


SUBMISSIONS = (
    _survived("an endless loop in a cell", "while True: pass"),
    _survived("an endless loop in a bare except in a cell", DEAF),
    _survived("a cell that sleeps", "import time\ntime.sleep(10**6)"),
    _survived("a loop in C", "sum(range(10**13))"),
    _survived("a regular expression without end", "import re\nre.match('(a+)+$', 'a' * 64 + 'b')"),
    _survived("a giant number", "x = 9 ** 9 ** 9"),
    _stopped("an endless loop in an answer", "while True: pass"),
    _stopped("an endless loop in a bare except", DEAF),
    _stopped("an answer that sleeps", "time.sleep(10**6)"),
    _stopped("an answer that loops in C", "sum(range(10**13))"),
    _stopped("an answer that waits for a lock", "a = threading.Lock(); a.acquire(); a.acquire()"),
    _stopped("recursion", "causal_mask(queries, keys)", verdict="error"),
    _stopped("a petabyte", "x = torch.zeros(2**50)", verdict="error"),
    _stopped("a huge result", "return torch.ones(1).expand(10**12)", verdict="error"),
    _stopped("32 million numbers", "return torch.ones(2**25)", verdict="error"),
    Submission(
        "an error of a gigabyte",
        instead(causal_mask=_mask("raise ValueError('x' * 2**28)")),
        all_of("error", ["causal_mask"]),
    ),
    Submission("slow but right", instead(causal_mask=_mask("time.sleep(0.2)"))),
    Submission(
        "a million lines from an answer",
        instead(causal_mask=_mask("for i in range(200_000): print(i)")),
    ),
    Submission(
        "a million lines from a shell", around(["!seq 1000000", "import os\nos.system('seq 9999')"])
    ),
    Submission(
        "a large file",
        around(["with open('large', 'wb') as f:\n    for _ in range(300): f.write(bytes(2**20))"]),
    ),
    Submission(
        "thousands of files", around(["for i in range(3000): open(f'{i}.txt', 'w').write('x')"])
    ),
    Submission(
        "a busy thread",
        around(
            [
                "import threading\n"
                "def spin():\n    while True: pass\n"
                "threading.Thread(target=spin, daemon=True).start()"
            ]
        ),
    ),
    Submission("a literal of half a megabyte", around(["x = [" + "1, " * 170_000 + "]"])),
    Submission("hundreds of magics in a cell", around(["%pwd\n" * 600])),
    Submission("40 kB with a hundred magics", around([("%pwd\n" + "x = 1\n" * 70) * 100])),
    Submission("memory that is given back", around(["x = bytearray(2**28); del x"])),
    Submission("many tensors", instead(attend=ALONE["attend"] + "\ny = torch.ones(2**24)")),
)
