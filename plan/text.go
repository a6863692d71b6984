package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// TextOptions says how a plan is written for people.
type TextOptions struct {
	Color    bool
	Currency string // ISO 4217, after sums
	Width    int    // columns; 0 is 100
	Limit    int    // changes listed one by one; 0 is 1,000. What is held or has a hazard is always listed
}

// foldAbove is how many creates a plan may have before their attributes are
// counted and not listed.
const foldAbove = 50

// WriteText writes a plan for people: what looks like a slip of the hand, one
// line each; one tree after the other, a line a change with a symbol (+ create,
// ~ update, ± replace, - archive, > adopt, . record or forget, ! wholly held)
// and the row it comes from, its fields, its hazards and what would release what
// is held; then the counts and what becomes of possible spend. Text of files and
// service is made printable. What is left out is said.
func WriteText(w io.Writer, p *Plan, o TextOptions) error {
	if o.Width == 0 {
		o.Width = 100
	}
	if o.Limit == 0 {
		o.Limit = 1000
	}
	t := &printer{TextOptions: o, plan: p, folds: p.Summary().Create > foldAbove}
	t.accidents()
	t.trees()
	t.unlisted()
	t.kept()
	t.summary()
	t.remember()
	_, err := io.WriteString(w, t.text.String())
	return err
}

// printer writes one plan.
type printer struct {
	TextOptions
	plan  *Plan
	folds bool
	text  strings.Builder

	listed int
	left   map[string]int // changes not listed, by action and kind
}

func (t *printer) linef(indent int, format string, arguments ...any) {
	t.text.WriteString(strings.Repeat("  ", indent))
	fmt.Fprintf(&t.text, format, arguments...)
	t.text.WriteByte('\n')
}

// trees writes the changes in the order of their addresses, a blank line after
// each tree.
func (t *printer) trees() {
	t.left = map[string]int{}
	changes := slices.Clone(t.plan.Changes)
	slices.SortFunc(changes, func(a, b Change) int { return a.Address.Compare(b.Address) })
	tree, before := "", t.text.Len()
	for i := range changes {
		c := &changes[i]
		if t.leftOut(c) {
			t.left[string(c.Action)+" "+string(c.Address.Kind)]++
			continue
		}
		t.listed++
		top, _, _ := strings.Cut(c.Address.Key, "/")
		if top != tree && t.text.Len() > before {
			t.text.WriteByte('\n')
		}
		if top != tree && top != c.Address.Key {
			t.linef(1, "%s", diag.Printable(t.topOf(c.Address).String()))
		}
		tree = top
		t.change(c)
	}
	if t.listed > 0 {
		t.text.WriteByte('\n')
	}
}

func (t *printer) topOf(a resource.Address) resource.Address {
	for up := t.plan.schemas.Parent(a); !up.IsZero(); up = t.plan.schemas.Parent(a) {
		a = up
	}
	return a
}

func (t *printer) leftOut(c *Change) bool {
	return t.listed >= t.Limit && len(c.Hazards) == 0 && !c.isHeld()
}

func (t *printer) change(c *Change) {
	depth := t.plan.schemas.Depth(c.Address.Kind)
	name := ""
	if c.Name != "" {
		name = ` "` + diag.Printable(c.Name) + `"`
	}
	t.linef(depth, "%s %s %s%s%s", t.symbol(c), c.Action, diag.Printable(c.Address.String()), name, t.aside(c))
	t.fields(depth+2, c)
	if len(c.Recorded) > 0 {
		t.linef(depth+2, "agrees already: %s", namesOf(c.Recorded))
	}
	if len(c.Hazards) > 0 {
		t.linef(depth+2, "hazards: %s", hazardNames(c.Hazards))
	}
	t.hold(depth+2, c.Held)
}

// aside says where a change comes from.
func (t *printer) aside(c *Change) string {
	var parts []string
	if c.ID != "" {
		parts = append(parts, diag.Printable(c.ID))
	}
	if !c.Position.IsZero() {
		parts = append(parts, c.Position.String())
	}
	if c.Pruned {
		parts = append(parts, "no longer in the files; the policy prunes it")
	}
	if len(parts) == 0 {
		return ""
	}
	return "  (" + strings.Join(parts, ", ") + ")"
}

