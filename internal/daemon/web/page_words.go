package web

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/overview"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/words"
)

// mood is how a state looks: well, wait or ill. What it means stands beside it in
// words.
type mood struct{ Words, Class string }

var moods = map[daemon.Class]mood{
	"":                 {"first run has not ended", "wait"},
	daemon.InSync:      {"in sync", "well"},
	daemon.Applied:     {"applied", "well"},
	daemon.Held:        {words.Waits, "wait"},
	daemon.Partial:     {"applied in part", "ill"},
	daemon.Undecided:   {"an outcome is unknown", "ill"},
	daemon.Input:       {"files cannot be planned", "ill"},
	daemon.Transient:   {"failed for now, tries again", "wait"},
	daemon.Locked:      {"another adsync has the state", "wait"},
	daemon.Credentials: {"credentials were refused", "ill"},
	daemon.Misplaced:   {"wants a person", "ill"},
	daemon.Suspended:   {"suspended", "wait"},
	daemon.Stopped:     {"stopped", "wait"},
	daemon.Internal:    {"adsync failed", "ill"},
}

// card is an account at a glance.
type card struct {
	Name, Path, ID  string
	Mood            mood
	Message         string
	Running         bool
	Doing           string // what that run does; "" where it has not said so
	Daily, MonthEnd string // possible spend; "" where there is nothing to say
	Held, Pending   string
	Drift           string
	Review          string // how many ads are not approved; "" where all are
	Spent           *overview.Spent
	Paced           string // how its budgets are spent; "" where that is not known
	Waits           []overview.Wait
	Drafts          []string
	Passed          []string // spend of more than is allowed
	Failures        int
	Taken           shown.Moment // of which time these figures are
	Unplanned       shown.Moment // since when nothing could be planned
	Source          string
	Good, Last      shown.Moment
	Next            shown.Moment
	Woken           string
	Revision        string
	Applied         string
	Suspended       *suspended
	Pauses          []standingPause
	Told            toldView
	PlanOnly        bool
	Reached         bool   // the figures are those of after the last run's apply, and its plan those of before
	Spend           string // possible spend a day as it is by then; "" where it has to be read first
}

type suspended struct {
	By, Reason   string
	Since, Until shown.Moment
	File         bool
}

// unknown stands where a figure would, before the first plan.
const unknown = "not known yet"

// cardOf is the card of an account; its plan, which names what the message is about, may be nil.
func (h *pages) cardOf(a *daemon.Status, p *planview.Document) card {
	names := words.NamesOf(h.Schemas, nil)
	if p != nil {
		names = words.NamesOf(h.Schemas, p.Changes)
	}
	zone := shown.Zone(a.Account)
	c := card{
		Review: shown.Text(a.Review, 200), Told: toldOf(a, zone),
		Spent: overview.SpentOf(a, h.Now(), zone), Waits: overview.Waits(a), Drafts: overview.DraftsOf(a),
		Passed: overview.PassedOf(a, zone), Paced: overview.PacedOf(a),
		Name: shown.Text(a.Name, 200), Path: accountPath(a.Name), ID: shown.Text(a.Account.ID, 200),
		Mood: moods[a.State], Message: shown.Text(cmp.Or(a.Said, names.In(a.Message)), 2000), Running: a.Running,
		Doing: shown.Text(a.Doing, 200),
		Daily: unknown, Held: unknown, Pending: unknown, Drift: unknown, Unplanned: shown.MomentOf(a.Unplanned, zone),
		Failures: a.Failures, Source: shown.Text(a.Source, 500),
		Good: shown.MomentOf(a.Good, zone), Last: shown.MomentOf(a.Last, zone), Next: shown.MomentOf(a.Next, zone),
		Woken: wokenBy(a.Woken), Revision: revisionOf(a.Revision),
		Applied: revisionOf(a.Applied), PlanOnly: a.PlanOnly, Reached: a.Reached,
		Pauses: standingPauses(a.Pauses, zone),
	}
	if a.State == daemon.Held && (a.Figures == nil || a.Held == 0 || a.PlanOnly) { // nobody is asked
		c.Mood = mood{"planned, not applied", "wait"}
	}
	if f := a.Figures; f != nil {
		c.Daily, c.Held, c.Pending, c.Drift = shown.Money(f.Exposure.Daily, a.Account),
			strconv.Itoa(f.Held), strconv.Itoa(f.Pending), strconv.Itoa(f.Drift)
		c.Taken = shown.MomentOf(f.Taken, zone)
		if f.Exposure.MonthEnd != 0 {
			c.MonthEnd = shown.Money(f.Exposure.MonthEnd, a.Account)
		}
		if f.Pending == 0 {
			c.Spend = c.Daily
		}
	}
	if o := a.Suspended; o != nil {
		c.Suspended = &suspended{shown.Name(o.By),
			shown.Reason(o.Reason), shown.MomentOf(o.Since, zone), shown.MomentOf(o.Until, zone), o.File}
	}
	return c
}

// wakers are what wakes a run, in words.
var wakers = map[daemon.Trigger]string{
	daemon.Started: "the start of the daemon", daemon.Files: "a change of the files",
	daemon.Push: "a push", daemon.Poll: "the clock", daemon.Daily: "the clock, to read the whole account",
	daemon.Asked: "a person", daemon.Approved: "an approval", daemon.Retried: "a failed attempt",
	daemon.Continued: "the end of a suspension", daemon.Reviewed: "a review of the service",
	daemon.Commented: "a comment",
}

func wokenBy(triggers []daemon.Trigger) string {
	var said []string
	for _, t := range triggers {
		said = append(said, cmp.Or(wakers[t], shown.Text(string(t), 40)))
	}
	return strings.Join(said, ", ")
}

// revisionOf is a version of the files in a line.
func revisionOf(v daemon.Revision) string {
	switch {
	case v.Commit != "":
		said := shown.Text(v.Commit, 7)
		if v.Branch != "" {
			said += " on " + shown.Text(v.Branch, 100)
		}
		if v.Author != "" {
			said += " by " + shown.Text(v.Author, 100)
		}
		if v.Subject != "" {
			said += ": " + shown.Text(v.Subject, 200)
		}
		if v.Uncommitted > 0 {
			said += fmt.Sprintf(", and %d that are not committed", v.Uncommitted)
		}
		return said
	case v.Content != "":
		return "content " + shown.Text(v.Content, 12)
	}
	return ""
}
