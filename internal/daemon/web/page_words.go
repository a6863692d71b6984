package web

import (
	"cmp"
	"strconv"
	"strings"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/overview"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

// mood is how a state looks: well, wait or ill. What it means stands beside it in
// words.
type mood struct{ Words, Class string }

// said is a mood whose words were a text's key.
func (m mood) said() mood {
	if m.Words == "" {
		return m
	}
	return mood{catalogue.Say(m.Words), m.Class}
}

// moods have the texts of states.
var moods = map[daemon.Class]mood{
	"":                 {"mood.first", "wait"},
	daemon.InSync:      {"mood.in-sync", "well"},
	daemon.Applied:     {"mood.applied", "well"},
	daemon.Held:        {"mood.held", "wait"},
	daemon.Partial:     {"mood.partial", "ill"},
	daemon.Undecided:   {"mood.undecided", "ill"},
	daemon.Input:       {"mood.input", "ill"},
	daemon.Transient:   {"mood.transient", "wait"},
	daemon.Locked:      {"mood.locked", "wait"},
	daemon.Credentials: {"mood.credentials", "ill"},
	daemon.Misplaced:   {"mood.misplaced", "ill"},
	daemon.Suspended:   {"mood.suspended", "wait"},
	daemon.Stopped:     {"mood.stopped", "wait"},
	daemon.Internal:    {"mood.internal", "ill"},
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

// cardOf is the card of an account; its plan, which names what the message is about, may be nil.
func (h *pages) cardOf(a *daemon.Status, p *planview.Document) card {
	names := words.NamesOf(h.Schemas, nil)
	if p != nil {
		names = words.NamesOf(h.Schemas, p.Changes)
	}
	zone, unknown := shown.Zone(a.Account), catalogue.Say("about.unknown") // before the first plan
	c := card{
		Review: shown.Text(a.Review, 200), Told: toldOf(a, zone),
		Spent: overview.SpentOf(a, h.Now(), zone), Waits: overview.Waits(a), Drafts: overview.DraftsOf(a),
		Passed: overview.PassedOf(a, zone), Paced: overview.PacedOf(a),
		Name: shown.Text(a.Name, 200), Path: accountPath(a.Name), ID: shown.Text(a.Account.ID, 200),
		Mood: moods[a.State].said(), Message: shown.Text(cmp.Or(a.Said, names.In(a.Message)), 2000), Running: a.Running,
		Doing: shown.Text(a.Doing, 200),
		Daily: unknown, Held: unknown, Pending: unknown, Drift: unknown, Unplanned: shown.MomentOf(a.Unplanned, zone),
		Failures: a.Failures, Source: shown.Text(a.Source, 500),
		Good: shown.MomentOf(a.Good, zone), Last: shown.MomentOf(a.Last, zone), Next: shown.MomentOf(a.Next, zone),
		Woken: wokenBy(a.Woken), Revision: revisionOf(a.Revision),
		Applied: revisionOf(a.Applied), PlanOnly: a.PlanOnly, Reached: a.Reached,
		Pauses: standingPauses(a.Pauses, zone),
	}
	if a.State == daemon.Held && (a.Figures == nil || a.Held == 0 || a.PlanOnly) { // nobody is asked
		c.Mood = mood{"mood.planned", "wait"}.said()
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

// wakers have the texts of what wakes a run.
var wakers = map[daemon.Trigger]string{
	daemon.Started: "woken.started", daemon.Files: "woken.files",
	daemon.Push: "woken.push", daemon.Poll: "woken.poll", daemon.Daily: "woken.daily",
	daemon.Asked: "woken.asked", daemon.Approved: "woken.approved", daemon.Retried: "woken.retried",
	daemon.Continued: "woken.continued", daemon.Reviewed: "woken.reviewed",
	daemon.Commented: "woken.commented",
}

func wokenBy(triggers []daemon.Trigger) string {
	var said []string
	for _, t := range triggers {
		if key, known := wakers[t]; known {
			said = append(said, catalogue.Say(key))
		} else {
			said = append(said, shown.Text(string(t), 40))
		}
	}
	return strings.Join(said, ", ")
}

// revisionOf is a version of the files in a line.
func revisionOf(v daemon.Revision) string {
	switch {
	case v.Commit != "":
		said := shown.Text(v.Commit, 7)
		if v.Branch != "" {
			said = catalogue.Say("version.on", "version", said, "branch", shown.Text(v.Branch, 100))
		}
		if v.Author != "" {
			said = catalogue.Say("version.by", "version", said, "who", shown.Text(v.Author, 100))
		}
		if v.Subject != "" {
			said = catalogue.Say("version.subject", "version", said, "subject", shown.Text(v.Subject, 200))
		}
		if v.Uncommitted > 0 {
			said = catalogue.Say("version.uncommitted", "version", said, "n", v.Uncommitted)
		}
		return said
	case v.Content != "":
		return catalogue.Say("version.content", "sum", shown.Text(v.Content, 12))
	}
	return ""
}
