"""What an exercise bans is of no use in the second worker, whatever hides it from the watch."""

import pytest

from tests.grading.tiny_course import RIGHT, Grade

SERVED = """
import queue, threading
{get}
asked, told = queue.Queue(), queue.Queue()
def serve():
    while True:
        x = asked.get()
        try:
            told.put(banned(x))
        except Exception as error:
            told.put(error)
threading.Thread(target=serve, daemon=True).start()
"""
ASKED = """def weights(x):
    asked.put(x)
    return told.get()"""
COURSE = "from transformer_lesson.flash.softmax import safe_softmax as banned"
RELOADED = """import importlib, transformer_lesson.flash.softmax as course
banned = importlib.reload(course).safe_softmax"""
# The course's file under another name: imported, and read.
FILE = "import transformer_lesson.flash.softmax as course\nfile = course.__file__\n"
RENAMED = (
    FILE
    + """import importlib.machinery
banned = importlib.machinery.SourceFileLoader("mine", file).load_module().safe_softmax"""
)
RUN = (
    FILE
    + """import runpy
banned = runpy.run_path(file)["safe_softmax"]"""
)
DECOMPOSED = """import torch._decomp as table
op = torch.ops.aten._softmax.default
banned = lambda x: table.get_decompositions([op])[op](x, -1, False)"""
# Names that a search of the text would find are put together.
UNWATCHED = """def weights(x):
    with getattr(torch._C, "Disable" + "TorchFunction")():
        return {call}"""
UNPROFILED = """def weights(x):
    getattr(sys, "set" + "profile")(None)
    with torch._C.DisableTorchFunction():
        return banned(x)"""
PROGRAM = """import subprocess
def weights(x):
    code = "import torch, sys; print(torch.tensor(eval(sys.argv[1])).softmax(-1).tolist())"
    done = subprocess.run([sys.executable, "-c", code, str(x.tolist())], capture_output=True)
    return torch.tensor(eval(done.stdout)) + 0 * x"""
POOL = """from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
pool.submit(int).result()"""
MULTI_HEAD = """import torch.nn.functional as F
eye, none = torch.eye(1), torch.zeros(1)
def banned(x):  # the weights of one query whose scores are x
    rows = x.reshape(-1, 1, x.shape[-1])
    return torch.cat([F.multi_head_attention_forward(
        torch.ones(1, 1, 1), row.T[..., None], row.T[..., None], 1, 1,
        torch.eye(1).repeat(3, 1), torch.zeros(3), None, None, False, 0.0, eye, none,
    )[1].flatten()[None] for row in rows]).view(x.shape)"""


@pytest.mark.parametrize(
    "cells",
    [
        (SERVED.format(get=COURSE), ASKED),
        (SERVED.format(get=RELOADED), ASKED),
        (SERVED.format(get="banned = lambda x: torch.softmax(x, -1)"), ASKED),
        (RENAMED, "def weights(x):\n    return banned(x)"),
        (RUN, "def weights(x):\n    return banned(x)"),
        (DECOMPOSED, "def weights(x):\n    return banned(x)"),
        (COURSE, UNPROFILED),
        (
            "held = {}\nexec('import torch; f = torch.' + 'soft' + 'max', held)\n"
            "banned = lambda x: held['f'](x, -1)",
            UNPROFILED,
        ),
        (UNWATCHED.format(call="torch.softmax(x, -1)"),),
        (UNWATCHED.format(call="torch.ops.aten._softmax(x, -1, False)"),),
        (UNWATCHED.format(call="torch.nn.Softmax(-1)(x)"),),
        (UNWATCHED.format(call="x.log_softmax(-1).exp()"),),
        (UNWATCHED.format(call="torch.special.softmax(x, -1)"),),
        (UNWATCHED.format(call="torch.func.vmap(lambda r: r.softmax(-1))(x)"),),
        (COURSE, UNWATCHED.format(call="banned(x)")),
        (MULTI_HEAD, UNWATCHED.format(call="banned(x)")),
        (PROGRAM,),
        (POOL, "def weights(x):\n    return pool.submit(torch.softmax, x, -1).result()"),
        (
            "@torch.jit.script\ndef banned(x):\n    return torch.softmax(x, -1)",
            "def weights(x, banned=banned):\n    return banned(x)",
        ),
    ],
)
def test_what_is_banned_earns_nothing(grade_cells: Grade, cells: tuple[str, ...]) -> None:
    result = grade_cells(*cells)["weights"]
    assert (result.points, "the grader failed" in result.headline) == (0, False)


def test_what_is_not_banned_is_as_it_was(grade_cells: Grade) -> None:
    served = SERVED.format(get=RIGHT["weights"].replace("weights", "banned"))
    for cells in ((RIGHT["weights"],), (served, ASKED)):
        assert grade_cells(*cells)["weights"].status == "passed"
