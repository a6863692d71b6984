package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/comments"
	"adsync/internal/daemon"
	"adsync/internal/daemon/roles"
	"adsync/internal/figures"
	"adsync/internal/icons"
	"adsync/internal/kinds"
	"adsync/internal/orders"
	"adsync/internal/outside"
	"adsync/internal/planview"
	"adsync/internal/runview"
	"adsync/internal/words/catalogue"
)

// noon is the time of the tests.
var noon = time.Date(2026, 11, 22, 17, 0, 0, 0, time.UTC)

const theToken = "0123456789abcdef0123456789abcdef"

// fakeDesk is a daemon of three accounts that notes what it is ordered.
type fakeDesk struct {
	mu         sync.Mutex
	accounts   []daemon.Status
	plans      map[string]*planview.Document
	runs       map[string][]*runview.Document
	points     []daemon.Point
	ordered    []daemon.Ordered
	figures    figures.Kept
	comments   comments.Kept
	outside    outside.Kept
	settings   map[string]map[string]daemon.Setting // by level and id
	unset      error                                // why there are none
	approvals  []daemon.Approval
	icons      icons.Kept
	woken      []daemon.Trigger
	asked      []orders.Ask
	resumed    []orders.Ordered
	looked     []string
	dropped    []daemon.Dropped
	downloaded []string // by whom
	upload     *daemon.Upload
	accepted   []daemon.Acceptance
	handed     []daemon.Handed
	draft      *daemon.Draft
	edits      []daemon.EditOrder
	edited     daemon.Edited
	pulls      string            // address of the pull requests
	files      map[string]string // content by path
	pictures   map[string]string // content by sum
	broken     error             // of every order
	events     chan daemon.Event
}

// theDesk has an account in which something is held, one that is in sync, and
// one whose files cannot be planned.
func theDesk(t testing.TB) *fakeDesk {
	t.Helper()
	shown := &planview.Document{}
	read(t, "testdata/plan.json", shown)
	shown.Changes[4].Fields[0].Held.Message = catalogue.Say("guard.rises.live", "attribute", "budget.daily",
		"times", "×2.40", "from", "50.00", "to", "120.00", "limit", "×1.50") // as it is there, in any language
	withAsks(shown)
	kept := threeCampaigns(t)
	run, partial := &runview.Document{}, &runview.Document{}
	read(t, "testdata/run.json", run)
	read(t, "../../runview/testdata/partial.json", partial)
	account := planview.Account{ID: "adacct_quickstart", Currency: "USD", TimeZone: "America/New_York"}
	spent := func(day, week, before int64) *figures.Lately {
		return &figures.Lately{Currency: "USD", Day: "2026-11-21", Until: noon.Add(12 * time.Hour),
			Taken: noon.Add(-time.Hour), OfDay: &day, Week: &week, WeekBefore: &before}
	}
	d := &fakeDesk{
		files: map[string]string{"spring.xlsx": "today's", "north/\"<b>\u202e\n.yaml": "x"},
		plans: map[string]*planview.Document{"shoes": shown},
		runs:  map[string][]*runview.Document{"shoes": {partial, run}}, events: make(chan daemon.Event, 100),
		accounts: []daemon.Status{
			{Name: "shoes", Account: account, Source: "https://git.example/ads.git, branch main", State: daemon.Held,
				Since: noon.Add(-time.Hour), Last: noon.Add(-time.Minute), Good: noon.Add(-2 * time.Hour),
				Next: noon.Add(time.Minute), Woken: []daemon.Trigger{daemon.Push},
				PlanHash: shown.PlanHash, Run: run.Run, Rate: daemon.Rate{Limit: 960, Left: 940}, Journal: 1,
				Revision: daemon.Revision{
					Commit: "4f1c0de5a2b3c4d5e6f708192a3b4c5d6e7f8091", Branch: "main",
					Author: "Ann Example", Subject: "raise the budget for spring", Time: noon.Add(-time.Hour),
				},
				Applied: daemon.Revision{
					Commit: "81d2e0c5a2b3c4d5e6f708192a3b4c5d6e7f8091",
					Branch: "main", Author: "Bob Example", Subject: "spring launch",
				},
				Figures: &daemon.Figures{
					Taken: noon.Add(-time.Minute), Pending: 4, Held: 1, Drift: 2, Exposure: daemon.Exposure{
						Daily: 50_000_000, Lifetime: 400_000_000, MonthEnd: 400_000_000,
					},
				}, Spent: spent(48_210_000, 331_940_000, 290_000_000), Drafts: []planview.Draft{
					{File: "spring.xlsx", Changes: 12, Words: "draft, 12 changes waiting (last ready 27 Nov, 09:14)"},
					{File: "north/\"<b>\u202e\n.xlsx", Changes: 1, Words: "draft, 1 change waiting"},
				}},
			{Name: "boots & bags", Account: account, Source: "/srv/ads/boots", State: daemon.InSync,
				Last: noon.Add(-time.Minute), Good: noon.Add(-time.Minute), Next: noon.Add(time.Minute),
				Figures: &daemon.Figures{
					Taken: noon.Add(-time.Minute), Exposure: daemon.Exposure{Daily: 1_220_500_000},
				}, Spent: spent(1_019_000_000, 7_100_250_000, 8_000_000_000)},
			{Name: "hats", Source: "/srv/ads/hats",
				State: daemon.Input, Message: "hats.xlsx:Ads!E17: title has 52 characters; want at most 50 (ADS1008)",
				Last: noon.Add(-time.Minute), Failures: 3, Unplanned: noon.Add(-time.Hour)},
		},
		approvals: []daemon.Approval{{PlanHash: "507f9b3ca0445956", Allow: []string{"activates"},
			By: "Ann Example", Note: "the launch was agreed on", Time: noon.Add(-26 * time.Hour)}},
		draft: theDraft(shown), edited: daemon.Edited{Files: []string{"spring.xlsx"},
			Kept: []string{"spring (before 2026-11-22 1700).xlsx"}},
		figures: kept, comments: comments.Kept{Store: orders.Folder(t.TempDir())}, upload: &daemon.Upload{
			Problems: []string{"spring.xlsx:Ads!E17: title has 52 characters; want at most 50 (ADS1008)"},
			Plan:     shown, Marked: []byte("the marked copy"), Name: "marked-spring.xlsx",
		},
	}
	for i, daily := range []int64{50, 80, 80, 120, 120, 1420, 75, 50} {
		d.points = append(d.points, daemon.Point{
			Time:     noon.Add(time.Duration(i-8) * 11 * time.Hour),
			Exposure: daemon.Exposure{Daily: daily * 1_000_000, Lifetime: 400_000_000},
		})
	}
	return d
}

