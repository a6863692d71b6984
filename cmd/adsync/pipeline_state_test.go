package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// runner clones the remote as a runner that forgets does.
func (p *pipeline) runner() string {
	p.t.Helper()
	self, err := os.Executable()
	must(p.t, err)
	dir := filepath.Join(p.t.TempDir(), "runner")
	p.run(filepath.Dir(dir), "git clone -q "+p.origin+" runner && mkdir runner/bin && ln -s "+self+" runner/bin/adsync")
	return dir
}

var withKey = map[string]string{"ADSYNC_API_KEY": "sk-pipeline-key", "STATE_PAUSE": "0"}

// step runs a script in a runner with the key, and wants it to end well.
func (p *pipeline) step(dir, script string) string {
	p.t.Helper()
	out, err := p.try(dir, script, withKey)
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return out
}

// stateCommit is where the branch of the state stands, "" where there is none.
func (p *pipeline) stateCommit() string {
	return strings.TrimSpace(p.run(p.origin, "git rev-parse --verify -q adsync/state || true"))
}

// keptSerial is how many commits the state on the branch has seen.
func (p *pipeline) keptSerial() int {
	p.t.Helper()
	text := p.run(p.origin, "git show adsync/state:lineage "+
		"| sed -n 's/.* serial \\([0-9]*\\) .*/\\1/p' | sort -n | tail -n 1")
	n, err := strconv.Atoi(strings.TrimSpace(text))
	must(p.t, err)
	return n
}

// createdTwice lists what the service was told to create more than once.
func (p *pipeline) createdTwice() []string {
	p.t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/_emulator/mutations?limit=10000", nil)
	r.Host = "localhost"
	r.Header.Set("Authorization", "Bearer sk-pipeline-key")
	w := httptest.NewRecorder()
	p.service.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		p.t.Fatalf("the service's log of mutations: %d %s", w.Code, w.Body)
	}
	var page struct {
		Data []struct {
			Action, Resource string
			After            struct{ Name string }
		}
	}
	must(p.t, json.Unmarshal(w.Body.Bytes(), &page))
	var twice []string
	seen := map[string]bool{}
	for _, m := range page.Data {
		name := m.Resource + " " + m.After.Name
		if m.Action == "create" && m.Resource != "file" && seen[name] {
			twice = append(twice, name)
		}
		seen[name] = seen[name] || m.Action == "create"
	}
	if len(seen) == 0 {
		p.t.Fatal("the service created nothing; want the project")
	}
	return twice
}

// TestTheJournalOfAKilledApplyIsKept kills the apply of a runner once the service has
// taken its job: what was sent stands in the log beside state.db, and the next runner has it.
func TestTheJournalOfAKilledApplyIsKept(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, "github-actions")
	first := p.runner()
	pid := filepath.Join(t.TempDir(), "pid")
	p.before = func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		must(t, err)
		r.Body = io.NopCloser(bytes.NewReader(body))
		job := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/bulk_mutation_jobs")
		if !job || bytes.Contains(body, []byte(`"validate_only":true`)) {
			p.service.ServeHTTP(w, r)
			return
		}
		p.service.ServeHTTP(httptest.NewRecorder(), r) // it is taken
		text, err := os.ReadFile(pid)
		must(t, err)
		victim, err := strconv.Atoi(strings.TrimSpace(string(text)))
		must(t, err)
		must(t, syscall.Kill(victim, syscall.SIGKILL))
		<-r.Context().Done()
	}
	p.step(first, "ci/state.sh get")
	if out, err := p.try(first, "sh -c 'echo $$ > "+pid+"; exec bin/adsync apply ads --yes'", withKey); err == nil {
		t.Fatalf("the apply was not killed:\n%s", out)
	}
	p.before = nil
	if _, err := os.Stat(filepath.Join(first, "ads/.adsync/state.db-wal")); err != nil {
		t.Fatalf("the killed apply left no log: %v; want one", err)
	}
	p.step(first, "ci/state.sh put")

	next := p.runner()
	p.step(next, "ci/state.sh get")
	if out := p.step(next, "bin/adsync status ads"); !strings.Contains(out, "sent  POST /bulk_mutation_jobs") {
		t.Errorf("the next runner does not know of the job that was sent:\n%s", out)
	}
	if out := p.step(next, "bin/adsync apply ads --yes && ci/state.sh put"); !strings.Contains(out, "recovered") {
		t.Errorf("the next apply recovers nothing:\n%s", out)
	}
	if twice := p.createdTwice(); len(twice) > 0 {
		t.Errorf("created twice: %v", twice)
	}
	p.settled(withKey)
}

// losing is a git whose network calls are counted, and lost from one on: before they are
// made, or with their answer after they were.
const losing = `
case " $* " in
*" ls-remote "* | *" fetch "* | *" push "*) ;;
*) exec "$GIT" "$@" ;;
esac
n=$(($(cat "$CALLS") + 1))
echo "$n" > "$CALLS"
if [ "$n" -lt "$LOSE" ] || [ "$n" -ge "$((LOSE + FOR))" ]; then exec "$GIT" "$@"; fi
if [ "$HOW" = answer ]; then "$GIT" "$@" > /dev/null 2>&1 || true; fi
echo "fatal: unable to access: the network is away" >&2
exit 128
`

