package emulator_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"adsync/internal/testing/emulatortest"
)

// count is how often a long test goes round: small in go test, more when the
// environment variable says so.
func count(t testing.TB, variable string, usual int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n := 0
	if _, err := fmt.Sscan(text, &n); err != nil || n < 1 {
		t.Fatalf("%s is %q; want a number above 0", variable, text)
	}
	return n
}

// history is what visitors did to one emulator.
type history struct {
	mu     sync.Mutex
	ids    map[string][]string        // ids that creates gave, by path
	bodies map[string]bool            // SHA-256 of every body that was sent
	keyed  map[string]map[string]bool // ids by path and Idempotency-Key
	bad    []string                   // answers that no rule allows
}

func newHistory() *history {
	return &history{ids: map[string][]string{}, bodies: map[string]bool{}, keyed: map[string]map[string]bool{}}
}

// visitor sends requests that are drawn from a seed. Some are right and some are
// refused; none may break a rule.
type visitor struct {
	*emulatortest.Service
	*history
	name string
	r    *rand.Rand
}

func (s *history) visit(service *emulatortest.Service, seed, client uint64) *visitor {
	return &visitor{Service: service, history: s, name: fmt.Sprint("v", client), r: rand.New(rand.NewPCG(seed, client))}
}

// act sends n requests, one after another.
func (v *visitor) act(t *testing.T, n int) {
	for i := range n {
		v.one(t, fmt.Sprint(v.name, " ", i))
	}
}

func (v *visitor) one(t *testing.T, name string) {
	path := []string{"/campaigns", "/ad_groups", "/ads"}[v.r.IntN(3)]
	switch v.r.IntN(10) {
	case 0, 1:
		v.create(t, "/campaigns", emulatortest.CampaignBody(name))
	case 2:
		v.create(t, "/ad_groups", emulatortest.AdGroupBody(v.some("/campaigns"), name))
	case 3:
		v.send(t, "POST", path+"/"+v.some(path), map[string]any{"name": "Renamed " + name})
	case 4, 5:
		v.send(t, "POST", path+"/"+v.some(path)+"/"+[]string{"activate", "pause", "archive"}[v.r.IntN(3)], nil)
	case 6:
		v.submit(t, name)
	case 7:
		v.send(t, "GET", path+"?limit=500", nil)
	case 8:
		v.send(t, "GET", path+"/"+v.some(path), nil)
	case 9:
		v.send(t, "POST", "/campaigns", map[string]any{"name": name, "nmae": 1}) // refused
	}
}

// some is an id that a create gave, or one that nobody has.
func (v *visitor) some(path string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.ids[path]); n > 0 {
		return v.ids[path][v.r.IntN(n)]
	}
	return "none"
}

// create uses one of a few keys, or none.
func (v *visitor) create(t *testing.T, path string, body map[string]any) {
	key := ""
	if k := v.r.IntN(8); k < 4 {
		key = fmt.Sprint("key ", k)
	}
	got := v.send(t, "POST", path, body, "Idempotency-Key", key)
	if got.Status != 200 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	id := got.ID(t)
	v.ids[path] = append(v.ids[path], id)
	if key == "" {
		return
	}
	if v.keyed[path+" "+key] == nil {
		v.keyed[path+" "+key] = map[string]bool{}
	}
	v.keyed[path+" "+key][id] = true
}

// submit sends a job: a tree of its own, and a change of something that is there.
func (v *visitor) submit(t *testing.T, name string) {
	body := job(campaignOp("c"+name), adGroupOp("g"+name, "c"+name), adOp("a"+name, "c"+name, "g"+name),
		change("campaign.update", v.some("/campaigns"), map[string]any{"name": "By a job " + name}))
	body["partial_failure"] = v.r.IntN(2) == 0
	body["validate_only"] = v.r.IntN(5) == 0
	v.send(t, "POST", "/bulk_mutation_jobs", body)
}

// send notes what was sent, and answers that no rule allows.
func (v *visitor) send(t *testing.T, method, path string, body any, headers ...string) emulatortest.Reply {
	text := []byte(nil)
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			t.Error(err)
		}
	}
	sum := sha256.Sum256(text)
	v.mu.Lock()
	v.bodies[hex.EncodeToString(sum[:])] = true
	v.mu.Unlock()
	got, err := v.Send(t, method, path, text, headers...)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil || got.Status >= 500 || got.Header.Get("X-Request-Id") == "" {
		v.bad = append(v.bad, fmt.Sprintf("%s %s = %d %s (%v)", method, path, got.Status, got.Body, err))
	}
	return got
}
