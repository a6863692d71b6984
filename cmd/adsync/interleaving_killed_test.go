package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/testing/githubtest"
)

var pullKills = flag.Int("pull-kills", 6, "how many times the daemon that answers pull requests is killed")

// killsOfACrowd is how often the daemon of one repository is killed.
const killsOfACrowd = 3

// TestKilledDaemonAppliesOnlyWhatWasApproved kills a daemon with SIGKILL before and after requests to forge, service
// and git's server, those most that change something, while people push, approve, take back, merge, close and edit the
// account, also in the midst of its requests. What it applied was approved as it was applied, and no yes was used
// twice; a pull request has one comment, the account one of everything; and once all is merged, a run finds nothing to
// do.
func TestKilledDaemonAppliesOnlyWhatWasApproved(t *testing.T) {
	t.Parallel()
	var sum struct {
		sync.Mutex
		kills, raised, early, merged int
		at, did                      map[string]int
	}
	sum.at, sum.did = map[string]int{}, map[string]int{}
	t.Run("crowd", func(t *testing.T) {
		for n := 0; n*killsOfACrowd < *pullKills; n++ {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				c := newCrowd(t, rand.New(rand.NewPCG(*killSeed, uint64(3000+n))), n%2 == 1)
				c.lives(min(killsOfACrowd, *pullKills-n*killsOfACrowd))
				c.ends()
				sum.Lock()
				defer sum.Unlock()
				sum.kills, sum.raised, sum.early = sum.kills+c.kills, sum.raised+c.raised, sum.early+c.ahead
				for _, of := range c.asked {
					if of.Merged != "" {
						sum.merged++
					}
				}
				for _, both := range []struct{ sum, of map[string]int }{{sum.at, c.killed}, {sum.did, c.did}} {
					for what, times := range both.of {
						both.sum[what] += times
					}
				}
			})
		}
	})
	t.Logf("seed %d: %d kills (%s); people did: %s; %d merged, %d raises applied, %d changes before their merge",
		*killSeed, sum.kills, perKind(sum.at), perKind(sum.did), sum.merged, sum.raised, sum.early)
	if sum.kills < *pullKills || sum.raised == 0 {
		t.Errorf("%d kills, %d raises; want %d, and one at least", sum.kills, sum.raised, *pullKills)
	}
}

// crowd is an account of three budgets, the repository with its files, and people who do not wait for the daemon. It
// knows what each yes was given to from the comment that stood at the forge, what was applied from the mutation log of
// the service, and nothing that the daemon keeps. Above the ceiling of 10 every raise is held.
type crowd struct {
	*repository
	forge   *githubtest.Server
	account *service
	random  *rand.Rand
	before  bool // what is approved is applied before the merge
	config  string

	mu      sync.Mutex // whoever does something has all below; so has a request that is served
	process *process
	age     int         // moments since it was started
	victim  *os.Process // nil: there is nobody to kill
	calm    bool
	want    int // kills
	moves   int
	asked   []*asking // pull requests, the oldest first
	branch  map[string]int
	live    map[string]int
	ids     map[string]string // of the campaigns
	created map[string]int
	actor   string // as whom the service knows adsync
	read    int64  // of the mutation log

	kills, raised, ahead int
	killed, did          map[string]int
}

// asking is a pull request.
type asking struct {
	githubtest.Pull
	said    []*agreed
	shownOf string         // the head that the last plan in its comment is of
	heard   map[string]int // when its reviews and comments were read last
}

// agreed is a yes of bob.
type agreed struct {
	kind  string          // reviews or comments
	id    int64           // at the forge
	sees  map[string]bool // changes that the comment showed when it was given
	until int             // when it was taken back; 0 is never
	used  map[string]bool // of those, which were applied
}

