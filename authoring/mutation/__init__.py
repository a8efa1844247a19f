"""Change right answers in one place each, and see whether the checks notice.

An author's slips show only what the author thought of. ``python -m authoring.mutation`` shows the
holes that nobody thought of: it changes every solution in one place at a time, and lists what
passes.
"""
