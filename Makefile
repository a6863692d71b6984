# adsync: make run does the main job on the embedded emulator, make test passes the tests.
GO      ?= go
VERSION ?= 0.1.0-dev
# Loops of tests that are longer by hand than in CI.
KILLS   ?= 200
DRAWS   ?= 1000

.PHONY: all build run test ci lint race examples bench fuzz kills deps clean

all: build

build: bin/adsync

bin/adsync: go.mod go.sum $(shell find cmd internal plan reconcile sources state -name '*.go' -not -name '*_test.go' 2>/dev/null)
	$(GO) build -trimpath -ldflags "-s -w -X main.release=$(VERSION)" -o $@ ./cmd/adsync

# run: validate, plan, apply on the emulator in this process, then plan again:
# the second plan is empty. A second make run shows no changes.
run: build
	./bin/adsync validate examples/quickstart
	./bin/adsync apply --yes examples/quickstart
	./bin/adsync plan --detailed-exitcode examples/quickstart

test: deps
	$(GO) test -timeout 20m ./...

# ci: what .ci/run runs: every test, the lint, the race detector, the examples.
ci: test lint race examples

lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not formatted: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool -modfile=internal/tools/go.mod staticcheck ./...

# race: the packages in which goroutines meet.
race:
	$(GO) test -race -short -timeout 20m ./internal/adsapi ./state ./reconcile ./sources ./internal/emulator/...

examples: build
	rm -rf examples/quickstart/.adsync
	$(MAKE) run
	$(MAKE) run
	rm -rf examples/quickstart/.adsync

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# kills: kill adsync apply at random moments, KILLS times; one of everything must be left.
kills: build
	$(GO) test -count=1 -timeout 60m -run TestKilledApplyLeavesOneOfEverything ./cmd/adsync -kills $(KILLS)

# deps: what the tests need beyond Go, by the names Debian gives it.
deps:
	@sh internal/tools/deps.sh

clean:
	rm -rf bin examples/quickstart/.adsync
