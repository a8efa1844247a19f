"""A class of notebooks in, scores and reports out.

The judge stands outside, the learner's code runs inside: each notebook has a process of its own
(``sandbox.worker``) that runs its cells and answers "call this function with these arrays". Nothing
that happens in that process can give points, because the expected values never enter it.

    cli               the command: what it takes, what it refuses, how it ends
    jobs, submissions what is to be graded: finding files, and opening them without trust
    learners, names   whose a notebook is; how names are spelled, and what copies are called
    arrivals          when it came, and who says so
    overrides         points and comments that the teacher gives by hand
    tables            the CSV files that both may come in
    runner, pool      one run, from the first notebook to the last report; several at a time
    grader, results   one notebook in, its results out
    lessons           which lesson a notebook belongs to
    sessions          a notebook in several workers, for what must be judged more than once
    notebook_session  a notebook, read and run in a worker; calls of the answers that it defines
    sandbox           where a learner's code runs
    store, reports    results on disk, and pages and files made of them
    nbgrader_judge    the same judge for ``nbgrader autograde``
"""