// TestNoLostNetworkCallLosesTheState loses each network call of get and put, once and for
// good: nothing is taken for an empty state, and what is on the branch never goes back.
func TestNoLostNetworkCallLosesTheState(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, "github-actions")
	git := strings.TrimSpace(p.run(p.work, "command -v git"))
	p.stub("git", losing)
	calls := filepath.Join(t.TempDir(), "calls")
	p.env["GIT"], p.env["CALLS"], p.env["LOSE"], p.env["FOR"], p.env["HOW"] = git, calls, "1000", "1", ""
	fresh := func() { must(t, os.WriteFile(calls, []byte("0"), 0o600)) }
	fresh()
	dir := p.runner()
	p.step(dir, "ci/state.sh get && bin/adsync apply ads --yes && ci/state.sh put")

	amount := 50
	for _, lost := range []struct {
		call int // get: ls-remote, fetch; put: ls-remote, push
		how  string
	}{{1, "call"}, {2, "call"}, {3, "call"}, {4, "call"}, {4, "answer"}} {
		for _, length := range []string{"1", "1000"} {
			t.Run(fmt.Sprintf("%s %d for %s", lost.how, lost.call, length), func(t *testing.T) {
				p := *p
				p.t = t
				more := fmt.Sprintf("daily: %d.00", amount+1)
				p.edit("more", "ads/spring.yaml", fmt.Sprintf("daily: %d.00", amount), more)
				p.merge("more")
				amount++
				dir, serial := p.runner(), p.keptSerial()
				fresh()
				lossy := map[string]string{"LOSE": strconv.Itoa(lost.call), "FOR": length, "HOW": lost.how}
				maps.Copy(lossy, withKey)
				said, err := p.try(dir, "ci/state.sh get && bin/adsync apply ads --yes && ci/state.sh put", lossy)
				if (err == nil) != (length == "1") {
					t.Errorf("get, apply and put = %v; want an error only where the network stays away\n%s", err, said)
				}
				if p.keptSerial() < serial {
					t.Errorf("the branch went back from %d to %d", serial, p.keptSerial())
				}
				// The network is back: what was applied is kept, and what was not is applied.
				p.step(dir, "test ! -e ads/.adsync/state.db || ci/state.sh put")
				p.step(dir, "ci/state.sh get && bin/adsync apply ads --yes && ci/state.sh put")
				if p.keptSerial() <= serial {
					t.Errorf("the branch stands at %d; want more than %d", p.keptSerial(), serial)
				}
				p.step(dir, "bin/adsync plan ads --detailed-exitcode")
			})
		}
	}
	if twice := p.createdTwice(); len(twice) > 0 {
		t.Errorf("created twice: %v", twice)
	}
}

// TestOnlyTheNextStateIsPut refuses to push what does not follow the branch.
func TestOnlyTheNextStateIsPut(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, "github-actions")
	one, two := p.runner(), p.runner()
	p.step(one, "ci/state.sh get")
	p.step(two, "ci/state.sh get")
	p.step(one, "bin/adsync apply ads --yes && ci/state.sh put")
	first := p.stateCommit()
	refused := func(dir, script, want string) {
		t.Helper()
		stood := p.stateCommit()
		out, err := p.try(dir, script, withKey)
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("%s = %v; want an error that says %q\n%s", script, err, want, out)
		}
		if now := p.stateCommit(); now != stood {
			t.Errorf("%s: the branch moved from %s to %s", script, stood, now)
		}
	}
	refused(p.runner(), "ci/state.sh put", "get did not come to its end")
	refused(p.runner(), "mkdir ads/.adsync && cp "+one+"/ads/.adsync/state.db ads/.adsync && ci/state.sh put",
		"get did not come to its end")

	// A second runner that began at the same moment, when there was no state.
	p.step(two, "bin/adsync plan ads && cp -r ads/.adsync kept")
	p.step(two, "bin/adsync apply ads --yes || true")
	refused(two, "ci/state.sh put", "somebody else has put theirs")
	refused(two, "ci/state.sh get", "does not have")

	// A state that lost its last commits, and one of another lineage.
	p.step(one, "cp -r ads/.adsync old")
	p.edit("more", "ads/spring.yaml", "daily: 50.00", "daily: 60.00")
	p.merge("more")
	p.step(one, "git pull -q && bin/adsync apply ads --yes && ci/state.sh put")
	refused(one, "cp old/state.db old/lineage ads/.adsync && ci/state.sh put", "nothing was pushed over it")
	refused(one, "cp "+two+"/ads/.adsync/state.db "+two+"/ads/.adsync/lineage ads/.adsync && ci/state.sh put",
		"another one")
	refused(one, "rm ads/.adsync/state.db && ci/state.sh put", "is gone")

	// A branch that was taken away is no beginning.
	three := p.runner()
	p.step(three, "ci/state.sh get")
	p.edit("most", "ads/spring.yaml", "daily: 60.00", "daily: 65.00")
	p.merge("most")
	p.step(three, "git pull -q && bin/adsync apply ads --yes")
	last := p.stateCommit()
	p.run(p.origin, "git update-ref -d refs/heads/adsync/state")
	refused(three, "ci/state.sh put", "stands at none")
	p.run(p.origin, "git update-ref refs/heads/adsync/state "+last)
	p.step(three, "ci/state.sh put && ci/state.sh put && ci/state.sh get && ci/state.sh get")
	if first == last || p.stateCommit() == last {
		t.Error("the branch did not move; want the state of the last apply there")
	}
	p.settled(withKey)
}
