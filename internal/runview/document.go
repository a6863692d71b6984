package runview

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// FormatVersion stands in every JSON form.
const FormatVersion = 1

// Document is a run: what it set out to do, and what became of it. It is whole
// on failure too.
type Document struct {
	FormatVersion int `json:"format_version"`
	Head
	InputHash string              `json:"input_hash"`
	PlanHash  string              `json:"plan_hash"`
	Outcomes  []Outcome           `json:"outcomes"`
	Problems  []diag.Problem      `json:"problems"`
	Saved     *plan.SavedDocument `json:"saved,omitempty"` // what moved since the plan was saved
	Next      string              `json:"next,omitempty"`  // the command to run next
}

// Head is a run in the history.
type Head struct {
	Run      string     `json:"run"`
	Command  Command    `json:"command"`
	Reverts  string     `json:"reverts,omitempty"` // the run it takes back
	Ended    Ended      `json:"ended"`
	Started  time.Time  `json:"started,omitzero"`
	Finished time.Time  `json:"finished,omitzero"`
	By       string     `json:"by,omitempty"` // who ran it, and on which machine
	Approved []Approver `json:"approved,omitempty"`
	// ApprovedBy is who approved something of it, there, at the page or by the API
	ApprovedBy []string         `json:"approved_by,omitempty"`
	Account    planview.Account `json:"account"`
	// which was spoken to, and what said so; absent where none is named
	Service  *planview.Service  `json:"service,omitempty"`
	Revision *planview.Revision `json:"revision,omitempty"` // absent outside a git repository
	Summary  map[string]int     `json:"summary"`            // how many changes have each outcome
	Money    Money              `json:"money"`
	Verified int                `json:"verified"` // of Touched, how many reading back showed as sent
	Touched  int                `json:"touched"`
	Exit     *int               `json:"exit,omitempty"` // absent while it runs, or where it was killed

	Zone      *time.Location `json:"-"` // in which a page says when it began; nil is UTC
	Error     string         `json:"error,omitempty"`
	Recovered *Recovered     `json:"recovered,omitempty"`
	Undecided []Undecided    `json:"undecided,omitempty"` // what earlier runs left unknown
	Decided   string         `json:"decided,omitempty"`   // of a decision: what of, as what, and by whom
}

// Undoable reports whether such a run may have applied what files asked for, which they can say otherwise.
func (h *Head) Undoable() bool {
	return h.Touched > 0 && h.Ended != Running && (h.Command == Apply || h.Command == Revert)
}

// Undecided is a resource of which nobody knows what became of an earlier change.
type Undecided struct {
	Address string `json:"address"`
	Step    string `json:"step"` // of the earlier run
	Message string `json:"message"`
	Do      string `json:"do"` // the command that decides it
}

// Command is what began a run.
type Command string

// The commands that begin a run.
const (
	Apply  Command = "apply"
	Revert Command = "revert"

	PauseAll Command = "pause-all"
	Pause    Command = "pause"   // ordered of a daemon
	GoOn     Command = "go-on"   // starts again what such an order paused
	Resolve  Command = "resolve" // a decision of a person, and no run
)

// Pauses reports whether such a run paused what delivers, without a word of the files.
func (c Command) Pauses() bool { return c == PauseAll || c == Pause }

// Ended says how a run ended.
type Ended string

// The ends of a run.
const (
	Running     Ended = ""            // or killed: only whether another process holds the state tells
	Finished    Ended = "finished"    // it said itself what became of every change
	Interrupted Ended = "interrupted" // and said so before it ended
	Killed      Ended = "killed"      // it never said
)

// Money is what a run set out to do to possible spend, and what it reached.
type Money struct {
	Planned plan.Spend  `json:"planned"`           // whatever the account's own limits let pass
	Reached plan.Spend  `json:"reached"`           // with what was applied for certain
	AtMost  *plan.Spend `json:"at_most,omitempty"` // were all applied that raises and may have been
	Within  *Within     `json:"within,omitempty"`  // absent where no limit binds
}

// Within is what can be spent on a day within the account's own limits, and its
// pause: before the run, and were all of it applied.
type Within struct {
	Before int64    `json:"before_micros"`
	After  int64    `json:"after_micros"`
	Moved  []string `json:"moved,omitempty"` // the limits the run changes
}

// Recovered is what a later run found of one that was killed, or that ended with
// an unknown outcome.
type Recovered struct {
	At        time.Time `json:"at"`
	Finished  int       `json:"finished"`            // steps carried to their end
	Abandoned int       `json:"abandoned"`           // steps that never had an effect
	Undecided []string  `json:"undecided,omitempty"` // steps a person has to decide
}

// Outcome is what became of one change.
type Outcome struct {
	Address  string        `json:"address"`
	Action   plan.Action   `json:"action"`
	Outcome  state.Outcome `json:"outcome"`
	Name     string        `json:"name"`
	ID       string        `json:"id"`
	Code     string        `json:"code"`
	Message  string        `json:"message"`
	Do       string        `json:"do,omitempty"` // what to do about it
	Position diag.Position `json:"position"`     // the row
	Cell     diag.Position `json:"at"`           // the value concerned, else the row
	Verified bool          `json:"verified"`
	Fields   []Field       `json:"fields,omitempty"`
	Spend    plan.Spend    `json:"spend,omitzero"` // what it does to possible spend, applied whole
	Held     []HeldPart    `json:"held,omitempty"` // fields that stayed while the rest of the change went
}

// HeldPart is a field of a change that stays while the rest of it goes.
type HeldPart struct {
	plan.HeldPart
	Do string `json:"do"`
}

