package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/emulator/world"
)

// witnessed has a database note who took which account when: an account belongs to who took it last.
const witnessed = `CREATE SCHEMA observed;
CREATE TABLE observed.taken (account text, pid integer, at timestamptz);
CREATE FUNCTION observed.take() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO observed.taken SELECT NEW.account, pid, clock_timestamp() FROM adsync.worker WHERE id = NEW.worker;
	RETURN NULL;
END $$;
CREATE TRIGGER taken AFTER UPDATE OF token ON adsync.head FOR EACH ROW EXECUTE FUNCTION observed.take()`

// takings are who took an account, and when, the first one first.
const takings = `SELECT
	coalesce(string_agg(pid || ' ' || (extract(epoch FROM at) * 1000000)::bigint, ',' ORDER BY at), '')
	FROM observed.taken WHERE account = '%s'`

// taking is the moment at which a process took an account.
type taking struct {
	pid int
	at  time.Time
}

// ownerAt is who had an account at a moment, 0 for nobody yet.
func ownerAt(takings []taking, at time.Time) (pid int) {
	for _, t := range takings {
		if t.at.After(at) {
			break
		}
		pid = t.pid
	}
	return pid
}

// arrivals are the requests to change an account that reached its service.
type arrivals struct {
	mu     sync.Mutex
	list   []arrival
	judged int // of list
}

// arrival is one of them.
type arrival struct {
	at      time.Time
	pid     int // of who sent it
	request string
	mutated []int64 // what it changed itself, by number in the log of the service
	job     string  // it began
}

// sender is the service as one process sees it, so that it is known who sent what.
type sender struct {
	history *history
	before  *executioner
}

func (s *sender) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever spoke is dead
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if !strings.HasPrefix(r.URL.Path, "/v1/") || !couldChange(r, body) {
		s.history.service.ServeHTTP(w, r)
		return
	}
	answer := s.history.arrives(r, body, s.before.speaks())
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // whoever spoke may be dead
}

// arrives has the service do what a process sent, one request after the other.
func (h *history) arrives(r *http.Request, body []byte, pid int) *httptest.ResponseRecorder {
	h.arrived.mu.Lock()
	defer h.arrived.mu.Unlock()
	answer, before := httptest.NewRecorder(), h.service.World().MutationCount()
	a := arrival{at: time.Now(), pid: pid, request: r.Method + " " + r.URL.Path}
	h.service.ServeHTTP(answer, r)
	sum := sha256.Sum256(body)
	mutations, _ := h.service.World().Mutations(before, 1000) // no disk
	for _, m := range mutations {
		if m.JobID == "" && m.BodySHA256 == hex.EncodeToString(sum[:]) {
			a.mutated = append(a.mutated, m.Seq)
		}
	}
	var made struct{ ID string }
	if json.Unmarshal(answer.Body.Bytes(), &made) == nil {
		a.job = made.ID
	}
	h.arrived.list = append(h.arrived.list, a)
	return answer
}

// staleWrites are requests that reached the service once another process had taken the account of who sent them.
type staleWrites struct {
	sent      int
	effective int // of sent: they changed something
	undone    int // of their changes: a later write changed it
	stand     int // of their changes: it is what the files say
	left      int // of their changes: it is neither
	paused    int // campaigns: a person started them again, as no apply undoes a pause
}

func (s *staleWrites) add(o staleWrites) {
	s.sent, s.effective = s.sent+o.sent, s.effective+o.effective
	s.undone, s.stand, s.left, s.paused = s.undone+o.undone, s.stand+o.stand, s.left+o.left, s.paused+o.paused
}

func (s *staleWrites) String() string {
	return fmt.Sprintf("%d stale writes sent, %d with effect; of what they changed a later write put %d right, "+
		"%d are what the files say, %d were left; a person started %d campaigns that were paused late", s.sent,
		s.effective, s.undone, s.stand, s.left, s.paused)
}

// newest is the newest mutation of a resource.
func (h *history) newest(id string) (last world.Mutation) {
	h.t.Helper()
	log, err := h.service.World().History()
	noError(h.t, err)
	for _, m := range log {
		if m.ResourceID == id {
			last = m
		}
	}
	return last
}

// change is a mutation that a request made which came late.
type change struct {
	of arrival
	world.Mutation
}

// late returns what came late since it was asked last, and counts it; last is the newest mutation of each resource.
func (h *history) late(owners []taking, sum *staleWrites) (late []change, last map[string]world.Mutation) {
	h.t.Helper()
	h.arrived.mu.Lock()
	defer h.arrived.mu.Unlock()
	log, err := h.service.World().History()
	noError(h.t, err)
	last, ofJob := map[string]world.Mutation{}, map[string][]world.Mutation{}
	for _, m := range log {
		last[m.ResourceID] = m
		if m.JobID != "" {
			ofJob[m.JobID] = append(ofJob[m.JobID], m)
		}
	}
	for i, a := range h.arrived.list {
		changed := ofJob[a.job]
		delete(ofJob, a.job) // who asks for a job again began none
		if i < h.arrived.judged || a.pid == 0 || ownerAt(owners, a.at) == a.pid {
			continue // it was judged, or is of nobody who was frozen
		}
		sum.sent++
		for _, n := range a.mutated {
			changed = append(changed, log[n-1])
		}
		changed = slices.DeleteFunc(changed, func(m world.Mutation) bool {
			return m.Resource == "file" // nobody sees one until an ad names it
		})
		if len(changed) > 0 {
			sum.effective++
		}
		for _, m := range changed {
			late = append(late, change{a, m})
		}
	}
	h.arrived.judged = len(h.arrived.list)
	return late, last
}

