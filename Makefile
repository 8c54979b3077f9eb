# Tools that are not Go modules of this project, pinned here.
GOLANGCI_LINT_VERSION := v2.15.0
GOLANGCI_LINT := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)

# How long each fuzz target runs: a number of inputs, because a time that ends within an
# input is a failure to go test.
FUZZTIME ?= 5000x

# Where the checkout cannot be written, what is built goes elsewhere. Where it belongs to another user, git does not tell
# the commit that commands carry.
BIN := $(shell test -w . && echo bin || mktemp -d)
ifneq ($(shell test ! -e .git || git rev-parse 2>/dev/null || echo refused),)
export GOFLAGS += -buildvcs=false
endif

.PHONY: all ci build test check full modules suites purego test32 race elsewhere mutants lint fmt cross fuzz \
	fuzz-corpus bench support bundle bundled generated page boards

all: build test

# What a change must pass. First what tests use where it is there: packages of npm, the page as WebAssembly. Then make
# test without the packages that make full runs with all of their cases. What follows runs two at a time, so that no
# processor idles while tests wait.
ci:
	$(MAKE) fmt build bundled page
	$(MAKE) test TEST="$$(go list ./... | grep -vxF "$$(go list $(COMPUTE))" | xargs)"
	$(MAKE) -j2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) RACE=-short FUZZTIME=300x FUZZBUILD= \
		FULL="$(COMPUTE)" full modules lint race purego fuzz elsewhere apidiff generated cross

# Modules of their own, so that users of the library do not download what they need: the tests of
# the page in a browser with its bundler, the manifest of a sweep with the types of Kubernetes, and what checks types
# for other hosts.
MODULES := page/build examples/sweep/manifest .ci/cross

build:
	go build ./...
	go build -o $(BIN)/gcnsim ./cmd/gcnsim

# Every test with a sample of its cases. vet is part of lint and of check.
TEST ?= ./...
test:
	go test -vet=off $(TEST)

# Every test with all of its cases, also those that modules of their own have. That takes half an hour: a
# workflow runs it each night, and make ci what computes and encodes, and the examples.
FULL ?= ./...
COMPUTE := ./alu ./examples ./flat ./gcn/... ./internal/base/... ./internal/isa/... ./internal/sim/... \
	./internal/verdict ./lds ./mimg ./mtbuf ./mubuf ./sim/spec ./smem ./state/...
full: export GCNSIM_TESTS = full
full: $(if $(filter ./...,$(FULL)),modules)
	go test -vet=off -timeout 30m $(FULL)

# The tests of modules of their own.
modules:
	for module in $(MODULES); do (cd $$module && go test -vet=off -timeout 60m ./...) || exit 1; done

# The inner loop: vet, and the tests of what differs from BASE and of what imports it.
BASE ?= HEAD
check:
	@packages=$$(go run ./.ci/touched $(BASE)) && echo $$packages && go vet $$packages && go test $$packages

# Programs that others wrote, with the virtual Radeon: all, or some of vulkan, piglit, ffmpeg, pyopencl, clblast,
# opencv, cts, ctsall, ggml, tfjs, vkfft, rocm, gtest, kfdtest, catch with commas between; on all chips of a suite, or
# on some. It takes hours, Debian's packages, and what docs/DEVICE.md says how to build: it fetches nothing.
SUITES ?= all
CHIPS ?=
suites:
	go test -count 1 -timeout 12h -v -run 'TestVulkan|TestPiglit|TestFilters|TestLibraries|TestROCm' \
		./internal/device/suite -args -suites=$(SUITES) -chips=$(CHIPS)

# What is in vector code or machine code, and what calls it, without them, as on other CPUs; what computes without
# vectors of sixteen lanes, where the CPU has them; and what executes, all of it in compiled blocks. Packages that only
# look at what these have computed see the same bits. The long tests of sim compare engines whatever is chosen: make
# test has them.
purego:
	go test -vet=off -tags purego ./alu ./flat ./internal/isa/format ./gcn/tile ./internal/base/... ./lds ./mimg ./mtbuf \
		./mubuf ./internal/sim/compare ./smem
	go test -vet=off -tags purego -short ./sim
	if grep -qw avx512f /proc/cpuinfo; then export GODEBUG=cpu.avx512f=off; \
		go test -vet=off -count 1 ./alu ./internal/base/simd && go test -vet=off -count 1 -short ./sim; \
	else echo "the CPU has no AVX-512: make test has tested without it"; fi
	GCNSIM_BLOCKS=hot go test -vet=off -short ./sim ./sim/spec ./internal/sim/timing ./internal/device