const (
	crowdConfig = `
listen: 127.0.0.1:0
every: 2s
operator: operator.yaml
state: states
accounts:
- name: shop
  git: {url: "%s", ref: main, ca: %s, token: {env: TEST_GIT_TOKEN}}
  pull_requests: {forge: github, repository: acme/ads, api: %q, token: {env: %s}, every: 1s, approvers: [bob], apply: %s}
`
	crowdOperator = `policy:
  max_daily_exposure: 100000.00
  max_daily_budget: 10.00
  exposure: {percent: 1000000}
  budget: {hold_above: 1000, refuse_from: 10000}
  updates: {percent: 100}
`
	crowdCampaign = `kind: campaign
key: %s
name: Budget %[1]s
status: active
bidding_type: clicks
budget: {daily: %d.00}
start: 2027-03-01
end: 2027-05-31
targeting: {countries: [US]}
`
)

var crowdNames = []string{"a", "b", "c"}

func newCrowd(t *testing.T, random *rand.Rand, before bool) *crowd {
	t.Helper()
	work, conf := filepath.Join(t.TempDir(), "shop"), memoryFolder(t)
	noError(t, os.Mkdir(work, 0o700))
	c := &crowd{
		account: serveAccount(t), random: random, before: before, config: filepath.Join(conf, "daemon.yaml"),
		branch: map[string]int{}, live: map[string]int{}, ids: map[string]string{}, created: map[string]int{},
		killed: map[string]int{}, did: map[string]int{}, calm: true,
	}
	saveFile(t, filepath.Join(work, "adsync.yaml"),
		"account: {id: adacct_quickstart, currency: USD, timezone: America/New_York}\n")
	for _, name := range crowdNames {
		c.branch[name] = 10
		saveFile(t, filepath.Join(work, name+".yaml"), fmt.Sprintf(crowdCampaign, name, 10))
	}
	c.repository, c.forge = hostRepository(t, work), githubtest.Start(t)
	when := map[bool]string{true: "before-merge", false: "on-merge"}
	saveFile(t, c.config, fmt.Sprintf(crowdConfig, c.url, c.ca, c.forge.URL, githubToken, when[before]))
	saveFile(t, filepath.Join(conf, "operator.yaml"), crowdOperator)
	c.forge.Around = func(w http.ResponseWriter, r *http.Request, serve http.HandlerFunc) {
		c.amid("forge", w, r, serve)
		c.hears(r)
	}
	served := func(w http.ResponseWriter, r *http.Request) bool {
		c.amid("service", w, r, c.account.server.ServeHTTP)
		return true
	}
	c.account.before.Store(&served)
	fetched := func(w http.ResponseWriter, r *http.Request) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.moment("before git", momentsAKill("git", http.MethodGet, ""))
		return false
	}
	c.repository.before.Store(&fetched)
	c.starts()
	c.process.until("msg", "run ended", "class", "applied")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opens()
	c.opens()
	return c
}

// starts starts the daemon.
func (c *crowd) starts() {
	c.t.Helper()
	p := startDaemon(c.t, c.account, "--config", c.config)
	p.until("msg", "the daemon runs")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.process, c.age, c.victim = p, 0, p.c.Process
}

// amid serves a request of the daemon; nobody else does anything meanwhile, but right before and after it.
func (c *crowd) amid(whose string, w http.ResponseWriter, r *http.Request, serve http.HandlerFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := momentsAKill(whose, r.Method, r.URL.Path)
	what := whose + " " + r.Method
	if found := written.FindStringSubmatch(r.URL.Path); found != nil && r.Method != http.MethodGet {
		what += " " + found[1]
	}
	c.moment("before "+what, one)
	serve(w, r)
	c.watches()
	c.moment("after "+what, one)
}

// written finds what a request writes, by its path.
var written = regexp.MustCompile(`/([a-z_]+)(?:/[^/]*)?$`)

// momentsAKill returns of how many moments around requests the daemon dies at one: seldom at what only reads, and often
// at what changes the account, or makes a comment.
func momentsAKill(whose, method, path string) int {
	switch {
	case method == http.MethodGet:
		return 300
	case whose == "service":
		return 3
	case strings.HasSuffix(path, "/comments"):
		return 6
	}
	return 10
}

// moment is where somebody may do something, and the daemon may die: then it never has its answer.
func (c *crowd) moment(where string, one int) {
	if c.calm || c.victim == nil {
		return
	}
	if c.random.IntN(30) == 0 { // people are as quick as the daemon, whatever else the machine does
		c.somebody()
	}
	if c.age++; c.age > 400 {
		one = min(one, 4) // it has lived long enough
	}
	if c.kills < c.want && c.random.IntN(one) == 0 {
		_ = c.victim.Kill()
		c.victim = nil
		c.kills++
		c.killed[where]++
		panic(http.ErrAbortHandler)
	}
}