func read(t testing.TB, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(bytes.NewReader(content)).Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// theOptions are those of a daemon on loopback with a token.
func theOptions(t testing.TB) Options {
	t.Helper()
	token, err := roles.NewToken(theToken)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Listen: DefaultListen, Token: token, Schemas: kinds.All(), Version: "1.2.3", Now: func() time.Time {
		return noon
	}}
}

// withAsks returns a plan what people may agree to of it, as a daemon's has.
func withAsks(p *planview.Document) *planview.Document {
	p.Asks, p.Approvals = nil, &planview.Approvals{Lineage: "lineage", Serial: 7, Lasts: 24 * time.Hour}
	for _, r := range planview.Releases(p) {
		hazard, at, _ := strings.Cut(r.Allow, "=")
		a := planview.Ask{
			Hazard: planview.Hazard(hazard), Allow: r.Allow,
			Parts: []planview.Part{{Address: at, After: "after", Before: "before"}},
		}
		a.Item = a.Digest()
		p.Asks = append(p.Asks, a)
	}
	return p
}

// askOf is what the plan of an account asks for with an allowance.
func (d *fakeDesk) askOf(name, allow string) planview.Ask {
	for _, a := range d.plans[name].Asks {
		if a.Allow == allow {
			return a
		}
	}
	return planview.Ask{}
}

func (d *fakeDesk) Own() []daemon.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]daemon.Status(nil), d.accounts...)
}

func (d *fakeDesk) List(_ context.Context, q daemon.Query) daemon.List { return q.Choose(d.Own()) }

func (d *fakeDesk) Account(_ context.Context, name string) (daemon.Status, error) {
	for _, a := range d.Own() {
		if a.Name == name {
			return a, nil
		}
	}
	return daemon.Status{}, daemon.ErrNoAccount
}

