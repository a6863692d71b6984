# adsync: make run does the main job on the embedded emulator, make test passes the tests.
GO      ?= go
VERSION ?= 0.1.0-dev
# Where make install puts adsync: $(PREFIX)/bin.
PREFIX  ?= $(HOME)/.local
# Loops of tests that are longer by hand than in CI.
KILLS    ?= 200
DRAWS    ?= 1000
CLIENTS  ?= 200
FUZZTIME ?= 20s
N        ?= 100000
SEED     ?= 1

# One way to build for all: the binary stands alone, and its packages are compiled once for commands, tests and lint,
# in whatever folder the clone lies. The race detector wants cgo.
export CGO_ENABLED = 0
export GOFLAGS := $(shell $(GO) env GOFLAGS) -trimpath

.PHONY: demo-check all build install image run test quick generate coverage ci lint race examples journeys bench peers events parts fuzz properties sim kill profiles crash consent seeded mutate draws clients corrupt pictures screenshots vuln deps clean idle idle-fleet database-cost soak days floor turns kill-branch kill-database kill-pulls agency limits-shared pgbouncer

all: build

build: bin/adsync

bin/adsync: go.mod go.sum $(shell find cmd internal plan reconcile sources state -name '*.go' -not -name '*_test.go' 2>/dev/null)
	$(GO) build -ldflags "-s -w -X adsync/cmd/adsync/internal/console.Release=$(VERSION)" -o $@ ./cmd/adsync

# install: into $(DESTDIR)$(PREFIX)/bin, where a shell finds it if that is in PATH.
install: build
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 bin/adsync $(DESTDIR)$(PREFIX)/bin/adsync

# image: a container image for two platforms, without Docker: an OCI layout and a tarball of each for docker load in
# bin/image. PUSH=registry/name pushes it as VERSION; ROOTS is a file of certificates to trust beside Mozilla's.
# The same commit gives the same bytes, by the same Go.
image:
	for arch in amd64 arm64; do \
		GOOS=linux GOARCH=$$arch $(GO) build -trimpath -buildvcs=auto -ldflags "-s -w -X adsync/cmd/adsync/internal/console.Release=$(VERSION)" -o bin/linux-$$arch/adsync ./cmd/adsync || exit 1; \
	done
	cd internal/tools/image && SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} $(GO) run . -version '$(VERSION)' $(if $(ROOTS),-roots '$(abspath $(ROOTS))') $(if $(PUSH),-push '$(PUSH)') $(CURDIR)/bin/image $(CURDIR)/bin/linux-amd64/adsync $(CURDIR)/bin/linux-arm64/adsync

# run: validate, plan, apply on the emulator in this process, then plan again:
# the second plan is empty. A second make run shows no changes.
run: build
	./bin/adsync validate examples/quickstart
	./bin/adsync apply --yes examples/quickstart
	./bin/adsync plan --detailed-exitcode examples/quickstart

# Half the processor time of the tests and of staticcheck is the garbage collector's at
# its default; four times the heap fits. The binary under test runs at the default.
test lint race: export GOGC = 400

# Tests of processes mostly wait: more of them than there are cores go side by side. make lint vets. -count=1: to keep
# results, go would look again at each file that a test opened, which takes it a fifth of two cores. -ldflags=-w: what
# only a debugger reads is a third of what linking a test takes.
test: deps
	sh internal/tools/scratch.sh $(GO) test -count=1 -vet=off -ldflags=-w -timeout 60m -parallel 6 ./...
	cd internal/tools/kubernetes && $(GO) test ./...
	cd internal/tools/image && $(GO) test ./...
	cd internal/tools/openid && $(GO) test ./...

# quick: vet and unit tests of what differs from BASE, the last commit unless given, and
# of what imports it: about a minute. Long tests and processes are left to make test.
quick:
	@RAPID_CHECKS=20 sh internal/tools/quick.sh $(BASE)

# generate: write all golden files and generated pages anew.
generate:
	$(GO) test -count=1 -run 'InStep' ./cmd/adsync -update
	$(GO) test -count=1 $$(grep -rl '"adsync/internal/testing/golden"' --include='*_test.go' . | xargs -n1 dirname | sort -u | grep -v '^./cmd/adsync$$') -update

# coverage: write docs/develop/coverage.md anew, after all scripts ran: minutes.
coverage:
	$(GO) test -count=1 -parallel 6 -run 'TestScripts$$' ./cmd/adsync -update
	$(GO) test -count=1 -run InStep ./internal/testing/coverage -update

