package reconcile_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"adsync/internal/resource"
	"adsync/plan"
)

// judge keeps its own account of who said yes to what, from what people see: address,
// field, what it becomes, what is live. It knows neither parts nor digests, and reads
// what went from the service itself.
type judge struct {
	*shop
	yes     []*assent
	before  map[string]campaign  // as the service had them when the run began
	page    map[string]campaign  // as the service had them when the page was made
	moved   map[string]int       // by address and field, before which look adsync changed it last
	looks   int                  // how many plans the page has shown
	foreign map[string]bool      // of these somebody else set the budget, and nobody took it over
	cut     []*started           // the runs that died
	byYes   map[string]time.Time // when a rise of one went last by somebody's yes
	levels  []level              // what could be spent a day, as runs began
	tally   *verdicts
}

// level is what could be spent a day, at a time.
type level struct {
	at       time.Time
	possible int64
}

// assent is one person's yes to one hold.
type assent struct {
	by, hazard, address, field string
	becomes, live              string
	row                        campaign // as it was live, where the hazard is of the whole account
	wants                      campaign
	at                         time.Time
	spent                      bool
}

// campaign is what of one counts here.
type campaign struct {
	Budget int64
	Status string
}

func (c campaign) possible() int64 {
	if c.Status != "active" {
		return 0
	}
	return c.Budget
}

// verdicts count what was judged: a test that never judged anything cannot fail.
type verdicts struct{ agreed, spent, waited, died, expired, rest int }

// started is what a run that died had before it: what it did not come to may follow
// within a day, as it was measured then.
type started struct {
	at            time.Time
	before, wants map[string]campaign
}

// Made returns what that run would have made of a campaign, as far as it went: what it did
// not change is as it was then, whoever changes it since. It reports false where a field
// is neither as it was nor as the files said; what it makes is paused until it is started.
func (r *started) Made(address string, c campaign) (campaign, bool) {
	b, w := r.before[address], r.wants[address]
	if b.Budget == w.Budget {
		c.Budget = b.Budget
	}
	if b.Status == w.Status {
		c.Status = b.Status
	}
	made := b == (campaign{}) && c.Status == "paused"
	return c, (c.Budget == b.Budget || c.Budget == w.Budget) && (c.Status == b.Status || c.Status == w.Status || made)
}

func newJudge(s *shop, t *verdicts) *judge {
	return &judge{
		shop: s, before: map[string]campaign{}, moved: map[string]int{},
		foreign: map[string]bool{}, byYes: map[string]time.Time{}, tally: t,
	}
}

// live reads the campaigns at the service, by the key their names end with.
func (j *judge) live() map[string]campaign {
	j.t.Helper()
	var page struct {
		Data []struct {
			Name, Status string
			Budget       struct {
				Lifetime int64 `json:"lifetime_spend_limit_micros"`
			}
		}
	}
	if err := json.Unmarshal(j.service.Must(j.t, http.MethodGet, "/campaigns?limit=100", nil).Body, &page); err != nil {
		j.fail("%v", err)
	}
	all := map[string]campaign{}
	for _, c := range page.Data {
		var key string
		if _, err := fmt.Sscanf(c.Name, "Campaign %s", &key); err == nil {
			all["campaign/"+key] = campaign{c.Budget.Lifetime, c.Status}
		}
	}
	return all
}

// each visits what the page shows as held: once for each hold of each field, a create
// as its status and its budget.
func (j *judge) each(do func(a assent, allow string)) {
	for i := range j.shown.Plan.Changes {
		c := &j.shown.Plan.Changes[i]
		for k := range c.Fields {
			f := &c.Fields[k]
			own := plan.Change{Held: c.Held, Fields: []plan.Field{*f}}
			for _, h := range own.Holds() {
				do(assent{
					hazard: string(h.Hazard), address: c.Address.String(),
					field: f.Name, becomes: f.Desired.String(), live: c.ID + " " + f.Live().String(),
				}, h.Allow)
			}
		}
	}
}

// hears notes that somebody ticked an allowance on the page.
func (j *judge) hears(allow, by string) {
	j.each(func(a assent, one string) {
		if one == allow {
			a.by, a.at, a.row, a.wants = by, j.now(), j.page[a.address], j.seen(a.address)
			a.spent = j.moved[a.address+a.field] == j.looks // it went since the page was shown
			j.yes = append(j.yes, &a)
		}
	})
}

// seen is a campaign as the page shows it to become: what it does not show stays.
func (j *judge) seen(address string) campaign {
	c := j.page[address]
	for i := range j.shown.Plan.Changes {
		if one := &j.shown.Plan.Changes[i]; one.Address.String() == address {
			for k := range one.Fields {
				switch f := &one.Fields[k]; f.Name {
				case "status":
					c.Status = f.Desired.Text()
				case "budget.lifetime":
					c.Budget, _ = f.Desired.Number()
				}
			}
		}
	}
	return c
}

func (a *assent) good(now time.Time) bool { return !a.spent && now.Sub(a.at) <= approvalLasts }

