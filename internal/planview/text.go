package planview

import (
	"io"
	"slices"
	"strings"

	"adsync/internal/resource"
)

// TextOptions says how a plan is written for a terminal.
type TextOptions struct {
	Color bool
	Width int  // columns; 0 is 100. Beyond 140 lines grow no longer
	Full  bool // every change, field and id
}

// The least and the most columns a text is laid out for.
const (
	narrow = 60
	wide   = 140
)

// WriteText writes a plan for people: what it does to spend, how much it changes
// and what waits for a yes; what looks like a slip of the hand; one tree after
// the other, a line a change with a symbol (+ create, ~ update, ± replace, -
// archive, > adopt, . record or forget, ! wholly held), its fields with their
// reasons, and what holds it; then what would allow what is held. A long plan
// ends with its first lines once more. What is left out is said. Problems are the
// caller's to print, with the lines of the files they stand in.
func WriteText(w io.Writer, schemas resource.Schemas, d *Document, o TextOptions) error {
	if o.Width == 0 {
		o.Width = 100
	}
	o.Width = min(max(o.Width, narrow), wide)
	p := describe(schemas, d, detail{room: max(o.Width/2, 30), full: o.Full, list: 40, like: 5})
	t := &printer{TextOptions: o}
	t.headline(p)
	t.slips(p)
	t.reviews(p)
	t.trees(p)
	t.ending(p)
	t.requests(d.Requests)
	_, err := io.WriteString(w, strings.TrimRight(t.text.String(), "\n")+"\n")
	return err
}

// printer writes one plan.
type printer struct {
	TextOptions
	text  strings.Builder
	lines int
}

// style is an ANSI code; "" is none.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	purple style = "35"
	cyan   style = "36"
	alarm  style = "1;31"
)

var symbolStyles = map[string]style{
	"+": green, "~": yellow, "±": purple, "-": red, ">": cyan, ".": dim, "!": alarm, "?": yellow,
}

func (t *printer) styled(s style, text string) string {
	if !t.Color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// put writes a text behind an indent, in as many lines as it needs; those after
// the first hang deeper.
func (t *printer) put(s style, indent, hang int, text string) {
	lines := Wrap(text, max(t.Width-indent, narrow/2))
	if len(lines) > 1 {
		lines = Wrap(text, max(t.Width-indent-hang, narrow/2))
	}
	for i, line := range lines {
		left := indent
		if i > 0 {
			left += hang
		}
		t.line(strings.Repeat(" ", left) + t.styled(s, line))
	}
}

// mark writes a text behind a symbol.
func (t *printer) mark(symbol string, s style, indent int, text string) {
	for i, line := range Wrap(text, max(t.Width-indent-2, narrow/2)) {
		start := "  "
		if i == 0 {
			start = t.styled(symbolStyles[symbol], symbol) + " "
		}
		t.line(strings.Repeat(" ", indent) + start + t.styled(s, line))
	}
}

func (t *printer) line(text string) {
	t.text.WriteString(strings.TrimRight(text, " "))
	t.text.WriteByte('\n')
	t.lines++
}

func (t *printer) headline(p *page) {
	label := 0
	for _, m := range p.money {
		label = max(label, Columns(m.label)+2)
	}
	for _, m := range p.money {
		s := plain
		if m.moves != 0 {
			s = bold
		}
		t.put(s, 0, 2, Pad(m.label+":", label)+m.text)
	}
	if len(p.movers) > 0 {
		t.put(plain, 0, 2, "By campaign: "+moversOf(p))
	}
	for _, b := range p.bounds {
		t.put(plain, 0, 2, b.label+": "+b.text)
	}
	for _, said := range slices.Concat(p.caveat, p.since) {
		t.put(plain, 0, 2, said)
	}
	if p.service != "" {
		t.put(plain, 0, 2, "Service: "+p.service)
	}
	t.counts(p)
	t.line("")
}

// heldTitle begins what waits for somebody's yes.
const heldTitle = "Held, and not sent:"

func (t *printer) counts(p *page) {
	t.put(bold, 0, 2, p.plan)
	if p.held != "" {
		t.put(yellow, 0, 2, heldTitle+" "+p.held+".")
	}
	for _, line := range p.selected {
		t.put(plain, 0, 2, line)
	}
}

func moversOf(p *page) string {
	var parts []string
	for _, m := range p.movers {
		parts = append(parts, m.label+" "+m.text)
	}
	if p.others > 0 {
		parts = append(parts, Thousands(p.others)+" more")
	}
	return strings.Join(parts, ", ")
}

// slips writes what looks like a slip of the hand: ! for what holds something,
// ? for what is only shown.
func (t *printer) slips(p *page) {
	for _, s := range p.slips {
		symbol := "?"
		if s.held > 0 {
			symbol = "!"
		}
		t.mark(symbol, plain, 0, s.hazard+": "+s.message)
		if s.examples != "" {
			t.put(dim, 4, 2, s.examples)
		}
		if s.release != "" {
			t.put(plain, 4, 2, s.release)
		}
	}
	if len(p.slips) > 0 {
		t.line("")
	}
}

func (t *printer) ending(p *page) {
	for _, notice := range []string{p.drafts, p.kept} {
		if notice != "" {
			t.put(plain, 0, 2, notice)
			t.line("")
		}
	}
	t.releases(p)
	t.again(p)
}

// releasesShown is how many allowances the end of a text lists.
const releasesShown = 12

// releases lists what would allow what is held, where people look last.
func (t *printer) releases(p *page) {
	if len(p.releases) > 0 {
		t.line("To let go on what is held, give what you agree with:")
	}
	for i, r := range p.releases {
		if i == releasesShown && !t.Full {
			t.put(plain, 2, 2, Thousands(len(p.releases)-i)+" more, at the changes they hold")
			break
		}
		t.line("  --allow " + r.allow + t.times(r.holds))
	}
	if len(p.unallowed) > 0 {
		t.put(plain, 0, 2, "No allowance releases these; why, and what does, is said at each: "+
			firstOf(p.unallowed)+".")
	}
	if len(p.releases)+len(p.unallowed) > 0 {
		t.line("")
	}
}

func (t *printer) times(holds int) string {
	if holds < 2 {
		return ""
	}
	return t.styled(dim, "  ("+Thousands(holds)+" holds)")
}

// screen is how many lines people see without going back.
const screen = 24

// again repeats the first lines where they have left the screen.
func (t *printer) again(p *page) {
	if t.lines <= screen {
		return
	}
	t.put(plain, 0, 2, p.money[0].label+": "+p.money[0].text)
	t.counts(p)
}