# ci: what .ci/run runs: every test, the lint, the race detector, the examples, and
# beside them two minutes of soak, which mostly waits.
ci: deps
	$(GO) test -c -ldflags=-w -o bin/soak.test ./cmd/adsync
	(cd cmd/adsync && exec ../../bin/soak.test -test.v -test.timeout 30m -test.run '^TestSoak$$' -soak 2m) > bin/soak.log 2>&1 & soak=$$!; \
	$(MAKE) test lint race examples; failed=$$?; \
	wait $$soak || { echo "the soak failed:"; cat bin/soak.log; failed=1; }; exit $$failed

lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not formatted: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) test -run TestNoLine ./internal/arch
	$(GO) tool -modfile=internal/tools/go.mod staticcheck ./...

# race: the packages in which goroutines meet. Not those tests of the state that replay, call by call and byte by byte,
# what one process wrote: in them none meet, and the detector makes them many times slower. make test runs them.
REPLAYS = PowerCut|DiskThatFails|FlippedByte|ForYears
race:
	CGO_ENABLED=1 $(GO) test -race -count=1 -vet=off -ldflags=-w -timeout 40m -skip '$(REPLAYS)' ./state
	CGO_ENABLED=1 $(GO) test -race -short -count=1 -vet=off -ldflags=-w -timeout 20m ./internal/adsapi ./reconcile ./sources ./internal/daemon ./internal/watch ./internal/emulator/...

examples: build
	rm -rf examples/quickstart/.adsync
	$(MAKE) run
	$(MAKE) run
	rm -rf examples/quickstart/.adsync

# journeys: what each person does with adsync from the first command to the last, as
# processes, in the three profiles of the emulator. make test makes them too.
journeys: deps
	$(GO) test -count=1 -timeout 20m -run 'TestJourneys|TestAMarketers' ./internal/testing/journeys

# demo-check: what adsync demo promises, and that its page adds up to the cent what the emulator's ledger has.
demo-check:
	$(GO) test -count=1 -v -run 'TestDemo$$' ./cmd/adsync

# agency: the journey of an agency with ACCOUNTS accounts on three machines and one database, with leases and times as
# users have them: a machine is killed, one is frozen, the database is promoted. It says what each change took.
agency: ACCOUNTS = 300
agency: deps
	$(GO) test -count=1 -v -timeout 60m -run TestJourneysInADatabase/agency ./internal/testing/journeys -agency $(ACCOUNTS)

# peers: the same work done by adsync and by what users would pick instead, with the
# Terraform 1.11 and the decK 1.64 that are named; docs/develop/performance.md says how those
# were built. 15,000 resources; minutes, most of them Terraform's plans.
peers: ROUNDS    = 3
peers: TERRAFORM =
peers: DECK      =
peers: build
	$(GO) test -count=1 -timeout 2h -run 'TestPeers$$' ./cmd/adsync -v -measure-rounds $(ROUNDS) -measure-binary $(CURDIR)/bin/adsync -peer-terraform '$(TERRAFORM)' -peer-deck '$(DECK)'

# bench: what every command takes, as processes, over accounts of FROM resources
# and ten times as many up to SIZE, beside the floor of the same run, and how it
# grows; as tables for docs/develop/performance.md, and as JSON in bin/bench.json. ROUNDS: of
# each, the least.
bench: FROM   = 1500
bench: SIZE   = 15000
bench: ROUNDS = 3
bench: build
	$(GO) test -count=1 -timeout 6h -run 'TestMeasure$$' ./cmd/adsync -v -measure-from $(FROM) -measure $(SIZE) -measure-rounds $(ROUNDS) -measure-binary $(CURDIR)/bin/adsync -measure-json $(CURDIR)/bin/bench.json

# parts: the Go benchmarks, for benchstat: make parts COUNT=10 >old.txt, and again
# after a change. WHICH are packages, BENCH is a pattern of names.
parts: WHICH = ./...
parts: BENCH = .
parts: COUNT = 1
parts:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) $(WHICH)

# kill: kill adsync apply N times (200 unless given) in accounts and at moments
# drawn from SEED, and the emulator under load and a writer of the state KILLS
# times each; nothing acknowledged is lost, nothing doubled.
kill: N = 200
kill:
	$(GO) test -count=1 -v -timeout 6h -run 'TestKilled' ./cmd/adsync -kills $(N) -kill-seed $(SEED)
	EMULATOR_TEST_KILLS=$(KILLS) $(GO) test -count=1 -v -timeout 60m -run Kill ./internal/emulator
	ADSYNC_STATE_KILLS=$(KILLS) $(GO) test -count=1 -v -timeout 60m -run Kill ./state

