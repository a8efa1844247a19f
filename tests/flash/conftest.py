"""The kernels run in Triton's interpreter, which must be chosen before Triton is imported."""

from transformer_lesson.flash.interpret import use_interpreter

use_interpreter()
