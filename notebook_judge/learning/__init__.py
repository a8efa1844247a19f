"""The learner's loop: what is to do, edit, check, a hint, the next one.

In a terminal these are the commands ``exercises``, ``watch``, ``hint``, ``reset`` and
``solution``; in a notebook ``check``, ``hint`` and ``progress`` of the course's door.
Both keep what was done in the same place (``record``).
"""