# kill-branch: kill the apply of runners that forget N times (100 unless given), with their
# state on a git branch; nothing is sent that the branch does not hold, nothing doubled.
kill-branch: N = 100
kill-branch:
	$(GO) test -count=1 -v -timeout 6h -run 'TestKilledRunner' ./cmd/adsync -branch-kills $(N) -kill-seed $(SEED)

# kill-database: kill adsync apply, of N accounts with their states in one database, and that
# database KILLS times in all, and promote a standby of it PROMOTIONS times, with leases of 1 s;
# nothing is doubled or lost, and in the end nothing is left to do.
kill-database: N          = 5
kill-database: PROMOTIONS = 20
kill-database:
	$(GO) test -count=1 -v -timeout 6h -run 'TestKilledWithItsDatabase' ./cmd/adsync -database-accounts $(N) -database-kills $(KILLS) -promotions $(PROMOTIONS) -kill-seed $(SEED)

# kill-pulls: kill the daemon that answers pull requests N times (200 unless given), while people push, approve, take
# back, merge and edit the account: what it applied was approved as it was applied.
kill-pulls: N = 200
kill-pulls:
	$(GO) test -count=1 -v -timeout 6h -parallel 4 -run TestKilledDaemonApplies ./cmd/adsync -pull-kills $(N) -kill-seed $(SEED)

# limits-shared: processes that share the limits of their network addresses: an hour of 21 addresses and 10,000 accounts
# on a simulated clock, MINUTES real minutes of the same through PostgreSQL, and MINUTES of three daemons at one address.
limits-shared: MINUTES = 10
limits-shared: deps
	$(GO) test -count=1 -v -timeout 3h ./internal/testing/slots -slots-whole -slots-minutes $(MINUTES)
	$(GO) test -count=1 -v -timeout 3h -run TestDaemonsShareTheLimitsOfTheirAddress ./cmd/adsync -limits $(MINUTES)m

# events: N conversion events, 100000 unless given, through a proxy that breaks one answer in 20, by a
# process that is killed meanwhile; each arrives once where the service tells them by their id, none
# twice where it does not. It says what sending takes.
events:
	$(GO) test -count=1 -v -timeout 60m -run 'TestEventsArrive|TestSendingMany' ./cmd/adsync -events $(N) -kill-seed $(SEED)

# sim: N histories of the simulation from number SEED on, in two processes: agent
# and service in one, every fault, every open point, and the totals of both as a
# table and as a line of JSON; see docs/develop/bugs.md.
sim:
	$(GO) test -c -o bin/sim.test ./internal/testing/sim
	rm -f bin/sim.first.json bin/sim.second.json
	cd internal/testing/sim && half=$$(( ($(N) + 1) / 2 )); \
	run="../../../bin/sim.test -test.cpu 1 -test.timeout 0 -test.run TestHistories$$ -sim.histories $$half"; \
	$$run -sim.seed $(SEED) -sim.into ../../../bin/sim.first.json & first=$$!; \
	$$run -sim.seed $$(( $(SEED) + half )) -sim.into ../../../bin/sim.second.json & second=$$!; \
	wait $$first; failed=$$?; wait $$second || failed=1; \
	../../../bin/sim.test -test.v -test.run TestTotals$$ -sim.from ../../../bin/sim.first.json,../../../bin/sim.second.json && exit $$failed

# turns: N / 3 histories from number SEED on in which keys change, resources are
# replaced and runs are taken back.
turns:
	$(GO) test -count=1 -v -timeout 0 -run TestHistoriesThatTurn ./internal/testing/sim -sim.histories $(N) -sim.seed $(SEED)

.PHONY: workers interleavings

# workers: N / 3 histories from number SEED on in which each run is of one of two or three workers that share a state.
workers:
	$(GO) test -count=1 -v -timeout 0 -cpu 1 -run TestHistoriesOfWorkers ./internal/testing/sim -sim.histories $(N) -sim.seed $(SEED)

# interleavings: N orders in which two or three workers that share a state take their steps, from number SEED on.
interleavings:
	$(GO) test -count=1 -v -timeout 0 -cpu 1 -run TestInterleavings ./internal/testing/sim -sim.interleavings $(N) -sim.seed $(SEED)

