"""Several processes on this machine, started by PyTorch's launcher, whose errors are one line.

``torchrun`` starts them likewise, but answers every error with a traceback of its own.
"""

import logging
import sys
from collections.abc import Sequence

from torch.distributed import run
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import (
    ChildFailedError,
    ProcessFailure,
    get_error_handler,
)


def launch(module: str, arguments: Sequence[str], processes: int) -> int:
    """Run ``python -m module arguments…`` in several processes that know of each other.

    An error that a process has recorded with `record` is printed once.

    Returns:
        The exit code: 0 if all went well, 130 after Ctrl-C, else that of the first failure or
        128 plus the number of the signal that ended them.
    """
    logging.disable()  # The launcher logs every failure, over several lines.
    options = ["--standalone", f"--nproc-per-node={processes}", "-m", module, *arguments]
    try:
        run.run(run.parse_args(options))
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        if failure.exitcode != 130:
            print(_message(rank, failure), file=sys.stderr)
        return failure.exitcode if failure.exitcode > 0 else 1
    except SignalException as error:
        return 128 + error.sigval
    finally:
        logging.disable(logging.NOTSET)
    return 0


def record(message: str) -> None:
    """Leave a message for `launch`, in the process that cannot go on."""
    get_error_handler().record_exception(RuntimeError(message))


def _message(rank: int, failure: ProcessFailure) -> str:
    recorded = failure.error_file_data["message"]
    if isinstance(recorded, dict):
        return str(recorded["message"]).removeprefix("RuntimeError: ")
    return f"process {rank} ended with exit code {failure.exitcode}"