// lives has people do things, and the daemon be started again where it was killed, until that has happened so often.
func (c *crowd) lives(kills int) {
	c.t.Helper()
	c.mu.Lock()
	c.want, c.calm = kills, false
	c.mu.Unlock()
	for late := time.Now().Add(3 * patience); ; {
		c.mu.Lock()
		done := c.kills >= kills
		p, dead := c.process, c.victim == nil
		c.mu.Unlock()
		select {
		case err := <-p.ended:
			c.mu.Lock()
			dead = c.victim == nil
			c.mu.Unlock()
			if !dead {
				c.t.Fatalf("the daemon ended by itself: %v", err)
			}
			c.mu.Lock()
			c.somebody() // while there is no daemon
			c.mu.Unlock()
			c.starts()
			late = time.Now().Add(3 * patience)
		case <-time.After(200 * time.Millisecond):
			if done && !dead {
				return
			}
		}
		if c.t.Failed() || time.Now().After(late) {
			c.t.Fatalf("%d of %d kills", c.kills, kills)
		}
	}
}

// ends lets everybody else rest: what is open is closed, and what is live made what the branch says. Then one more is
// approved and merged, and the account has it; and a run of a daemon that is killed once more finds nothing to do.
func (c *crowd) ends() {
	c.t.Helper()
	c.mu.Lock()
	c.calm = true
	for _, of := range c.asked {
		of.Closed = true
	}
	c.tells()
	c.mu.Unlock()
	c.comes("the account is what the branch says", func() bool {
		for _, name := range crowdNames {
			if c.live[name] != c.branch[name] && c.random.IntN(40) == 0 {
				c.edits(name, c.branch[name])
			}
		}
		return maps.Equal(c.live, c.branch)
	})
	c.mu.Lock()
	name := crowdNames[c.random.IntN(3)]
	of := c.opens()
	c.proposes(of, map[string]int{name: 50})
	c.mu.Unlock()
	c.comes("the plan is shown", func() bool {
		return headIn(c.bodyOf(of)) == of.Head[:12] && digestShown.MatchString(c.bodyOf(of))
	})
	c.comes("the status is success", func() bool {
		if c.random.IntN(20) == 0 { // a yes while the comment is replaced does not count: bob says it again
			c.says(of, "bob", true)
		}
		all := c.forge.Statuses(of.Head)
		return len(all) > 0 && all[len(all)-1].State == "success"
	})
	c.mu.Lock()
	c.merges(of)
	c.mu.Unlock()
	c.comes("the account has it", func() bool { return c.live[name] == 50 })
	c.comes("the comment says so", func() bool { return strings.Contains(c.bodyOf(of), "merged as `") })
	noError(c.t, c.process.c.Process.Kill())
	<-c.process.ended
	c.starts()
	c.process.until("msg", "run ended", "class", "in_sync")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watches(); !maps.Equal(c.live, c.branch) {
		c.t.Errorf("the account is %v; want %v", c.live, c.branch)
	}
	for _, name := range slices.Sorted(maps.Keys(c.created)) {
		if c.created[name] != 1 {
			c.t.Errorf("%s was created %d times", name, c.created[name])
		}
	}
	for _, of := range c.asked {
		c.bodyOf(of)
	}
}

// comes waits for something to be so.
func (c *crowd) comes(what string, is func() bool) {
	c.t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		c.mu.Lock()
		so := is()
		c.mu.Unlock()
		switch {
		case so:
			return
		case time.Now().After(late) || c.t.Failed():
			var said []string
			for _, of := range c.asked {
				said = append(said, fmt.Sprintf("%d: closed %v, merged %q\n%s", of.Number, of.Closed, of.Merged,
					c.bodyOf(of)))
			}
			c.t.Fatalf("it does not come to it that %s; live %v, branch %v\n%s", what, c.live, c.branch,
				strings.Join(said, "\n---\n"))
		}
	}
}
