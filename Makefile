# Needs Python 3.11 or newer with venv; `make demo`, `make lab` and `make test` do the rest in .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo lab test check clean

demo: .venv/.demo
	"$(BIN)/veggies-sim" simulate --players 3 --games 20000 --deck data/cards.csv --policy greedy --seed 1 --out results/demo --replace
	"$(BIN)/veggies-sim" report results/demo
	@echo "Next: open results/demo/report.html in a browser, or: $(BIN)/veggies-sim replay results/demo --game 0"

# More words for JupyterLab: make lab LAB="--no-browser --port 8899"
lab: .venv/.lab
	"$(BIN)/python" -m jupyterlab --notebook-dir=notebooks $(LAB)

test: .venv/.test check
	"$(BIN)/python" -m pytest -n auto --dist loadfile

check: .venv/.test
	"$(BIN)/ruff" check .
	"$(BIN)/mypy"

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.demo: pyproject.toml | .venv/bin/python
	"$(BIN)/python" -m pip install --quiet --disable-pip-version-check -e ".[design]"
	@touch $@

.venv/.test: pyproject.toml | .venv/bin/python
	"$(BIN)/python" -m pip install --quiet --disable-pip-version-check -e ".[test]"
	@touch $@

.venv/.lab: pyproject.toml | .venv/bin/python
	"$(BIN)/python" -m pip install --quiet --disable-pip-version-check -e ".[notebooks]"
	@touch $@

clean:
	rm -rf .venv results dist build
