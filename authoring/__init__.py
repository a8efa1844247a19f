"""What authors run to make the notebooks: not part of what a learner needs."""