// change alters an account, and tells who looks on.
func (d *fakeDesk) change(name string, how func(*daemon.Status)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.accounts {
		if a := &d.accounts[i]; a.Name == name {
			how(a)
			status := *a
			d.events <- daemon.Event{Time: noon, Account: name, Kind: "status", Status: &status}
		}
	}
}

func (d *fakeDesk) Plan(_ context.Context, name string) (*planview.Document, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.plans[name], nil
}

func (d *fakeDesk) Runs(_ context.Context, name string) ([]runview.Head, error) {
	var heads []runview.Head
	for _, run := range d.runs[name] {
		heads = append(heads, run.Head)
	}
	return heads, nil
}

func (d *fakeDesk) Report(_ context.Context, name, run string) (*runview.Document, error) {
	return d.report(name, run)
}

func (d *fakeDesk) report(name, run string) (*runview.Document, error) {
	for _, one := range d.runs[name] {
		if one.Run == run {
			return one, nil
		}
	}
	return nil, daemon.ErrNoRun
}

func (d *fakeDesk) Archive(ctx context.Context, name string) (daemon.Archive, error) {
	_, err := d.Account(ctx, name)
	return archived{name: name, desk: d}, err
}

// archived is what the desk keeps of an account.
type archived struct {
	daemon.Archive
	name string
	desk *fakeDesk
}

func (a archived) Exposures() ([]daemon.Point, error) {
	if a.name != "shoes" {
		return nil, nil
	}
	return a.desk.points, nil
}

func (a archived) Ordered() ([]daemon.Ordered, error) { return a.desk.ordered, nil }

func (a archived) Figures() figures.Kept { return a.desk.figures }

func (a archived) Comments() comments.Kept { return a.desk.comments }

func (a archived) Outside() outside.Kept { return a.desk.outside }
func (a archived) Icons() icons.Kept     { return a.desk.icons }

func (a archived) Settings(context.Context, []string) (map[string]map[string]daemon.Setting, error) {
	return a.desk.settings, a.desk.unset
}

// Touched has the runs of the desk.
func (a archived) Touched(_ context.Context, since time.Time) (all []daemon.Touched, _ error) {
	for _, run := range a.desk.runs[a.name] {
		for _, o := range run.Outcomes {
			if o.Outcome == "applied" && !run.Started.Before(since) {
				all = append(all, daemon.Touched{Run: run.Run, Address: o.Address, ID: o.ID, Name: o.Name})
			}
		}
	}
	return all, nil
}

func (d *fakeDesk) Approvals(_ context.Context, name string) ([]daemon.Approval, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if name != "shoes" {
		return nil, nil
	}
	return append([]daemon.Approval(nil), d.approvals...), nil
}

// Events gives each event to one of those who look on; the tests have one.
func (d *fakeDesk) Events(ctx context.Context) <-chan daemon.Event { return d.events }

func (d *fakeDesk) Wake(_ context.Context, _ string, why daemon.Trigger, a orders.Ask) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.woken = append(d.woken, why)
	d.asked = append(d.asked, a)
	return d.broken
}

func (d *fakeDesk) Order(_ context.Context, name string, o daemon.Order) error {
	return o.Give(fakeOrders{of: name, desk: d}, noon)
}

// fakeOrders takes the orders of an account.
type fakeOrders struct {
	daemon.Orders
	of   string
	desk *fakeDesk
}

func (o fakeOrders) Suspend(s daemon.Suspension) error {
	o.desk.change(o.of, func(a *daemon.Status) { a.Suspended, a.State = &s, daemon.Suspended })
	return o.desk.broken
}

func (o fakeOrders) Resume(r orders.Ordered) error {
	o.desk.mu.Lock()
	o.desk.resumed = append(o.desk.resumed, r)
	o.desk.mu.Unlock()
	o.desk.change(o.of, func(a *daemon.Status) { a.Suspended, a.State = nil, daemon.InSync })
	return o.desk.broken
}

func (o fakeOrders) Pause(p orders.Pause) error {
	o.desk.change(o.of, func(a *daemon.Status) {
		p.ID = fmt.Sprintf("00%02d", len(a.Pauses))
		a.Pauses = append(a.Pauses, daemon.Pause{Pause: p, Settled: true, Paused: 1, First: []string{p.What()}})
	})
	return o.desk.broken
}

