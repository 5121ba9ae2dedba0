# Tessera. `make run` and `make test` do all the set-up that they need.
#
#   make run [PORT=8000]   the whole site on this machine
#   make test              every fast test, embedded; then those of the site on PostgreSQL and Redis where they answer
#   make test-long         the slow tests: 10,000 games of each kind against the plain twins, strength of agents
#   make lint              ruff, mypy, import-linter, missing migrations, tsc
#   make format            let ruff format and mend what it can
#   make bench [M3C=m3.c]  measure, and write the table of docs/performance.md; with a C program beside ours
#   make screenshots       the pictures in docs/images, from the running site
#   make messages          bring locale/*.po up to the sources, and compile them
#   make lock              compile requirements/*.in again
#   make clean             remove what was installed and built; var/ with the data stays

PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
OLD_ENOUGH := import sys, venv; sys.exit(sys.version_info < (3, 11))
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes
COMPILE := uv pip compile --quiet --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	--generate-hashes --universal --fork-strategy fewest --python-version 3.11
LOCK_VENV := var/lock-venv

.PHONY: run install install-dev test test-long lint format bench screenshots messages lock clean help

run: install
	@exec $(BIN)/python manage.py up --port $(PORT)

help:
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile

install: $(VENV)/base.stamp

install-dev: $(VENV)/dev.stamp

$(BIN)/python:
	@for python in python3 python3.11 python3.12 python3.13 python3.14 python; do \
		if $$python -c '$(OLD_ENOUGH)' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "Tessera needs Python 3.11 or later, found as python3 (or python3.11 and so on) on PATH." >&2; exit 1; \
	fi; \
	echo "Making $(VENV) with $$($$found --version)"; \
	$$found -m venv $(VENV) || { \
		rm -rf $(VENV); \
		echo "Python could not make a virtual environment; on Debian the package python3-venv is missing." >&2; exit 1; \
	}

$(VENV)/base.stamp: requirements/base.txt | $(BIN)/python
	@echo "Installing the packages of requirements/base.txt"
	@$(PIP) -r requirements/base.txt
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt | $(BIN)/python
	@echo "Installing the packages of requirements/dev.txt"
	@$(PIP) -r requirements/dev.txt
	@touch $(VENV)/base.stamp $@

node_modules/.stamp: package.json package-lock.json
	@npm ci --silent --no-audit --no-fund
	@touch $@

test: install-dev
	@$(BIN)/python -m tests.run

test-long: install-dev
	@$(BIN)/python -m tests.run --long

lint: install-dev node_modules/.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	npx --no-install tsc -p tsconfig.json

format: install-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: install
	@$(BIN)/python manage.py bench $(if $(M3C),--m3c '$(M3C)') --write docs/performance.md

screenshots: install-dev
	@$(BIN)/python -m tests.browser.screenshots

messages: install-dev
	@$(BIN)/python -m tests.messages

lock: | $(BIN)/python
	@$(BIN)/python -m venv $(LOCK_VENV)
	@$(LOCK_VENV)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOCK_VENV)/bin/$(COMPILE) requirements/base.in -o requirements/base.txt
	$(LOCK_VENV)/bin/$(COMPILE) requirements/dev.in -o requirements/dev.txt

clean:
	rm -rf $(VENV) node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache var/static var/numba