// begins notes what the service has before a run, or a recovery.
func (j *judge) begins() {
	j.before = j.live()
	j.levels = append(j.levels, level{j.now(), possible(j.before)})
}

func possible(all map[string]campaign) (sum int64) {
	for _, c := range all {
		sum += c.possible()
	}
	return sum
}

// mayBecome is what may be spent a day without a yes to its rise: a quarter more than what
// there was. Where nothing could be spent, it goes by the first there was within a day
// (docs/use/policy.md), and without that it has no limit.
func (j *judge) mayBecome(was int64, at time.Time) int64 {
	for _, l := range j.levels {
		if was == 0 && at.Sub(l.at) <= 24*time.Hour+reachBack {
			was = l.possible
		}
	}
	if was == 0 {
		return math.MaxInt64
	}
	return was * 5 / 4
}

// starts notes a run that is going to die. It leaves a budget that waits for a yes as it is.
func (j *judge) starts() {
	r := &started{at: j.now(), before: maps.Clone(j.before), wants: map[string]campaign{}}
	for key, w := range j.wanted {
		address := "campaign/" + key
		micros, _ := resource.ParseMoney(w[0], "")
		if is := r.before[address].Budget; j.budgetWaits(address, is, micros) {
			micros = is
		}
		r.wants[address] = campaign{micros, w[1]}
	}
	j.cut = append(j.cut, r)
}

// budgetWaits reports whether a budget waits for a yes that nobody gave, as somebody else
// set what there is, or as it rises by more than half.
func (j *judge) budgetWaits(address string, is, becomes int64) bool {
	agreed := func(hazards ...string) bool {
		return slices.ContainsFunc(j.yes, func(a *assent) bool {
			return slices.Contains(hazards, a.hazard) &&
				a.address == address && a.field == "budget.lifetime" && a.good(j.now())
		})
	}
	return j.foreign[address] && !agreed("drift", "conflict") || is > 0 && 2*becomes > 3*is && !agreed("raises-spend")
}

// restOf returns what went now and is the rest of runs that died within a day: from what
// there was then to what the files said then, and still within what may rise in one
// run, of what there was then and with all that went of it since. What such a run
// lowers goes with it: it pays for nothing else.
func (j *judge) restOf(now map[string]campaign) map[string]bool {
	var rises []string
	for address, c := range now {
		if c.possible() > j.before[address].possible() {
			rises = append(rises, address)
		}
	}
	slices.Sort(rises)
	var cut []*started
	for _, r := range j.cut {
		if j.now().Add(-reachBack).Sub(r.at) <= 24*time.Hour {
			cut = append(cut, r)
		}
	}
	rest := map[string]bool{}
	for address, r := range j.shareOut(now, rises, rises, cut) {
		rest[address] = true
		for other := range r.wants {
			c, made := r.Made(other, now[other])
			former, was := r.Made(other, j.before[other])
			if made && was && c.possible() < former.possible() {
				rest[other] = true
			}
		}
	}
	j.tally.rest += len(rest)
	return rest
}

// shareOut finds for as many of the rises as it can the run that died and whose rest
// they are.
func (j *judge) shareOut(now map[string]campaign, all, rises []string, cut []*started) map[string]*started {
	best := map[string]*started{}
	if len(cut) == 0 {
		return best
	}
	for set := range 1 << len(rises) {
		var some, others []string
		for i, address := range rises {
			if set>>i&1 == 1 {
				some = append(some, address)
			} else {
				others = append(others, address)
			}
		}
		if len(some) > 0 && !j.fits(now, cut[0], some, all) {
			continue
		}
		shares := j.shareOut(now, all, others, cut[1:])
		for _, address := range some {
			shares[address] = cut[0]
		}
		if len(shares) > len(best) {
			best = shares
		}
	}
	return best
}

// fits reports whether some rises are what a run that died was to do, and all of it
// together was little enough for it. The other rises of now are no part of it, and
// neither is what went by a yes.
func (j *judge) fits(now map[string]campaign, r *started, some, all []string) bool {
	var was, possible int64
	for address := range r.wants {
		b := r.before[address]
		was += b.possible()
		possible += b.possible()
		c, made := r.Made(address, now[address])
		_, before := r.Made(address, j.before[address])
		switch rises := slices.Contains(some, address); {
		case rises && (!made || !before):
			return false
		case made && (rises || !slices.Contains(all, address)) &&
			(rises || c.possible() < b.possible() || !j.byYes[address].After(r.at)):
			possible += c.possible() - b.possible()
		}
	}
	return possible <= j.mayBecome(was, r.at)
}