# Where an int has 32 bits: on hosts that run programs for 386.
test32:
	GOARCH=386 go test ./...

# Hosts that have code of their own, or another size of int: the types of all packages and tests are checked, without
# machine code. make page builds for WebAssembly.
cross:
	go run -C .ci/cross . "$(CURDIR)" windows/amd64 darwin/arm64 linux/386 linux/arm64

# What the Go API no longer has, or has otherwise, since the last release: for the changelog, where
# docs/VERSIONS.md allows it. CI prints it; without a release there is nothing to compare with.
.PHONY: apidiff
APIDIFF := go run golang.org/x/exp/cmd/apidiff@v0.0.0-20261014143641-f0251eb4aa3e
apidiff:
	@tag=$$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || { echo "no release to compare with"; exit 0; }; \
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && mkdir $$dir/old && git archive $$tag | tar -x -C $$dir/old && \
	module=$$(go list -m) && \
	(cd $$dir/old && $(APIDIFF) -m -w $$dir/api $$module) && \
	echo "incompatible with $$tag:" && $(APIDIFF) -m -incompatible $$dir/api $$module

# The archives of a release with their checksums, in dist, as the workflow of a release makes them of a tag. goreleaser
# is built first, which takes minutes.
.PHONY: dist reproducible
GORELEASER := go run github.com/goreleaser/goreleaser/v2@v2.15.0
dist: goinstall
	$(GORELEASER) release --snapshot --clean

# Installs the last commit as users do with go install, from the zip of the module.
.PHONY: goinstall
goinstall:
	.ci/proxy-try

# What is known to be wrong with the modules and the version of Go that the command is built with. It asks vuln.go.dev.
.PHONY: govulncheck
govulncheck:
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./cmd/gcnsim

# Says whether goreleaser takes .goreleaser.yaml.
.PHONY: goreleaser
goreleaser:
	$(GORELEASER) check

# Says whether two clones in different places, one with an empty cache of builds and other permissions for new files,
# build the same command.
reproducible:
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	git clone -q . $$dir/a && $$dir/a/.ci/build linux/amd64 $$dir/first && \
	git clone -q . $$dir/elsewhere/b && \
	(umask 077; GOCACHE=$$dir/cache $$dir/elsewhere/b/.ci/build linux/amd64 $$dir/second) && \
	cmp $$dir/first $$dir/second && echo "both are the same"

# The packages that run work-groups or requests in parallel, or share caches: race_test.go knows which share something.
# Tests of others have one goroutine, and in these packages the detector sees their code, too. It needs cgo, and that a C
# compiler. RACE is flags of go test: make ci has -short, without which long sweeps run, on one goroutine, as those do
# that it skips.
race:
	CGO_ENABLED=1 go test -race -vet=off -skip '^(TestProofsOfMutants|TestSampledBound)$$' $(RACE) ./cmd/gcnsim/... \
		./cmd/internal/boards/measure ./cmd/internal/cli ./cmd/internal/gpu ./cmd/internal/hunt \
		./cmd/internal/hunt/source ./cmd/internal/listing ./cmd/internal/request ./cmd/internal/sweep ./handbook \
		./internal/base/block ./internal/base/executor ./internal/device ./internal/device/guest \
		./internal/device/suite ./internal/isa ./internal/isa/asm ./internal/tool/files ./internal/tool/jsonout \
		./internal/verdict ./lds ./mimg ./page ./sim ./internal/sim/compare ./internal/sim/codeobj ./sim/spec \
		./internal/sim/timing

# Tests of what depends on where they run, in a place that few developers have.
elsewhere:
	.ci/elsewhere

# The viewer: page/src in the form of prettier, and page/dist from it, with the packages of page/package-lock.json.
bundle: page/node_modules
	cd page && npx --no-install prettier --log-level warn --write src && npx --no-install tsc -p .
	go run -C page/build .

# Says whether page/src has the form of prettier and page/dist is what it builds, where npm and its packages can be had.
bundled:
	@if command -v npm >/dev/null && $(MAKE) page/node_modules; then \
		(cd page && npx --no-install prettier --check src && npx --no-install tsc -p .) && \
		go run -C page/build . -check; \
	else echo "npm or its packages are not there: page/dist is not compared with its sources"; fi

# Says whether the vector code is what its tables make.
generated:
	@dir=$$(mktemp -d) && trap 'rm -r "$$dir"' EXIT && go run -C internal/base/simd/gen . -o "$$dir" && \
	for file in "$$dir"/*; do cmp "$$file" internal/base/simd/"$${file##*/}" || { echo "go generate ./internal/base/simd"; exit 1; }; done

