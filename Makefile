# lsmtune: the two commands are `make demo` and `make test`; each installs what it lacks.

VENV := .venv
BIN := $(VENV)/bin
# Debian and Ubuntu packages: db_bench, and what Python needs to make a virtual environment.
APT_PACKAGES := rocksdb-tools python3 python3-venv ca-certificates
# What the driver of YCSB needs to be built and tested.
DRIVER_PACKAGES := g++ cmake make librocksdb-dev libleveldb-dev libsnappy-dev nlohmann-json3-dev libgtest-dev
DRIVER_BUILD := native/ycsb/build
CACHE := $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/lsmtune
# `make native ROCKSDB=11.8.1` links the one that `make rocksdb` built; without it the distribution's.
ROCKSDB_PREFIX := $(if $(ROCKSDB),$(CACHE)/rocksdb/$(ROCKSDB))
CONFIGURE_DRIVER = cmake -S native/ycsb -B $(DRIVER_BUILD) "-DLSMTUNE_ROCKSDB_PREFIX=$(ROCKSDB_PREFIX)"
# What the HTML report is tested in, and what reads its print and the manual page.
BROWSER_PACKAGES := chromium chromium-driver
PAGE_PACKAGES := poppler-utils groff-base
# What RocksDB needs to be built, beside cargo, which fetches its source.
ROCKSDB_PACKAGES := g++ cmake make libgflags-dev libsnappy-dev zlib1g-dev libbz2-dev liblz4-dev libzstd-dev
# What the loaders of `make test-systems` need: installed, and unpacked into a folder of the user's (a server that is
# installed is also started). Cargo comes as for `make rocksdb`.
SYSTEMS_PACKAGES := default-jdk-headless maven golang-go libsnappy-dev
SYSTEMS_UNPACKED := mariadb-plugin-rocksdb ceph-osd libclang-dev
SYSTEMS_HOME := $(CACHE)/systems
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
# The first of these that is at least Python 3.11; override with `make PYTHON=...`.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
STUDY := demo-study
# The tests of a file share what they load, so a file is one worker's, and the longest come first (tests/conftest.py).
# Tests wait for programs now and then: one worker more than there are cores keeps them busy.
PYTEST_WORKERS := -n $(shell expr $$(nproc) + 1) --maxprocesses 8 --dist loadfile --no-loadscope-reorder
# Tests start hundreds of processes of Python: what it compiled is kept, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE
NOISE := 1
RUNNING := tests/api tests/cli tests/nni tests/study/test_in_code_on_engines.py
QUICK := tests/stats tests/space tests/indicators tests/lint tests/result tests/store tests/report

.DEFAULT_GOAL := help
# Two installations into one environment at once would harm each other; what compiles is given its own -j.
.NOTPARALLEL:
# What a failed step left half-made is made again.
.DELETE_ON_ERROR:
.PHONY: help demo check test test-noisy test-slow lint docs format engine leveldb rocksdb driver native sanitize lock clean test-engines test-systems

help: ## Show what can be made.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

demo: engine model ## Tune a real RocksDB for a few minutes and show a verified result.
	$(BIN)/lsmtune tune examples/demo.toml --study $(STUDY)
	@$(BIN)/lsmtune report $(STUDY)
	@code=0; $(BIN)/lsmtune export $(STUDY) --unstable --guard-undecided --output $(STUDY)/OPTIONS.tuned || code=$$?; \
		echo; $(BIN)/python -c 'import lsmtune; print(lsmtune.load("$(STUDY)").verdict)'; echo; \
		echo "Report:      $(STUDY)/report.html, for your browser"; \
		echo "Look again:  $(BIN)/lsmtune show $(STUDY) --trials 10"; \
		echo "Once more:   rm -r $(STUDY) && make demo"; \
		echo "Next, yours: $(BIN)/lsmtune init, or $(BIN)/lsmtune init --from PATH for a service"; exit $$code

# The tools come first: they bring what `leveldb` runs with, which is then not installed by itself.
test: engine $(VENV)/.dev model leveldb browser native lint docs ## Pass every check and test.
	$(BIN)/python -m pytest $(PYTEST_WORKERS)

check: lint docs ## Pass what is quick, for daily work: style, types, documents, the tests that run no engine.
	$(BIN)/python -m pytest -q $(PYTEST_WORKERS) $(QUICK)