# consents: N orders of pushes, approvals, merges, edits at the service and deaths of the daemon, over pull requests.
.PHONY: consents
consents: N = 200
consents:
	$(GO) test -count=1 -v -timeout 0 -run TestWhateverTheOrder ./cmd/adsync/internal/pulls -rapid.checks=$(N)

# floor: requests and time of every shape of account, whatever its jobs take, in whole
# sizes, on a simulated clock beside what the limits dictate.
floor:
	$(GO) test -count=1 -v -timeout 60m -run 'TestRequestsOfEveryShape|TestUpdatesAreASubmission|TestAFullCreateWaits|TestReadingOneByOne' ./reconcile -whole
	$(GO) test -count=1 -v -run 'TestAFleet|TestOneAccountCosts' ./internal/adsapi
	$(GO) test -count=1 -v -timeout 60m -run TestADaemonOfAFleet ./cmd/adsync/internal/daemoncmd -fleet 300
	$(GO) test -count=1 -v -timeout 30m -run TestAFleetOfOneRepository ./cmd/adsync/internal/daemoncmd -fleet 200

# idle: what 100 accounts of 150 resources cost a daemon in which nothing happens.
idle:
	$(GO) test -count=1 -v -timeout 30m -run TestIdleCost ./cmd/adsync -idle 3m -idle-accounts 100

# idle-fleet: what ACCOUNTS such accounts keep in the memory of a daemon that has 4 GiB, with their states in folders, or
# with IN=-idle-database in a database.
idle-fleet: ACCOUNTS = 2500
idle-fleet: IN =
idle-fleet:
	GOMEMLIMIT=4GiB $(GO) test -count=1 -v -timeout 2h -run TestIdleCost ./cmd/adsync -idle 5m -idle-accounts $(ACCOUNTS) $(IN)

# database-cost: what looks and daemons cost a PostgreSQL server, and which records its log has of them, carried to
# 10,000 accounts: 15 minutes.
database-cost:
	$(GO) test -count=1 -v -timeout 2h -run TestDatabaseCost ./cmd/adsync -database-cost 90s

# pgbouncer: the tests of states and errands in a database, through PgBouncer in transaction mode. Left out is what
# cannot be there: notifications, and settings of a connection.
pgbouncer: deps
	ADSYNC_TEST_PGBOUNCER=1 $(GO) test -count=1 -timeout 60m \
		-skip 'TestADatabaseThatKeepsNothingIsRefused|TestWhoMayTakePermits|TestProcessesRingForEachOther|TestAnAccountIsGivenBackOnceTheDatabaseAnswers' \
		./state ./state/postgres ./internal/errands

# soak: a daemon and an emulator live through saves, commits, edits by others,
# faults and kills for MINUTES.
soak: MINUTES = 60
soak:
	$(GO) test -count=1 -v -timeout 24h -run TestSoak ./cmd/adsync -soak $(MINUTES)m -soak-seed $(SEED)

# days: the daemon of an account, with its worker, its state on a disk and the
# emulator in one process, lives through DAYS virtual days drawn from SEED.
days: DAYS = 10000
days:
	$(GO) test -count=1 -v -timeout 24h -run 'TestDays$$' ./cmd/adsync/internal/daemoncmd -days $(DAYS) -days-seed $(SEED)

# crash: end the agent at every effect of every scenario, and fail the power after
# every system call of a writer of the state, and the disk at every call.
crash:
	$(GO) test -count=1 -v -timeout 60m -run 'TestPower|TestDisk' ./state -power-cuts 8 -disk-faults 1
	$(GO) test -count=1 -timeout 60m -run 'TestCrash' ./reconcile -crash-stride 1

# consent: N random orders of approvals by two people, edits, kills and expiries.
consent: N = 1000
consent:
	$(GO) test -count=1 -v -timeout 60m -run TestEveryOrderOfApprovals ./reconcile -consent-orders $(N)