// hadItEnded returns what could be spent a day had a run that died within a day come to its
// end: what goes beyond that is measured from there, as it would be then.
func (j *judge) hadItEnded() int64 {
	most := possible(j.before)
	for _, r := range j.cut {
		if j.now().Add(-reachBack).Sub(r.at) > 24*time.Hour {
			continue
		}
		ended := maps.Clone(j.before)
		for address, w := range r.wants {
			b, c := r.before[address], j.before[address]
			if _, made := r.Made(address, c); !made {
				continue
			}
			if b.Budget != w.Budget {
				c.Budget = w.Budget
			}
			if b.Status != w.Status {
				c.Status = w.Status
			}
			ended[address] = c
		}
		if sum := possible(ended); sum <= j.mayBecome(possible(r.before), r.at) {
			most = max(most, sum)
		}
	}
	return most
}

// saw judges what became of the account in a run: each thing that went for which the
// policy wants a yes had one, of what it was and became, and that is spent now.
func (j *judge) saw() {
	j.t.Helper()
	now := j.live()
	if len(j.before) == 0 {
		j.before = now
		return
	}
	was, rest := possible(j.before), j.restOf(now)
	becomes := was
	for address, c := range now {
		if !rest[address] {
			becomes += c.possible() - j.before[address].possible()
		}
	}
	rises := becomes > j.mayBecome(was, j.now()) && possible(now) > j.mayBecome(j.hadItEnded(), j.now())
	for address, c := range now {
		b := j.before[address]
		if c == b {
			continue
		}
		if b.Budget > 0 && 2*c.Budget > 3*b.Budget {
			j.needs("raises-spend", address, b, c)
		}
		if c.possible() > b.possible() && rises && !rest[address] {
			j.needs("exposure", address, b, c)
		}
		if j.foreign[address] && c.Budget != b.Budget {
			j.needsOne(address, b, c, "drift", "conflict")
			delete(j.foreign, address)
		}
		if c.Budget != b.Budget {
			j.moved[address+"budget.lifetime"] = j.looks
		}
		if c.Status != b.Status {
			j.moved[address+"status"] = j.looks
		}
		j.spend(address, b, c)
	}
	j.before = now
}

func (j *judge) needs(hazard, address string, b, c campaign) { j.needsOne(address, b, c, hazard) }

// needsOne wants a yes, given and not spent, to one of the hazards, of a change to what
// there is now. The time of a run is short: what was good when it began was good.
func (j *judge) needsOne(address string, b, c campaign, hazards ...string) {
	j.t.Helper()
	for _, a := range j.yes {
		for _, h := range hazards {
			if a.hazard == h && a.address == address && a.leadsTo(b, c) && a.good(j.now().Add(-reachBack)) {
				j.tally.agreed++
				j.byYes[address] = j.now()
				return
			}
		}
	}
	j.fail("%s went from %+v to %+v, and nobody agreed to it as %v; said yes: %s", address, b, c, hazards, j.heard())
}

// reachBack is the longest a run and what recovers it take here.
const reachBack = time.Hour

// leadsTo reports whether the yes was to a change that ends as the service has it now,
// from what it had: a field that goes alone may find the others changed.
func (a *assent) leadsTo(b, c campaign) bool {
	switch a.field {
	case "budget.lifetime":
		return a.wants.Budget == c.Budget && (a.row.Budget == b.Budget || a.row == (campaign{}))
	case "status":
		return a.wants.Status == c.Status && (a.row.Status == b.Status || a.row == (campaign{})) &&
			a.wants.Budget >= c.Budget
	}
	return false
}

// spend marks each yes to what has just gone as used, whoever gave it.
func (j *judge) spend(address string, b, c campaign) {
	for _, a := range j.yes {
		if a.address != address {
			continue
		}
		switch {
		case a.field == "budget.lifetime" && c.Budget != b.Budget && c.Budget == a.wants.Budget && b != (campaign{}):
			a.spent = true
		case a.field == "status" && c.Status != b.Status && c.Status == a.wants.Status:
			a.spent = true
		}
	}
}

// reads holds a plan against what was agreed to: what somebody said yes to, and which
// is as it was, is not held by that.
func (j *judge) reads() {
	j.t.Helper()
	j.looks++
	j.page = j.live()
	j.each(func(shown assent, _ string) {
		j.tally.waited++
		for _, a := range j.yes {
			same := a.hazard == shown.hazard && a.address == shown.address &&
				a.field == shown.field && a.becomes == shown.becomes && a.live == shown.live
			if same && a.spent {
				j.tally.spent++
			} else if same && !a.good(j.now()) {
				j.tally.expired++
			}
			if same && a.good(j.now()) && a.row == j.page[a.address] && a.wants == j.seen(a.address) {
				j.fail("%s of %s waits for %s, to which %s said yes: %s",
					shown.field, shown.address, shown.hazard, a.by, describe(j.shown.Plan))
			}
		}
	})
}

// otherwise notes that somebody else changed a budget.
func (j *judge) otherwise(address string) { j.foreign[address], j.before = true, j.live() }

func (j *judge) heard() (text string) {
	for _, a := range j.yes {
		text += fmt.Sprintf("\n  %s: %s of %s %s %s → %s (spent %v, %s)",
			a.by, a.hazard, a.address, a.field, a.live, a.becomes, a.spent, a.at.Format(time.TimeOnly))
	}
	return text
}