test-slow: engine $(VENV)/.dev ## Count how often lsmtune is wrong in 400 studies of each kind in each hostile world, and kill it often: about two hours.
	LSMTUNE_KILLS=200 LSMTUNE_REAL_KILLS=10 $(BIN)/python -m pytest -q -o faulthandler_timeout=7200 tests/faults/test_tune_kills.py tests/faults/test_real_kills.py
	LSMTUNE_HOST_KILLS=25 $(BIN)/python -m pytest -q -o faulthandler_timeout=7200 tests/hosts/test_cluster.py tests/hosts/test_cluster_faults.py
	$(BIN)/python tools/hostile_worlds.py --studies 400

test-noisy: engine $(VENV)/.dev leveldb native ## Pass the tests that run something on a machine noisier than any; NOISE=7 for another.
	$(BIN)/python -m pytest -q $(PYTEST_WORKERS) --noisy $(NOISE) $(RUNNING)

test-engines: engine $(VENV)/.dev ## Tune, sweep and export with every db_bench that is built; writes docs/reference/engine-versions.md.
	$(BIN)/python tools/try_engines.py

test-systems: engine $(VENV)/.dev rocksdb native-packages ## Load exports in RocksJava, Kafka Streams, Flink, MyRocks, Ceph, Rust and Go, which are fetched (1.2 GB), compare what runs, and build the driver from a wheel.
	@command -v mvn >/dev/null && command -v javac >/dev/null && command -v go >/dev/null || { \
		$(SUDO) apt-get update -qq && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(SYSTEMS_PACKAGES) >/dev/null; }
	@for package in $(SYSTEMS_UNPACKED); do sh tests/systems/unpack.sh $$package $(SYSTEMS_HOME)/$$package || exit 1; done
	$(BIN)/python -m pytest -q tests/systems

lint: $(VENV)/.dev ## Check style, types, the direction of imports, and lengths.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_lengths.py

docs: $(VENV)/.dev ## Check that generated pages are current, and build the site in build/site, where a broken link is an error; WRITE=1 writes the pages first.
	$(BIN)/python tools/gen_docs.py $(if $(WRITE),,--check)
	$(BIN)/sphinx-build -q -E -n -W --keep-going -b html -c tools/site -d build/doctrees . build/site

format: $(VENV)/.dev ## Format the code.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

engine: ## Install db_bench, where it is missing, from the distribution.
	@command -v "$${LSMTUNE_DB_BENCH:-db_bench}" >/dev/null || { \
		echo "installing $(APT_PACKAGES)"; \
		$(SUDO) apt-get update -qq && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(APT_PACKAGES) >/dev/null; }

# What no earlier process compiled takes 15 s; the first prediction would wait for it.
.PHONY: model
model: $(VENV)/.runtime
	@$(BIN)/lsmtune build model >/dev/null

leveldb: native-packages cargo $(VENV)/.runtime ## Build LevelDB's own db_bench where lsmtune finds it.
	@$(BIN)/lsmtune build leveldb

rocksdb: rocksdb-packages $(VENV)/.runtime ## Build an optimised RocksDB, long; VERSION=10.4.2 for another (docs/how-to/building-engines.md).
	@$(BIN)/lsmtune build rocksdb $(if $(VERSION),--version $(VERSION)) $(if $(JOBS),--jobs $(JOBS))

driver: native-packages $(VENV)/.runtime ## Build the driver for YCSB and LevelDB; ROCKSDB=11.8.1 takes the one of make rocksdb.
	@$(BIN)/lsmtune build driver $(if $(ROCKSDB),--rocksdb $(ROCKSDB))

native: native-packages built-rocksdb ## Build the driver and pass its tests.
	$(CONFIGURE_DRIVER) -DLSMTUNE_TESTS=ON >/dev/null
	cmake --build $(DRIVER_BUILD) -j"$$(nproc)"
	@ctest --test-dir $(DRIVER_BUILD) -j"$$(nproc)" --output-on-failure --timeout 120 -Q -O $(DRIVER_BUILD)/ctest.log \
		|| { cat $(DRIVER_BUILD)/ctest.log; exit 1; }
	@grep "tests passed" $(DRIVER_BUILD)/ctest.log