func (o fakeOrders) GoOn(id string, g orders.GoOn) error {
	err := orders.ErrNoPause
	o.desk.change(o.of, func(a *daemon.Status) {
		for i := range a.Pauses {
			if a.Pauses[i].ID == id {
				a.Pauses[i].GoOn, err = &g, o.desk.broken
			}
		}
	})
	return err
}

func (d *fakeDesk) Approve(_ context.Context, _ string, a daemon.Approval) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken == nil {
		d.approvals = append(d.approvals, a)
	}
	return d.broken
}

func (d *fakeDesk) Accept(_ context.Context, name string, a daemon.Acceptance) error {
	if s, _ := d.Account(context.Background(), name); s.Rewritten == nil || s.Rewritten.Commit != a.Commit {
		return daemon.ErrOtherCommit
	}
	d.mu.Lock()
	d.accepted = append(d.accepted, a)
	d.mu.Unlock()
	d.change(name, func(s *daemon.Status) { s.Rewritten = nil })
	return d.broken
}

func (d *fakeDesk) Acceptances(context.Context, string) ([]daemon.Acceptance, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]daemon.Acceptance(nil), d.accepted...), nil
}

func (d *fakeDesk) Commit(ctx context.Context, _ string, h daemon.Handed) (daemon.Committed, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if ctx.Err() != nil {
		return daemon.Committed{}, ctx.Err()
	}
	if d.broken == nil {
		d.handed = append(d.handed, h)
	}
	c := daemon.Committed{Branch: "adsync/uploads",
		Commit: "4f1c0de5a2b3c4d5e6f708192a3b4c5d6e7f8091", Path: "ads/" + h.File}
	if d.upload.Saves {
		c = daemon.Committed{Path: h.File, Kept: "spring (before 2026-11-22 1700).xlsx"}
	}
	if d.upload.Into != "" && d.broken == nil {
		c.Pull = &daemon.PullRequest{Number: 12, Address: d.pulls + "/12", Into: d.upload.Into}
	}
	return c, d.broken
}

func (d *fakeDesk) Draft(_ context.Context, name string, e daemon.Edit) (*daemon.Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.report(name, e.Run); e.Run != "" && err != nil || d.broken != nil {
		return nil, cmp.Or(d.broken, err)
	}
	draft := *d.draft
	draft.Edit = e
	return &draft, nil
}

func (d *fakeDesk) Edit(ctx context.Context, _ string, o daemon.EditOrder) (daemon.Edited, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return daemon.Edited{}, ctx.Err()
	case o.Digest != d.draft.Digest:
		return daemon.Edited{}, daemon.ErrEditMoved
	case d.broken == nil:
		d.edits = append(d.edits, o)
	}
	return d.edited, d.broken
}

func (d *fakeDesk) Files(context.Context, string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.files)), d.broken
}

func (d *fakeDesk) File(_ context.Context, _, file, who string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.downloaded = append(d.downloaded, who)
	content, is := d.files[file]
	if !is {
		return nil, daemon.ErrNoFile
	}
	return []byte(content), nil
}

func (d *fakeDesk) Picture(_ context.Context, _, sum string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	content, is := d.pictures[sum]
	if !is {
		return nil, daemon.ErrNoFile
	}
	return []byte(content), nil
}

// rewrite has an account wait for a commit to be accepted, and gives its hash.
func (d *fakeDesk) rewrite(name string) string {
	commit := "973fd1f7f63f0d1e2c3b4a5968778695a4b3c2d1"
	d.change(name, func(s *daemon.Status) {
		s.Rewritten = &daemon.Rewritten{
			Revision: daemon.Revision{Commit: commit, Branch: "main", Author: "Ann Example", Subject: "another past",
				Time: noon}, Before: "92537cd632570d1e2c3b4a5968778695a4b3c2d1", Movement: "rewrite",
		}
	})
	return commit
}

func (d *fakeDesk) Look(_ context.Context, _ string, f daemon.Dropped) (*daemon.Upload, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.looked, d.dropped = append(d.looked, f.Name+": "+string(f.Content)), append(d.dropped, f)
	return d.upload, d.broken
}

// lastApproval is the newest.
func (d *fakeDesk) lastApproval() daemon.Approval {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.approvals[len(d.approvals)-1]
}
