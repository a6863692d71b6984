package runview

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"adsync/internal/planview"
	"adsync/internal/review"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
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
		return catalogue.Say("run.of", "what", h.Command.words(), "run", h.Reverts)
	}
	return h.Command.words()
}

// commands are those that have words.
var commands = []Command{Apply, Revert, PauseAll, Pause, GoOn, Resolve}

func (c Command) words() string {
	if !slices.Contains(commands, c) {
		return string(c)
	}
	return catalogue.Say("run.does." + string(c))
}

// ends is how a run ended, in a word or its exit code.
func (h *Head) ends() string {
	switch {
	case h.Ended == Killed && h.Recovered != nil:
		return catalogue.Say("run.ends.recovered")
	case h.Ended == Killed:
		return catalogue.Say("run.ends.killed")
	case h.Ended == Running:
		return catalogue.Say("run.ends.running")
	case h.Exit == nil:
		return catalogue.Say("run.ends.ended")
	}
	return catalogue.Say("run.ends.exit", "n", *h.Exit)
}

func (h *Head) who() string {
	var parts []string
	if h.By != "" {
		parts = append(parts, catalogue.Say("run.by", "who", h.By))
	}
	if h.Revision != nil {
		commit := fmt.Sprintf("%.12s", h.Revision.Commit)
		if len(h.Revision.Uncommitted) > 0 {
			commit += "+"
		}
		parts = append(parts, catalogue.Say("run.files", "commit", commit))
	}
	return printable(words.Commas(parts))
}

func (h *Head) spend() string {
	m := h.Money.Reached
	return catalogue.Say("sums.a-day",
		"amount", planview.Sum(plan.Moved{Before: m.DailyBefore, After: m.DailyAfter}, h.Account.Currency))
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

var exits = map[int]string{
	ExitDone: "run.ends.finished", ExitRefused: "run.ends.held",
	ExitPartial: "run.ends.partial", ExitUnknown: "run.ends.unknown",
}

// Line puts a run in words.
func (h *Head) Line() Line {
	ends := h.ends()
	if h.Exit != nil && h.Ended == Finished {
		if said, ok := exits[*h.Exit]; ok {
			ends = catalogue.Say(said)
		}
	}
	if h.Decided != "" {
		return Line{Run: printable(h.Run), What: h.Command.words(),
			Ends: catalogue.Say("run.ends.decided"), Result: printable(h.Decided)}
	}
	result := catalogue.Say("run.result", "counts", h.plainCounts(),
		"n", planview.Thousands(h.Verified), "all", planview.Thousands(h.Touched))
	if h.Reverts != "" {
		result = catalogue.Say("run.takes-back", "run", printable(h.Reverts), "result", result)
	}
	return Line{printable(h.Run), printable(h.what()), ends, result, h.who(), h.spend()}
}

// Title is what the page of a run is of, printable.
func (h *Head) Title() string {
	title := ""
	switch h.Command {
	case PauseAll:
		title = catalogue.Say("run.title-all", "run", h.Run)
	case Pause:
		title = catalogue.Say("run.title-pause", "run", h.Run)
	case GoOn:
		title = catalogue.Say("run.title-go-on", "run", h.Run)
	default:
		title = catalogue.Say("run.title", "run", h.Run)
	}
	if h.Reverts != "" {
		title = catalogue.Say("run.title-back", "title", title, "run", h.Reverts)
	}
	return printable(title)
}
