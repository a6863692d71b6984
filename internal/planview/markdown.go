package planview

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// A comment of GitHub holds 65,536 characters. What is written stays below that
// in bytes, so that it fits however characters are counted.
const (
	commentSize = 64_000 // of everything
	heldSize    = 20_000 // up to the end of what is held
)

// WriteMarkdown writes a plan as one comment of a pull request, of GitHub or
// GitLab: a marker by which a job finds its comment again; money, counts and what
// is held; each tree folded. It is cut, aloud, below the size of a comment.
//
// Text of files and service stands in code only, inline or fenced: there it
// mentions nobody, refers to no issue, and is no link and no HTML.
func WriteMarkdown(w io.Writer, schemas resource.Schemas, d *Document) error {
	text, _ := Comment(schemas, d, CommentOptions{})
	_, err := io.WriteString(w, text)
	return err
}

// CommentOptions says what people are asked by a comment.
type CommentOptions struct {
	Room  int                             // bytes that are left for somebody else
	Asked func(*plan.ChangeDocument) bool // reports whether people are asked to agree to a change; nil: to none
}

// Comment returns what WriteMarkdown writes, with each change that people are asked for whole in its tree: values and
// holds. hidden is how many of those it has no room for.
func Comment(schemas resource.Schemas, d *Document, o CommentOptions) (text string, hidden int) {
	p := describe(schemas, d, detail{room: 60, list: 40, like: 5, asked: o.Asked})
	m := &comment{size: commentSize - o.Room}
	m.line(marker(d.Account.ID))
	m.headline(p)
	m.slips(p)
	m.reviews(p)
	m.held(p)
	m.problems(p)
	m.trees(p)
	m.ending(p, d)
	return m.text.String(), m.hidden + p.hidden
}

// marker is the first line of a comment: a job finds the comment of its account
// by it.
func marker(account string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, account)
	return "<!-- adsync:plan:" + plain[:min(len(plain), 100)] + " -->"
}

// comment is a text that grows up to a size.
type comment struct {
	text strings.Builder
	size int      // of everything
	left []string // what was cut

	hidden int // changes that people are asked for, in trees that were cut
}

func (m *comment) line(format string, arguments ...any) {
	fmt.Fprintf(&m.text, format+"\n", arguments...)
}

// fits reports whether so much more stays within a size.
func (m *comment) fits(more string, size int) bool { return m.text.Len()+len(more) <= size }

// codeLength is how many characters of a foreign text stand in one piece.
const codeLength = 300

// Code makes a text inline code, as long as a comment has room for.
func Code(text string) string {
	letters := []rune(text)
	if len(letters) > codeLength {
		text = string(letters[:codeLength]) + "…"
	}
	fence := "`" + strings.Repeat("`", longestRun(text))
	if longestRun(text) > 0 || strings.TrimSpace(text) == "" {
		text = " " + text + " "
	}
	return fence + text + fence
}

// Cell is code in a table, which reads bars before anything else.
func Cell(text string) string { return strings.ReplaceAll(Code(text), "|", `\|`) }