sanitize: native-packages ## Pass the driver's tests under AddressSanitizer, UBSan and ThreadSanitizer: about 5 minutes.
	for kind in address,undefined thread; do \
		cmake -S native/ycsb -B $(DRIVER_BUILD)-$${kind%%,*} -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g" \
			-DLSMTUNE_SANITIZE=$$kind >/dev/null && \
		cmake --build $(DRIVER_BUILD)-$${kind%%,*} -j"$$(nproc)" && \
		ctest --test-dir $(DRIVER_BUILD)-$${kind%%,*} --output-on-failure --timeout 300 || exit 1; \
	done

# The HTML report is tested in a real browser. Ubuntu has no package of one, only a snap, which reads no file of a test.
.PHONY: browser
browser:
	@{ command -v chromium && command -v chromedriver; } >/dev/null 2>&1 || ! command -v apt-get >/dev/null || { \
		$(SUDO) apt-get update -qq && \
		{ apt-cache show chromium-driver >/dev/null 2>&1 || { \
			echo "no package chromium-driver here (Ubuntu has Chromium as a snap alone, which cannot read the pages of tests);" \
				"put chromium and chromedriver into PATH that are no snap" >&2; exit 1; }; } && \
		echo "installing $(BROWSER_PACKAGES)" && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(BROWSER_PACKAGES) >/dev/null; }
	@{ command -v pdftotext && command -v groff; } >/dev/null 2>&1 || ! command -v apt-get >/dev/null || { \
		echo "installing $(PAGE_PACKAGES)"; \
		$(SUDO) apt-get update -qq && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(PAGE_PACKAGES) >/dev/null; }

.PHONY: native-packages
native-packages:
	@dpkg -s $(DRIVER_PACKAGES) >/dev/null 2>&1 || ! command -v apt-get >/dev/null || { \
		echo "installing $(DRIVER_PACKAGES)"; \
		$(SUDO) apt-get update -qq && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(DRIVER_PACKAGES) >/dev/null; }

# An existing cargo serves. Debian 12 has a cargo that is too old, and a new one in the package cargo-web.
.PHONY: cargo
cargo:
	@command -v cargo >/dev/null || ! command -v apt-get >/dev/null || { \
		$(SUDO) apt-get update -qq && \
		cargo=$$({ apt-cache show cargo-web >/dev/null 2>&1 && echo cargo-web; } || echo cargo) && \
		echo "installing $$cargo" && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$cargo >/dev/null; }

.PHONY: rocksdb-packages
rocksdb-packages: cargo
	@dpkg -s $(ROCKSDB_PACKAGES) >/dev/null 2>&1 || ! command -v apt-get >/dev/null || { \
		echo "installing $(ROCKSDB_PACKAGES)" && \
		$(SUDO) apt-get update -qq && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(ROCKSDB_PACKAGES) >/dev/null; }

.PHONY: built-rocksdb
built-rocksdb:
	@[ -z "$(ROCKSDB)" ] || [ -e "$(ROCKSDB_PREFIX)/lib/librocksdb.a" ] || { \
		echo "RocksDB $(ROCKSDB) is not in $(ROCKSDB_PREFIX); build it with: make rocksdb VERSION=$(ROCKSDB)" >&2; exit 1; }

LOCKED := --extra analysis --extra hosts --extra nni --extra report --extra samplers --extra smac
lock: $(VENV)/.dev ## Pin the dependencies anew, with hashes, without addresses.
	$(BIN)/pip install -q uv
	$(BIN)/uv pip compile pyproject.toml $(LOCKED) --group build --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate -q -o requirements.txt
	$(BIN)/uv pip compile pyproject.toml --all-extras --group build --group dev -c requirements.txt --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate -q -o requirements-dev.txt

clean: ## Remove the virtual environment and caches; studies stay.
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# pip comes last, so what is interrupted is made again.
$(VENV)/bin/pip:
	@[ -n "$(PYTHON)" ] || { \
		$(SUDO) apt-get update -qq && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(APT_PACKAGES) >/dev/null; }
	@$(or $(PYTHON),python3) -c 'import sys; sys.exit("lsmtune needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(or $(PYTHON),python3) -m venv $(VENV)

$(VENV)/.runtime: $(VENV)/bin/pip requirements.txt pyproject.toml
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/pip requirements-dev.txt pyproject.toml
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.runtime