# The page as static files, with the library as WebAssembly, and the test that compares what it
# answers as such: of packages that are compiled once, for both.
page:
	go run -C page/build . -o "$$(realpath -m $(BIN))/page"
	GOOS=js GOARCH=wasm go test -c -trimpath -gcflags=all=-l -ldflags='-s -w' -o $(BIN)/engine_test.wasm ./page/internal/engine

page/node_modules: page/package-lock.json
	npm ci --prefix page
	@touch $@

fmt:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "gofmt needed:"; echo "$$bad"; exit 1; fi

# govet is one of the linters.
lint:
	$(GOLANGCI_LINT) run ./...
	for module in $(MODULES); do (cd $$module && $(GOLANGCI_LINT) run ./...) || exit 1; done

# A short run of every fuzz target. What they find of interest is kept where go test -fuzz keeps it. make ci builds
# without FUZZBUILD, as make test does: in 300 inputs a target learns little from what each one reaches.
FUZZBUILD ?= -fuzz .
fuzz:
	@set -e; bin=$$(mktemp -d); trap 'rm -rf $$bin' EXIT; found=$$(go env GOCACHE)/fuzz; module=$$(go list -m); \
	packages=$$(grep -rl --include='*_test.go' --exclude-dir=node_modules '^func Fuzz' . | xargs -n 1 dirname | sort -u); \
	go test -c $(FUZZBUILD) -o $$bin/ $$packages; \
	for pkg in $$packages; do \
		test=$$bin/$${pkg##*/}.test; \
		for target in $$($$test -test.list '^Fuzz'); do \
			echo "fuzz $$pkg $$target"; \
			(cd $$pkg && $$test -test.run '^$$' -test.fuzz "^$$target$$" -test.fuzztime $(FUZZTIME) \
				-test.fuzzminimizetime 10x -test.timeout 10m -test.fuzzcachedir $$found/$$module/$${pkg#./}); \
		done; \
	done

# How many of a sample of small mistakes in packages their tests notice: MUTANTS of each of PACKAGES. The seed is the
# commit. It takes minutes for a package.
MUTANTS ?= 20
PACKAGES ?= internal/sim/compare sim/spec internal/verdict state internal/isa/asm lds smem
mutants:
	go run ./.ci/mutants -n $(MUTANTS) $(PACKAGES)

# Adds what fuzzing has found on this machine, and reaches more than the seeds do, to the seeds
# of the targets. MERGE is the packages.
MERGE ?= ./...
fuzz-corpus:
	go run ./examples/ossfuzz/merge $(MERGE)

# How fast things are, and how much slower than plain Go.
bench:
	go test -run '^$$' -bench . -benchmem -count 3 ./... | awk -f .ci/ratios.awk

# The same of what docs/PERFORMANCE.md lists. Runs of all of them alternate, so that a time
# when the machine is busy slows every one of them. Kernels take long enough to run several times.
.PHONY: ratios
RATIOS := ^Benchmark(AddF32|Functions|LoadDword|Records|Format|Atomic|Load8888|Bilinear)$$
ratios:
	@for i in 1 2 3 4 5; do \
		go test -p 1 -run '^$$' -bench '$(RATIOS)' -benchtime 20ms ./alu ./mubuf ./mtbuf ./lds ./mimg; \
		go test -run '^$$' -bench '^Benchmark(Kernels|Groups)$$' -benchtime 300ms ./sim; \
	done | awk -f .ci/ratios.awk

# Bugs of the compilers that are installed: four hunts of HUNT_TIME each, in HUNT, which a later call goes on with.
HUNT ?= bugs
HUNT_TIME ?= 15m
.PHONY: hunt
hunt:
	.ci/hunt $(HUNT) $(HUNT_TIME)

# Processor time of nine OpenCL kernels on the virtual Radeon, and with what runs OpenCL on the processor too. It takes
# Debian's packages mesa-opencl-icd, libpocl2, oclgrind, ocl-icd-opencl-dev and a C compiler, and a quarter of an hour.
.PHONY: peers
peers:
	go run ./.ci/peers

# Rewrite the generated table of what executes.
support:
	go build -o $(BIN)/gcnsim ./cmd/gcnsim
	$(BIN)/gcnsim support > docs/SUPPORT.md

# Compare the time model with boards and write docs/TIMING.md: a few minutes. With FIGURES=FILE, what examples/probe
# measured on a card is compared, and nothing is written.
boards:
	go run ./cmd/internal/boards/measure $(if $(FIGURES),-figures=$(FIGURES),-write)
