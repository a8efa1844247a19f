"""Where a learner's code runs: a process that can see no reference and harm nobody.

isolation       choose the strongest isolation that this machine offers
launch, client  the grader's side: start a worker, send it requests, end it
protocol        what travels between the two sides
fork_server     loads PyTorch once, then forks a supervisor for each notebook
supervisor      starts a worker, watches what it uses, and leaves nothing behind
worker, shell   run the cells and call the answers
poison          forbidden operators made wrong, so that no ban rests on a watch alone
reading, tampering    what a notebook holds, and what reaches for the machinery around it
namespaces, seccomp, resources, linux    what keeps a worker from everything else
"""
