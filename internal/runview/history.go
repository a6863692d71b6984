package runview

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"adsync/internal/planview"
	"adsync/internal/review"
	"adsync/internal/words"
	"adsync/plan"
)

// History is the runs of a state, the newest first.
type History struct {
	FormatVersion int    `json:"format_version"`
	Runs          []Head `json:"runs"`
	More          int    `json:"more"` // older ones that are not listed

	Reviews []review.Change `json:"reviews,omitempty"` // of ads, the newest first
}

// WriteHistory writes two lines a run: when, how it ended and what became of its
// changes; then who, from which files, and what happened to spend. A line more says
// where each approved something who did so at a forge.
func WriteHistory(w io.Writer, h *History, zone *time.Location) error {
	var b strings.Builder
	if len(h.Runs) == 0 {
		b.WriteString("No runs yet.\n")
	}
	for i := range h.Runs {
		run := &h.Runs[i]
		if run.Decided != "" {
			fmt.Fprintf(&b, "%s  %s  %s  %s\n", printable(run.Run),
				run.Started.In(zone).Format("2006-01-02 15:04"), run.Command, printable(run.Decided))
			continue
		}
		fmt.Fprintf(&b, "%s  %s  %s  %s  %s\n", printable(run.Run),
			run.Started.In(zone).Format("2006-01-02 15:04"), printable(run.what()), run.ends(), run.Result())
		fmt.Fprintf(&b, "            %s  %s\n", run.who(), run.spend())
		for _, a := range run.Approved {
			fmt.Fprintf(&b, "            approved by %s: %s\n", printable(a.By), printable(a.Link))
		}
	}
	if h.More > 0 {
		fmt.Fprintf(&b, "… and %s; --limit 0 lists them\n", planview.Plural(h.More, "older run"))
	}
	if len(h.Reviews) > 0 {
		b.WriteString("\nReviews at the service:\n")
	}
	for _, c := range h.Reviews {
		fmt.Fprintf(&b, "%s  %s\n", c.Time.In(zone).Format("2006-01-02 15:04"), printable(c.Text()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (h *Head) what() string {
	if h.Reverts != "" {
		return string(h.Command) + " of " + h.Reverts
	}
	return string(h.Command)
}

// ends is how a run ended, in a word or its exit code.
func (h *Head) ends() string {
	switch {
	case h.Ended == Killed && h.Recovered != nil:
		return "killed, recovered"
	case h.Ended == Killed:
		return "killed"
	case h.Ended == Running:
		return "running"
	case h.Exit == nil:
		return "ended"
	}
	return "exit " + strconv.Itoa(*h.Exit)
}

func (h *Head) who() string {
	var parts []string
	if h.By != "" {
		parts = append(parts, "by "+h.By)
	}
	if h.Revision != nil {
		commit := fmt.Sprintf("files at %.12s", h.Revision.Commit)
		if len(h.Revision.Uncommitted) > 0 {
			commit += "+"
		}
		parts = append(parts, commit)
	}
	return printable(strings.Join(parts, ", "))
}

func (h *Head) spend() string {
	m := h.Money.Reached
	return planview.Sum(plan.Moved{Before: m.DailyBefore, After: m.DailyAfter}, h.Account.Currency) + " a day"
}

// Line is a run in one row of a page, all of it printable.
type Line struct{ Run, What, Ends, Result, Who, Spend string }

// The exit codes of runs that are put in words (design.md section 10).
const (
	ExitDone    = 0
	ExitRefused = 6 // by policy
	ExitPartial = 8
	ExitUnknown = 9
)

func exits() map[int]string {
	return map[int]string{
		ExitDone: "finished", ExitRefused: words.Waits.Words(),
		ExitPartial: "applied in part", ExitUnknown: "an outcome is unknown",
	}
}

// Line puts a run in words.
func (h *Head) Line() Line {
	ends := h.ends()
	if h.Exit != nil && h.Ended == Finished {
		if said, ok := exits()[*h.Exit]; ok {
			ends = said
		}
	}
	if h.Decided != "" {
		return Line{Run: printable(h.Run), What: string(h.Command), Ends: "decided", Result: printable(h.Decided)}
	}
	result := fmt.Sprintf("%s; %s of %s read back as sent",
		h.plainCounts(), planview.Thousands(h.Verified), planview.Thousands(h.Touched))
	if h.Reverts != "" {
		result = "takes back " + printable(h.Reverts) + ": " + result
	}
	return Line{printable(h.Run), printable(h.what()), ends, result, h.who(), h.spend()}
}

// Title is what the page of a run is of, printable.
func (h *Head) Title() string {
	title := "Run " + h.Run
	switch h.Command {
	case PauseAll:
		title = "Everything was paused: " + h.Run
	case Pause:
		title = "One was paused: " + h.Run
	case GoOn:
		title = "Started again after a pause: " + h.Run
	}
	if h.Reverts != "" {
		title += ", which takes back " + h.Reverts
	}
	return printable(title)
}
