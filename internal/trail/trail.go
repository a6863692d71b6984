// Package trail is what happened in an account, for who has to prove it: its runs,
// what people approved and accepted, and what they ordered.
//
// It refuses to look anything up, and to leave anything out that it is given. Its one
// invariant: a cell of its CSV is never a formula, whatever somebody wrote.
package trail

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/csvfile"
	"adsync/internal/daemon"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/internal/runview"
)

// Trail is what happened, each list the newest first.
type Trail struct {
	runview.History
	Approvals []daemon.Approval   `json:"approvals"`
	Accepted  []daemon.Acceptance `json:"accepted"` // commits that were gone on with though history was rewritten
	Orders    []orders.Ordered    `json:"orders"`
}

// Window is the time that is asked for: from its first moment to before its last. A
// zero moment is no bound.
type Window struct{ From, To time.Time }

// Holds reports whether a moment is in the window.
func (w Window) Holds(at time.Time) bool {
	return !at.Before(w.From) && (w.To.IsZero() || at.Before(w.To))
}

// Within returns those of a list that are in a window, the newest first.
func Within[T any](all []T, w Window, at func(T) time.Time) []T {
	kept := []T{}
	for _, one := range all {
		if w.Holds(at(one)) {
			kept = append(kept, one)
		}
	}
	slices.SortStableFunc(kept, func(a, b T) int { return at(b).Compare(at(a)) })
	return kept
}

// columns are those of the CSV.
var columns = []string{
	"time", "event", "id", "what", "by", "result", "finished", "exit", "changes",
	"currency", "daily_spend_before", "daily_spend_after", "commit", "plan", "until", "note", "link",
}

// row is something that happened.
type row struct {
	at    time.Time
	cells map[string]string
}

// WriteCSV writes a row for each thing that happened, the oldest first, with times in
// UTC.
func (h *Trail) WriteCSV(w io.Writer) error {
	rows := h.rows()
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(a.at.Compare(b.at), strings.Compare(a.cells["id"], b.cells["id"]))
	})
	out := csvfile.NewWriter(w)
	out.Write(columns)
	for _, r := range rows {
		record := make([]string, len(columns))
		for i, name := range columns {
			record[i] = asText(r.cells[name])
		}
		record[0] = moment(r.at)
		out.Write(record)
	}
	return out.Flush()
}

func (h *Trail) rows() (rows []row) {
	add := func(at time.Time, event string, cells map[string]string) {
		cells["event"] = event
		rows = append(rows, row{at, cells})
	}
	for i := range h.Runs {
		run := &h.Runs[i]
		if run.Decided != "" && run.Command != "" && run.Command != runview.Resolve {
			what := string(run.Command) + " of " + run.Decided
			add(run.Started, "direct", map[string]string{"id": run.Run, "what": what})
			continue
		}
		if run.Decided != "" {
			add(run.Started, "decision", map[string]string{"id": run.Run, "what": run.Decided})
			continue
		}
		add(run.Started, "run", ofRun(run))
	}
	for _, a := range h.Approvals {
		what := strings.Join(a.Allow, "; ")
		add(a.Time, "approval", map[string]string{"what": what, "by": a.By, "plan": a.PlanHash, "note": a.Note,
			"link": a.Link})
	}
	for _, a := range h.Accepted {
		const what = "go on with a rewritten history"
		add(a.Time, "accepted", map[string]string{"what": what, "by": a.By, "commit": a.Commit, "note": a.Note})
	}
	for _, o := range h.Orders {
		what := string(o.Order)
		add(o.Time, "order", map[string]string{"what": what, "by": o.By, "until": moment(o.Until), "note": o.Reason})
	}
	for _, c := range h.Reviews { // by the service, and so by nobody
		add(c.Time, "review", map[string]string{
			"id": c.At, "what": c.Called(), "result": string(c.State), "note": c.Means,
		})
	}
	return rows
}

func ofRun(h *runview.Head) map[string]string {
	line := h.Line()
	cells := map[string]string{
		"id": h.Run, "what": line.What, "by": h.By, "result": line.Ends,
		"finished": moment(h.Finished), "changes": h.Result(), "note": h.Error,
		"currency":           h.Account.Currency,
		"daily_spend_before": units(h.Money.Reached.DailyBefore),
		"daily_spend_after":  units(h.Money.Reached.DailyAfter),
	}
	for _, a := range h.Approved {
		cells["link"] = strings.TrimSpace(cells["link"] + " " + a.Link)
	}
	if h.Exit != nil {
		cells["exit"] = strconv.Itoa(*h.Exit)
	}
	if h.Revision != nil {
		cells["commit"] = h.Revision.Commit
	}
	return cells
}

// units writes micros as units, without a comma that some programs take for another.
func units(micros int64) string { return strings.ReplaceAll(planview.Amount(micros), ",", "") }

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// asText keeps a program from taking what somebody wrote for a formula.
func asText(field string) string {
	if strings.IndexAny(field, "=+-@\t\r") == 0 {
		return "'" + field
	}
	return field
}