var symbols = map[Action]string{Create: "+", Update: "~", Replace: "±", Archive: "-", Adopt: ">", Record: ".", Forget: "."}

// colors are the ANSI codes of the symbols.
var colors = map[string]string{"+": "32", "~": "33", "±": "35", "-": "31", ">": "36", ".": "2", "!": "1;31", "?": "33"}

func (t *printer) symbol(c *Change) string {
	symbol := symbols[c.Action]
	if _, some := c.applicable(t.plan.schemas.Of(c.Address.Kind)); !some {
		symbol = "!"
	}
	return t.colored(symbol)
}

func (t *printer) colored(symbol string) string {
	if !t.Color {
		return symbol
	}
	return "\x1b[" + colors[symbol] + "m" + symbol + "\x1b[0m"
}

func hazardNames(hazards []Hazard) string {
	var names []string
	for _, h := range hazards {
		names = append(names, string(h))
	}
	return strings.Join(names, ", ")
}

func namesOf(fields []Field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// hold writes what holds something, and the exact flag that releases it.
func (t *printer) hold(indent int, h *Hold) {
	if h == nil {
		return
	}
	release := "no flag releases it"
	if h.Allow != "" {
		release = "release with --allow " + h.Allow
	}
	t.linef(indent, "held (%s): %s; %s", h.Hazard, diag.Printable(h.Message), release)
	for i := range h.Also {
		t.hold(indent, &h.Also[i])
	}
}

// unlisted says what the list leaves out, and how to see it.
func (t *printer) unlisted() {
	if len(t.left) == 0 {
		return
	}
	var counts []string
	for what, n := range t.left {
		counts = append(counts, fmt.Sprintf("%s %d", what, n))
	}
	slices.Sort(counts)
	t.linef(0, "Not listed, without hazard and not held: %s. Every one is in -o json.", strings.Join(counts, ", "))
}

// keptShown is how many addresses the notice of kept resources names.
const keptShown = 10

func (t *printer) kept() {
	n := len(t.plan.Kept)
	if n == 0 {
		return
	}
	var names []string
	for _, a := range t.plan.Kept[:min(n, keptShown)] {
		names = append(names, diag.Printable(a.String()))
	}
	more := ""
	if n > keptShown {
		more = fmt.Sprintf(" and %d more, all in -o json", n-keptShown)
	}
	t.linef(0, "No longer in the files and kept at the service: %s%s. To stop them, say status: paused or archived.", strings.Join(names, ", "), more)
}

// summary writes the counts, and what becomes of possible spend.
func (t *printer) summary() {
	s := t.plan.Summary()
	var parts []string
	for _, n := range []struct {
		what  string
		count int
	}{
		{"to create", s.Create}, {"to update", s.Update}, {"to replace", s.Replace}, {"to archive", s.Archive}, {"to adopt", s.Adopt},
		{"to forget", s.Forget}, {"to record", s.Record}, {"held", s.Held}, {"kept", s.Kept}, {"in sync", s.InSync}, {"not managed by these files", s.Unmanaged},
	} {
		if n.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.count, n.what))
		}
	}
	switch {
	case len(parts) == 0:
		t.linef(0, "Nothing here, and nothing to change.")
	case t.plan.Empty():
		t.linef(0, "Nothing to change: %s.", strings.Join(parts, ", "))
	default:
		t.linef(0, "Plan: %s.", strings.Join(parts, ", "))
	}
	spend := t.plan.Spend
	t.sum("possible spend per day", spend.DailyBefore, spend.DailyAfter)
	if spend.LifetimeBefore != 0 || spend.LifetimeAfter != 0 {
		t.sum("lifetime budgets of what is active", spend.LifetimeBefore, spend.LifetimeAfter)
	}
}

func (t *printer) sum(what string, before, after int64) {
	currency, rise := "", ""
	if t.Currency != "" {
		currency = " " + t.Currency
	}
	switch {
	case after > before:
		rise = " (+" + resource.FormatMoney(after-before) + ")"
	case after < before:
		rise = " (" + resource.FormatMoney(after-before) + ")"
	}
	t.linef(0, "%s: %s → %s%s%s", what, resource.FormatMoney(before), resource.FormatMoney(after), currency, rise)
}
