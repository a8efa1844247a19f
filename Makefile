# A thin face over course.py, which runs the same steps where there is no make.
PYTHON ?= python3
COURSE = "$(PYTHON)" course.py

.PHONY: help lab test quick grade notebooks exercises evidence site bench bench-gpu clean

help:  # This list, which is course.py's
	@$(COURSE) help

lab:  # make lab ARGS="--no-browser --port 9999"
	@$(COURSE) lab $(ARGS)

test:  # make test ARGS="lint unit"; ARGS=all looks at everything
	@$(COURSE) test $(ARGS)

quick:
	@$(COURSE) quick

# One word, whatever is in it: course.py takes it apart, or finds a folder of that name.
export FILES

grade:  # make grade FILES="submissions/*.ipynb"
	@$(COURSE) grade "$$FILES"

notebooks:  # make notebooks FILES="notebooks/02_self_attention.ipynb"
	@$(COURSE) notebooks "$$FILES"

exercises:
	@$(COURSE) exercises

evidence:  # make evidence CLAIMS="attention."
	@$(COURSE) evidence $(CLAIMS)

site:  # make site ARGS="--repository someone/transformer-lesson"
	@$(COURSE) site $(ARGS)

bench:  # make bench ARGS="checks model"
	@$(COURSE) bench $(ARGS)

bench-gpu:  # with a Python that has torch and Triton for the GPU; nothing is set up
	@$(PYTHON) -m pytest -q tests/gpu
	@$(PYTHON) -m benchmarks.first_gpu --minutes 60

clean:
	@$(COURSE) clean
