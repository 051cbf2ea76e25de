# Everything a reader, a user and CI need; `make help` lists it.

PYTHON ?= python3
export ORT_DISABLE_TELEMETRY := 1
VENV := .venv
PY := $(VENV)/bin/python
STRATA := $(VENV)/bin/strata
DATA := $(or $(STRATA_DATA_DIR),data)

SAMPLE := build/examples
SAMPLE_SOURCES := $(shell find examples/sources examples/*.py -type f)
SAMPLE_PRODUCT := tessaline
SAMPLE_QUESTION ?= What is the wait-to-restore time in 17.20?

GOLD ?= examples/questions.jsonl
RESULTS := bench-results/$(basename $(notdir $(GOLD))).jsonl

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help run test test-slow check upgrade bench examples models browser postgresql ocr clean

help: ## Show what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: models $(DATA)/.sample ## Install, fetch models, ingest the sample, answer a question, open the chat
	@$(STRATA) serve

# Bytecode is kept: workers and the processes that tests start would compile all of it anew.
test test-slow: export PYTHONDONTWRITEBYTECODE :=
# Three, as each waits half of its time for files, processes and servers.
test: check postgresql ocr models ## Run the checks and the tests that take seconds each
	$(PY) -m pytest -n 3 --durations 10 -m "not slow" $(PYTEST_ARGS)

test-slow: $(VENV)/.test browser postgresql ocr models ## Run the browser, the real model, training, kills, heavy and hostile files, and the tests on PostgreSQL
	$(PY) -m pytest -n 2 --durations 10 -m slow $(PYTEST_ARGS)
	$(if $(PYTEST_ARGS),,$(PY) -m pytest -n 2 --postgresql -m database)

check: $(VENV)/.test ## Check format, lint, types, directions of imports and locked versions
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -m pytest -q tests/test_import_directions.py tests/test_lock.py

bench: models $(DATA)/.sample ## Measure the answers to the sample or GOLD=FILE.jsonl
	@mkdir -p $(dir $(RESULTS))
	@echo "Answers to $(GOLD), kept in $(RESULTS), their scores, and the pages that are found."
	@rm -f $(RESULTS)
	@$(STRATA) eval answers $(GOLD) --answers $(RESULTS)

upgrade: $(VENV)/.test ## Lock the newest versions that pyproject.toml allows, and install them
	@scripts/lock.sh $(PY) --upgrade
	@scripts/install.sh $(PY) test

examples: $(SAMPLE)/.built ## Build the sample documentation into build/examples

clean: ## Remove what was built; keeps .venv, the data folder and the models
	rm -rf build dist bench-results *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

models: $(VENV)/.base
	@$(STRATA) models pull

browser:
	@scripts/install_browser.sh

postgresql:
	@scripts/install_postgresql.sh

ocr:
	@scripts/install_ocr.sh

$(PY):
	@scripts/create_venv.sh "$(PYTHON)" $(VENV)

$(VENV)/.base: pyproject.toml requirements/base.txt | $(PY)
	@scripts/install.sh $(PY) base
	@touch $@

$(VENV)/.test: pyproject.toml requirements/test.txt requirements/train.txt | $(PY)
	@scripts/install.sh $(PY) test
	@touch $@ $(VENV)/.base

$(SAMPLE)/.built: $(SAMPLE_SOURCES) | $(VENV)/.base
	@echo "Building the sample documentation into $(SAMPLE)."
	@rm -rf $(SAMPLE)
	@$(PY) examples/build.py --output $(SAMPLE)
	@touch $@

# The stamp lies in the data folder: another or an emptied folder gets the sample again.
$(DATA)/.sample: $(SAMPLE)/.built
	@for folder in $(SAMPLE)/$(SAMPLE_PRODUCT)/*; do \
		release=$$(basename "$$folder"); \
		echo "Ingesting the sample: $(SAMPLE_PRODUCT) $$release."; \
		$(STRATA) ingest "$$folder" --product $(SAMPLE_PRODUCT) --release "$$release" || exit 1; \
	done
	@$(STRATA) glossary import examples/glossary.csv --product $(SAMPLE_PRODUCT)
	@echo "$(SAMPLE_QUESTION)"
	@$(STRATA) ask "$(SAMPLE_QUESTION)" --product $(SAMPLE_PRODUCT)
	@touch $@