// Field is one attribute of a change. An absent value is left out, a cleared one
// is null.
type Field struct {
	Name    string         `json:"name"`
	Before  resource.Value `json:"before,omitzero"`
	After   resource.Value `json:"after,omitzero"`
	Applied bool           `json:"applied"`
	// it makes the resource deliver: without it nothing of the change spends
	Starts bool `json:"starts,omitempty"`
}

// Held is the outcome of a change the policy left out.
const Held state.Outcome = "held"

// outcomes in the order people care about them.
var outcomes = []state.Outcome{state.OutcomeUnknown,
	state.OutcomeFailed, state.OutcomeSkipped, Held, state.OutcomeApplied}

// Decode reads a document as it was kept.
func Decode(content []byte) (*Document, error) {
	d := &Document{}
	if err := json.Unmarshal(content, d); err != nil {
		return nil, fmt.Errorf("read a kept report: %w", err)
	}
	if d.FormatVersion > FormatVersion {
		return nil, fmt.Errorf("the report of %s has format %d; want at most %d: use a newer adsync",
			d.Run, d.FormatVersion, FormatVersion)
	}
	return d, nil
}

// WriteJSON writes the document, its outcomes one at a time, as all of them are as
// large as the account. With an indent each value has a line.
func (d *Document) WriteJSON(w io.Writer, indent string) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encode := func(value any, prefix string) ([]byte, error) {
		text.Reset()
		encoder.SetIndent(prefix, indent)
		err := encoder.Encode(value)
		return bytes.TrimRight(text.Bytes(), "\n"), err
	}
	shell := *d
	shell.Outcomes = nil
	around, err := encode(&shell, "")
	if err != nil {
		return err
	}
	name, next, end := `"outcomes":`, "", ""
	if indent != "" {
		name, next, end = `"outcomes": `, "\n"+indent+indent, "\n"+indent
	}
	before, after, found := bytes.Cut(bytes.Clone(around), []byte(name+"null")) // in a text the quotes are escaped
	if !found {
		return fmt.Errorf("the report of %s has no place for outcomes", d.Run)
	}
	out := bufio.NewWriter(w)
	_, _ = out.Write(before) // Flush gives the first failure
	_, _ = out.WriteString(name + "[")
	for i := range d.Outcomes {
		one, err := encode(&d.Outcomes[i], indent+indent)
		if err != nil {
			return err
		}
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = out.WriteString(next)
		_, _ = out.Write(one)
	}
	if len(d.Outcomes) > 0 {
		_, _ = out.WriteString(end)
	}
	_ = out.WriteByte(']')
	_, _ = out.Write(after)
	_ = out.WriteByte('\n')
	return out.Flush()
}

// Settle counts the outcomes again, and what they come to in money.
func (d *Document) Settle() {
	d.Summary = map[string]int{}
	reached := plan.Spend{DailyBefore: d.Money.Planned.DailyBefore, DailyAfter: d.Money.Planned.DailyBefore,
		LifetimeBefore: d.Money.Planned.LifetimeBefore, LifetimeAfter: d.Money.Planned.LifetimeBefore}
	most := reached
	for i := range d.Outcomes {
		o := &d.Outcomes[i]
		d.Summary[string(o.Outcome)]++
		if len(o.Held) > 0 {
			d.Summary[string(Held)]++
		}
		switch {
		case o.Outcome == state.OutcomeApplied:
			reached, most = o.moves(reached), o.moves(most)
		case o.Outcome == state.OutcomeUnknown || o.partly() && !o.unstarted():
			most = o.raises(most)
		}
	}
	most = d.within(most)
	d.Money.Reached, d.Money.AtMost = d.within(reached), nil
	if most != d.Money.Reached {
		d.Money.AtMost = &most
	}
}

// within bounds what a day can take by the account's limits as they are by now. Where
// a change of theirs is not certain nothing bounds it; where another change is not,
// the larger of before and after does.
func (d *Document) within(s plan.Spend) plan.Spend {
	w := d.Money.Within
	if w == nil {
		return s
	}
	s.DailyBefore = min(s.DailyBefore, w.Before)
	whole := true
	for i := range d.Outcomes {
		switch o := &d.Outcomes[i]; {
		case o.Outcome == state.OutcomeApplied, o.Outcome == Held && !o.partly():
		case slices.Contains(w.Moved, o.Address):
			return s
		default:
			whole = false
		}
	}
	if whole {
		s.DailyAfter = min(s.DailyAfter, w.After)
	} else {
		s.DailyAfter = min(s.DailyAfter, max(w.Before, w.After))
	}
	return s
}

func (o *Outcome) moves(s plan.Spend) plan.Spend {
	s.DailyAfter += o.Spend.DailyAfter - o.Spend.DailyBefore
	s.LifetimeAfter += o.Spend.LifetimeAfter - o.Spend.LifetimeBefore
	return s
}

func (o *Outcome) raises(s plan.Spend) plan.Spend {
	s.DailyAfter += max(o.Spend.DailyAfter-o.Spend.DailyBefore, 0)
	s.LifetimeAfter += max(o.Spend.LifetimeAfter-o.Spend.LifetimeBefore, 0)
	return s
}

// partly reports whether a part of a change was applied that was not applied whole.
func (o *Outcome) partly() bool {
	for _, f := range o.Fields {
		if f.Applied {
			return o.Outcome != state.OutcomeApplied
		}
	}
	return false
}

// unstarted reports whether the activation of a change was surely not applied: a part of
// it was, and that part spends nothing.
func (o *Outcome) unstarted() bool {
	for _, f := range o.Fields {
		if f.Starts && !f.Applied {
			return o.Outcome == state.OutcomeFailed || o.Outcome == state.OutcomeSkipped
		}
	}
	return false
}

// count returns how many changes have an outcome.
func (d *Document) count(o state.Outcome) int { return d.Summary[string(o)] }