// longestRun is the length of the longest row of backticks.
func longestRun(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		run++
		if r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

func (m *comment) headline(p *page) {
	m.line("### adsync plan: %s %s\n", strings.ToLower(p.money[0].label), p.money[0].text)
	if len(p.movers) > 0 {
		m.line("- %s", m.movers(p))
	}
	for _, s := range p.money[1:] {
		m.line("- %s: %s", s.label, s.text)
	}
	for _, b := range p.bounds {
		m.line("- %s: %s", Code(b.label), b.text)
	}
	for _, said := range slices.Concat(p.caveat, p.since, p.selected) {
		m.line("- %s", Code(said))
	}
	m.line("")
	if p.failed != "" {
		m.line("**No plan:** %s", Code(p.failed))
	} else {
		m.line("**%s**", p.plan)
	}
	m.line("")
}

func (m *comment) movers(p *page) string {
	var parts []string
	for _, s := range p.movers {
		parts = append(parts, Code(s.label)+" "+s.text)
	}
	if p.others > 0 {
		parts = append(parts, Thousands(p.others)+" more")
	}
	return strings.Join(parts, ", ")
}

func (m *comment) slips(p *page) {
	for i, s := range p.slips {
		text := fmt.Sprintf("- ⚠️ %s: %s", Code(s.hazard), Code(s.message))
		if s.examples != "" {
			text += "\n  - " + Code(s.examples)
		}
		if s.release != "" {
			text += "\n  - " + Code(s.release)
		}
		if !m.fits(text, heldSize) {
			m.cut(len(p.slips)-i, "slip", "slips")
			break
		}
		m.line("%s", text)
	}
	if len(p.slips) > 0 {
		m.line("")
	}
}

func (m *comment) cut(n int, one, several string) {
	if n == 1 {
		several = one
	}
	m.left = append(m.left, Thousands(n)+" "+several)
}

// held is a table of what waits for somebody's yes.
func (m *comment) held(p *page) {
	var rows []string
	for _, t := range p.trees {
		for i := range t.changes {
			rows = append(rows, t.changes[i].heldRows()...)
		}
	}
	if len(rows) == 0 {
		return
	}
	m.line("**%s** %s\n\n| held | because | goes on with |\n|---|---|---|", heldTitle, Code(p.held))
	for i, row := range rows {
		if !m.fits(row, heldSize) {
			m.cut(len(rows)-i, "row of what is held", "rows of what is held")
			break
		}
		m.line("%s", row)
	}
	m.line("")
}

func (c *entry) heldRows() []string {
	var rows []string
	add := func(what string, holds []hold) {
		for _, h := range holds {
			allow := "an edit of the files only"
			if h.allow != "" {
				allow = Cell("--allow " + h.allow)
			}
			rows = append(rows, fmt.Sprintf("| %s | %s: %s | %s |", what, Cell(h.hazard), Cell(h.message), allow))
		}
	}
	add(Cell(c.address), c.holds)
	for _, f := range c.fields {
		add(Cell(c.address)+" "+Cell(f.name), f.holds)
	}
	return rows
}

func (m *comment) problems(p *page) {
	for i, problem := range p.problems {
		row := fmt.Sprintf("- %s: %s", problem.Severity, Code(problem.String()))
		if !m.fits(row, heldSize+heldSize/2) {
			m.cut(len(p.problems)-i, "problem", "problems")
			break
		}
		m.line("%s", row)
	}
	if len(p.problems) > 0 {
		m.line("")
	}
}

// trees folds each tree; those a comment has no room for are counted. Those that people are asked for have it first.
func (m *comment) trees(p *page) {
	pending, left, changes, room := false, 0, 0, m.size-2000-m.text.Len()
	texts := make([]string, len(p.trees))
	for _, asked := range []bool{true, false} {
		for i := range p.trees {
			if t := &p.trees[i]; t.asked > 0 == asked {
				text := folded(t)
				if len(text)+1 > room {
					continue
				}
				room -= len(text) + 1
				texts[i] = text
			}
		}
	}
	for i, text := range texts {
		t := &p.trees[i]
		if t.pending && !pending {
			pending = true
			m.line("#### %s\n", alsoPending)
		}
		if text == "" {
			left, changes = left+1, changes+len(t.changes)
			m.hidden += t.asked
			continue
		}
		m.line("%s", text)
	}
	if left > 0 {
		m.cut(left, "tree with "+Plural(changes, "change"), "trees with "+Plural(changes, "change"))
	}
	if len(p.left) > 0 {
		m.line("Not listed: %s.\n", Code(strings.Join(p.left, ", ")))
	}
}

// Plural returns a count with its noun: 1 change, 1,024 changes.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(n) + " " + noun + "s"
}

// folded is a tree behind its first line.
func folded(t *tree) string {
	text := &printer{TextOptions: TextOptions{Width: 100}}
	text.tree(t)
	return fmt.Sprintf("<details><summary><code>%s</code> · %s%s</summary>\n\n%s\n</details>\n",
		html.EscapeString(t.top), Plural(len(t.changes), "change"),
		html.EscapeString(t.aside(&engineers)), Block(text.text.String()))
}

// Block makes lines a block of code.
func Block(lines string) string {
	fence := strings.Repeat("`", max(longestRun(lines), 2)+1)
	return fence + "text\n" + lines + fence + "\n"
}

// aside returns what somebody who does not unfold a tree should know.
func (t *tree) aside(s *says) string {
	said, held := "", 0
	for i := range t.changes {
		c := &t.changes[i]
		if c.money != "" && c.depth == 0 {
			said = " · " + c.money
		}
		if c.held {
			held++
		}
	}
	if held > 0 {
		said += " · " + s.count("held", Thousands(held))
	}
	return said
}

func (m *comment) ending(p *page, d *Document) {
	for _, notice := range []string{p.drafts, p.kept} {
		if notice != "" {
			m.line("%s\n", Code(notice))
		}
	}
	if len(m.left) > 0 {
		m.line("**Cut, as a comment holds 65,536 characters:** %s. All of it is in `adsync plan --full`.\n",
			strings.Join(m.left, ", "))
	}
	said := "Account " + Code(diag.Printable(d.Account.ID))
	if p.service != "" {
		said += " at " + Code(p.service)
	}
	if d.Revision != nil {
		said += ", files at commit " + Code(short(diag.Printable(d.Revision.Commit)))
		if n := len(d.Revision.Uncommitted); n > 0 {
			said += " and " + Plural(n, "file") + " not committed"
		}
	}
	if d.PlanHash != "" {
		said += ", plan " + Code(diag.Printable(d.PlanHash[:min(len(d.PlanHash), 12)]))
	}
	m.line("<sub>%s</sub>", said)
}
