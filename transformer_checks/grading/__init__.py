"""A class of notebooks in, scores and reports out.

The judge stands outside, the learner's code runs inside: each notebook has a process of its own
(``sandbox.worker``) that runs its cells and answers "call this function with these arrays". Nothing
that happens in that process can give points, because the expected values never enter it.

    cli               the command: what it takes, what it refuses, how it ends
    jobs, submissions what is to be graded; reading notebooks without trusting them
    runner, pool      one run, from the first notebook to the last report; several at a time
    grader, results   one notebook in, its results out
    notebook_session  its cells, run in a worker; calls of the answers that they define
    tampering         code that reaches for the machinery around it
    sandbox           where a learner's code runs
    store, reports    results on disk, and pages and files made of them
    nbgrader_judge    the same judge for ``nbgrader autograde``
"""
