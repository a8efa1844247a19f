"""Change right answers in one place each, and see whether the checks notice.

An author's slips show only what the author thought of. ``python -m authoring.mutation`` shows the
holes that nobody thought of: it changes every solution and every style in one place at a time, the
styles in ten places each, and lists what passes.
"""
