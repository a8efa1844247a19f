"""An exercise as a value, the call of an answer, and the judge of what came back.

An answer goes one way: the ``cases`` that it is called with, its ``calls``, an ``attempt`` that
puts beside what came back what the ``reference`` gives, ``compare``, ``judge``, which looks for one
thing after the other, ``diagnosis``, which names it, and the ``panel``. The commands that only list
read an exercise's ``card``, and load no PyTorch.
"""
