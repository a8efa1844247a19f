"""Look for holes in the checks that nobody thought of.

An author's slips show only what the author thought of. ``mutation`` changes each solution in one
place at a time, and finds wrong answers that pass; ``frozen`` finds arguments that an answer need
not read, or not whole; ``inputs`` what never varies among the cases of an exercise; ``names``
mistakes that are named and were not made. ``python -m authoring.audits`` runs them.
"""
