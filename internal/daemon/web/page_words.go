package web

import (
	"cmp"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"adsync/internal/daemon"
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
	Daily, MonthEnd string // possible spend; "" where there is nothing to say
	Held, Pending   string
	Drift           string
	Review          string // how many ads are not approved; "" where all are
	Failures        int
	Taken           moment // of which time these figures are
	Unplanned       moment // since when nothing could be planned
	Source          string
	Good, Last      moment
	Next            moment
	Woken           string
	Revision        string
	Applied         string
	Suspended       *suspended
	Told            toldView
	PlanOnly        bool
	Reached         bool   // the figures are those of after the last run's apply, and its plan those of before
	Spend           string // possible spend a day as it is by then; "" where it has to be read first
}

type suspended struct {
	By, Reason   string
	Since, Until moment
	File         bool
}

// moment is a time for people and for programs.
type moment struct{ Text, Machine string }

func momentOf(t time.Time, zone *time.Location) moment {
	if t.IsZero() {
		return moment{}
	}
	return moment{t.In(zone).Format("2006-01-02 15:04 MST"), t.UTC().Format(time.RFC3339)}
}

// HTML writes a moment, and "never" where there was none.
func (m moment) HTML() template.HTML {
	if m.Text == "" {
		return "never"
	}
	return template.HTML(`<time datetime="` + template.HTMLEscapeString(m.Machine) +
		`">` + template.HTMLEscapeString(m.Text) + `</time>`)
}

// zoneOf is the account's time zone, UTC where this machine does not know it.
func zoneOf(a planview.Account) *time.Location {
	if zone, err := time.LoadLocation(a.TimeZone); err == nil && a.TimeZone != "" && a.TimeZone != "Local" {
		return zone
	}
	return time.UTC
}

// unknown stands where a figure would, before the first plan.
const unknown = "not known yet"

// cardOf is the card of an account; its plan, which names what the message is about, may be nil.
func (h *pages) cardOf(a *daemon.Status, p *planview.Document) card {
	names := words.NamesOf(h.Schemas, nil)
	if p != nil {
		names = words.NamesOf(h.Schemas, p.Changes)
	}
	zone := zoneOf(a.Account)
	c := card{
		Review: printable(a.Review, 200), Told: toldOf(a, zone),
		Name: printable(a.Name, 200), Path: accountPath(a.Name), ID: printable(a.Account.ID, 200),
		Mood: moods[a.State], Message: printable(cmp.Or(a.Said, names.In(a.Message)), 2000), Running: a.Running,
		Daily: unknown, Held: unknown, Pending: unknown, Drift: unknown, Unplanned: momentOf(a.Unplanned, zone),
		Failures: a.Failures, Source: printable(a.Source, 500),
		Good: momentOf(a.Good, zone), Last: momentOf(a.Last, zone), Next: momentOf(a.Next, zone),
		Woken: wokenBy(a.Woken), Revision: revisionOf(a.Revision),
		Applied: revisionOf(a.Applied), PlanOnly: a.PlanOnly, Reached: a.Reached,
	}
	if a.State == daemon.Held && (a.Figures == nil || a.Held == 0 || a.PlanOnly) { // nobody is asked
		c.Mood = mood{"planned, not applied", "wait"}
	}
	if f := a.Figures; f != nil {
		c.Daily, c.Held, c.Pending, c.Drift = money(f.Exposure.Daily, a.Account),
			strconv.Itoa(f.Held), strconv.Itoa(f.Pending), strconv.Itoa(f.Drift)
		c.Taken = momentOf(f.Taken, zone)
		if f.Exposure.MonthEnd != 0 {
			c.MonthEnd = money(f.Exposure.MonthEnd, a.Account)
		}
		if f.Pending == 0 {
			c.Spend = c.Daily
		}
	}
	if o := a.Suspended; o != nil {
		c.Suspended = &suspended{printable(o.By, nameMost),
			printable(o.Reason, reasonMost), momentOf(o.Since, zone), momentOf(o.Until, zone), o.File}
	}
	return c
}

func money(micros int64, a planview.Account) string {
	return strings.TrimSpace(planview.Amount(micros) + " " + printable(a.Currency, 20))
}

// wakers are what wakes a run, in words.
var wakers = map[daemon.Trigger]string{
	daemon.Started: "the start of the daemon", daemon.Files: "a change of the files",
	daemon.Push: "a push", daemon.Poll: "the clock", daemon.Daily: "the clock, to read the whole account",
	daemon.Asked: "a person", daemon.Approved: "an approval", daemon.Retried: "a failed attempt",
	daemon.Continued: "the end of a suspension", daemon.Reviewed: "a review of the service",
}

func wokenBy(triggers []daemon.Trigger) string {
	var said []string
	for _, t := range triggers {
		said = append(said, cmp.Or(wakers[t], printable(string(t), 40)))
	}
	return strings.Join(said, ", ")
}

// revisionOf is a version of the files in a line.
func revisionOf(v daemon.Revision) string {
	switch {
	case v.Commit != "":
		said := printable(v.Commit, 7)
		if v.Branch != "" {
			said += " on " + printable(v.Branch, 100)
		}
		if v.Author != "" {
			said += " by " + printable(v.Author, 100)
		}
		if v.Subject != "" {
			said += ": " + printable(v.Subject, 200)
		}
		if v.Uncommitted > 0 {
			said += fmt.Sprintf(", and %d that are not committed", v.Uncommitted)
		}
		return said
	case v.Content != "":
		return "content " + printable(v.Content, 12)
	}
	return ""
}