// latePauses are the campaigns that the files have run, and that what came late has paused. No apply undoes a pause:
// these are held for a person.
func (h *history) latePauses(late []change, last map[string]world.Mutation) (paused []*shopCampaign) {
	h.t.Helper()
	for _, m := range late {
		ward, now := standing(h.t, last[m.ResourceID].After)
		for _, c := range h.shop.campaigns {
			held := c.ward == ward && c.status == "active" && strings.Contains(now, " paused ")
			if held && m.Resource == "campaign" && pauses(h.t, m.Mutation) && !slices.Contains(paused, c) {
				paused = append(paused, c)
			}
		}
	}
	return paused
}

// pauses reports whether a mutation pauses what was active.
func pauses(t *testing.T, m world.Mutation) bool {
	t.Helper()
	var before, after struct{ Status string }
	noError(t, json.Unmarshal(m.After, &after))
	if m.Before != nil {
		noError(t, json.Unmarshal(m.Before, &before))
	}
	return before.Status == "active" && after.Status == "paused"
}

// restart is what a person does about pauses that are held: the files say paused once, and then active again.
func (f *fleet) restart(h *history, paused []*shopCampaign) {
	f.t.Helper()
	for _, status := range []string{"paused", "active"} {
		for _, c := range paused {
			c.status = status
		}
		h.shop.write(f.t, h.dir)
		f.finish(h)
	}
}

// judgeLate holds that a resource that was changed late is in the end as the files say.
func (h *history) judgeLate(sum *staleWrites, m change, last world.Mutation) {
	h.t.Helper()
	ward, have := standing(h.t, last.After)
	switch want := h.shop.standing()[ward]; {
	case have != want:
		sum.left++
		h.t.Errorf("%s by process %d at %s, late, changed %s %s to\n%s\nin the end it is %q; want %q", m.of.request,
			m.of.pid, m.of.at.Format(time.StampMicro), m.Action, m.Resource, m.After, have, want)
	case overwritten(h.t, m.Mutation, last):
		sum.undone++
	default:
		sum.stand++
	}
}

// overwritten reports whether something that a mutation changed is otherwise by now.
func overwritten(t *testing.T, m, last world.Mutation) bool {
	t.Helper()
	var before, after, now map[string]json.RawMessage
	noError(t, json.Unmarshal(m.After, &after))
	noError(t, json.Unmarshal(last.After, &now))
	if m.Before != nil {
		noError(t, json.Unmarshal(m.Before, &before))
	}
	for field, value := range after {
		moves := field == "updated_at" || field == "version_id" || field == "submitted_at_ms"
		if !moves && !bytes.Equal(before[field], value) && !bytes.Equal(now[field], value) {
			return true
		}
	}
	return false
}

// standing is what a record of the service says of what a shop edits, and the ward it is of.
func standing(t *testing.T, record json.RawMessage) (ward, says string) {
	t.Helper()
	var r struct {
		Name, Status string
		Budget       struct {
			Daily    int `json:"daily_spend_limit_micros"`
			Lifetime int `json:"lifetime_spend_limit_micros"`
		}
		Bidding struct {
			Most int `json:"max_bid_micros"`
		} `json:"bidding_config"`
		Hints []string `json:"context_hints"`
	}
	noError(t, json.Unmarshal(record, &r))
	ward, _, _ = strings.Cut(r.Name, " ")
	return ward, fmt.Sprintf("%s %s %d %d %d %s", r.Name, r.Status, r.Budget.Daily, r.Budget.Lifetime, r.Bidding.Most,
		r.Hints)
}

// standing is what the files say, by ward, as [standing] does of a record.
func (s *shop) standing() map[string]string {
	want := map[string]string{}
	for _, c := range s.campaigns {
		daily, lifetime := 0, c.budget
		if c.daily {
			daily, lifetime = c.budget, 0
		}
		want[c.ward] = fmt.Sprintf("%s v%d %s %d %d 0 []", c.ward, c.version, c.status, daily*1e6, lifetime*1e6)
		for _, g := range c.groups {
			want[g.ward] = fmt.Sprintf("%s v%d active 0 0 %d [people who ask for the %d. time]",
				g.ward, g.version, g.bid*1e4, g.hint)
			for _, a := range g.ads {
				want[a.ward] = fmt.Sprintf("%s v%d %s 0 0 0 []", a.ward, a.version, a.status)
			}
		}
	}
	return want
}

// witness has the database note who takes an account.
func (f *fleet) witness() {
	f.t.Helper()
	noError(f.t, f.opened().Close()) // it makes the tables
	f.server.Exec(f.t, "adsync", witnessed)
}

// owners are who took an account, and when, as the database noted it.
func (f *fleet) owners(account string) (list []taking) {
	f.t.Helper()
	for one := range strings.SplitSeq(f.server.Text(f.t, "adsync", fmt.Sprintf(takings, account)), ",") {
		if one == "" {
			continue // nobody took it
		}
		pid, at, _ := strings.Cut(one, " ")
		n, err := strconv.Atoi(pid)
		noError(f.t, err)
		micro, err := strconv.ParseInt(at, 10, 64)
		noError(f.t, err)
		list = append(list, taking{n, time.UnixMicro(micro)})
	}
	return list
}

// A request is stale where another process had taken the account when it arrived, whatever its own thought; what it
// changed is found by the service's log.
func TestWhoHadAnAccount(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	list := []taking{{7, at(10)}, {8, at(20)}, {7, at(30)}}
	for second, want := range map[int]int{9: 0, 10: 7, 19: 7, 20: 8, 29: 8, 31: 7} {
		if got := ownerAt(list, at(second)); got != want {
			t.Errorf("owner at %d s = %d; want %d", second, got, want)
		}
	}
}