# mutate: change the guards of plan and the journal of state in hundreds of small ways,
# each alone, and count what their tests notice; EVERY=1 tries every change.
EVERY     ?= 3
UNMUTATED ?= PowerCut|Flipped|Disk|Killed|S23|Cut|Mirror|Newest|Seal|Report|Concurrent|Golden|Folder|Full|Bench|Alloc|Damage
mutate:
	cd internal/tools && $(GO) build -o ../../bin/mutate ./mutate
	./bin/mutate -every $(EVERY) -bound 300ms -args -rapid.checks=10 -by ./plan/compare -files '^(amount|updates|undecided|protect|refused)\.go$$' ./plan/guard
	./bin/mutate -every $(EVERY) -bound 300ms -args -rapid.checks=10 -files '^prune\.go$$' ./plan/compare
	./bin/mutate -bound 1s -skip '$(UNMUTATED)' -args -rapid.checks=10 -files '^(journal|step|codec)\.go$$' ./state

# seeded: build each mistake of internal/testing/mutants in, and want the test that is
# named for it to fail within a minute.
seeded:
	$(GO) test -count=1 -v -timeout 60m -run TestEveryMistakeIsCaught ./internal/testing/mutants -every

# profiles: every row of the service's tests, every script of adsync, and an account
# of every kind, in the three profiles of the emulator (docs/develop/open-points.md); and
# the scripts once more with states in a database.
profiles:
	$(GO) test -count=1 -timeout 30m -run TestEmulatorKeepsEveryRow ./internal/testing/conformance
	$(GO) test -count=1 -timeout 30m -run TestOpenPointsDoNotMatter ./reconcile
	$(GO) test -count=1 -timeout 60m -run 'TestScripts$$' ./cmd/adsync -profiles interface,published,hostile
	$(GO) test -count=1 -timeout 60m -run TestScriptsInADatabase ./cmd/adsync -in-database

# draws: DRAWS services that differ wherever the interface is silent.
draws:
	EMULATOR_TEST_DRAWS=$(DRAWS) $(GO) test -count=1 -timeout 60m -run TestEveryDraw ./internal/emulator
	$(GO) test -count=1 -timeout 60m -run TestOpenPointsDoNotMatter ./reconcile -draws $(DRAWS)

# clients: CLIENTS at once keep every rule of the emulator.
clients:
	EMULATOR_TEST_CLIENTS=$(CLIENTS) $(GO) test -count=1 -timeout 60m -run 'TestMany(Clients|Visitors)' ./internal/emulator

# properties: the packages that draw, with CHECKS draws of every property, others
# each time; make test draws the same ones every time.
properties: CHECKS = 1000
properties:
	RAPID_SEED=0 $(GO) test -count=1 -timeout 6h $$(grep -rl '"pgregory.net/rapid"' --include='*_test.go' . | xargs -n1 dirname | sort -u) -rapid.checks=$(CHECKS)

# fuzz: every fuzz target for FUZZTIME.
fuzz:
	@grep -rl '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u | while read dir; do \
		for target in $$(grep -h '^func Fuzz' $$dir/*_test.go | sed 's/func \(Fuzz[A-Za-z0-9]*\).*/\1/'); do \
			echo "$$dir $$target"; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$dir || exit 1; \
		done; \
	done

# pictures: draw those of docs/use/pictures anew: the same ones, but for the month that ends in plan*.png, and for the
# minute and the parts of a pixel in walk-approve.png, walk-review.png and walk-undone.png.
pictures: build deps
	@command -v pngquant >/dev/null || apt-get install -y -qq --no-install-recommends pngquant
	/usr/bin/python3 internal/tools/pictures.py
	$(GO) test -count=1 -run TestAMarketersDay ./internal/testing/journeys -pictures $(CURDIR)/docs/use/pictures

# screenshots: draw those of docs/operate/screenshots anew, as docs/operate/web.md shows them.
screenshots: deps
	@mkdir -p docs/operate/screenshots
	$(GO) test -count=1 -run TestScreenshots ./internal/daemon/web -screenshots $(CURDIR)/docs/operate/screenshots

# corrupt: N corruptions of workbooks of several writers, none of which may be
# read differently without a problem.
corrupt:
	$(GO) test -count=1 -v -timeout 120m -run TestCorruptionIsNeverSilent ./sources -corruptions $(N) -corruption-seed $(SEED)

# vuln: flaws that are known in what adsync is built from, and that its code reaches.
# It asks vuln.go.dev, so that make ci does without; VULNDB=file:///… is a copy of that.
vuln:
	$(GO) tool -modfile=internal/tools/go.mod govulncheck $(if $(VULNDB),-db $(VULNDB)) ./...

# deps: what the tests need beyond Go, by the names Debian gives it.
deps:
	@sh internal/tools/deps.sh

clean:
	rm -rf bin examples/quickstart/.adsync
