package planview

import (
	"fmt"
	"io"
	"path"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// annotationsShown is how many annotations of a sort GitHub takes of a step.
const annotationsShown = 10

// annotation is a remark at a line of a file.
type annotation struct {
	level, title, text string
	at                 diag.Position
}

// WriteAnnotations writes the commands that have GitHub show a plan beside the
// changed lines: problems as errors and warnings, what is held and what looks
// like a slip as warnings, and what it does to spend as a notice. Workbooks have
// no lines there: their cell stands in the title. Files are named from the top of
// the repository, as GitHub knows them: folder is the project's, with slashes.
func WriteAnnotations(w io.Writer, schemas resource.Schemas, d *Document, folder string) error {
	p := describe(schemas, d, detail{room: 60, full: true})
	for _, a := range fewest(p.annotations()) {
		if file := a.at.File(); file != "" {
			a.at = diag.Cell(path.Join(folder, file), a.at.Sheet(), a.at.Line(), a.at.Column())
		}
		if _, err := io.WriteString(w, a.String()); err != nil {
			return err
		}
	}
	return nil
}

func (p *page) annotations() []annotation {
	spend := annotation{
		level: "notice", title: "adsync plan", text: p.money[0].label + ": " + p.money[0].text + "\n" + p.plan,
	}
	if p.held != "" {
		spend.text += "\n" + heldTitle + " " + p.held
	}
	if p.started != "" {
		spend.text += "\n" + p.started
	}
	all := []annotation{spend}
	for _, problem := range p.problems {
		level := string(problem.Severity)
		if problem.Severity == diag.Note {
			level = "notice" // as GitHub calls it
		}
		all = append(all, annotation{level, "adsync " + string(problem.Code),
			strings.TrimSuffix(problem.Message+"\n"+problem.Hint, "\n"), problem.Position})
	}
	for _, s := range p.slips {
		all = append(all, annotation{
			level: "warning", title: "adsync: " + s.hazard,
			text: strings.TrimSpace(s.message + "\n" + s.examples + "\n" + s.release), at: s.source,
		})
	}
	for _, t := range p.trees {
		for i := range t.changes {
			all = append(all, t.changes[i].annotations()...)
		}
	}
	return all
}

func (c *entry) annotations() []annotation {
	all := heldAt(c, c.at, c.holds, "")
	if c.starts != "" {
		all = append(all, annotation{"notice", "adsync starts " + c.address, startsTitle + " " + c.starts, c.at})
	}
	for _, f := range c.fields {
		all = append(all, heldAt(c, f.at, f.holds, f.name+": "+f.value+"\n")...)
	}
	return all
}

func heldAt(c *entry, at diag.Position, holds []hold, value string) []annotation {
	var all []annotation
	for _, h := range holds {
		text := value + h.message + "\nno allowance releases it"
		if h.allow != "" {
			text = value + h.message + "\nrelease with --allow " + h.allow
		}
		all = append(all, annotation{"warning", "adsync holds " + c.address + ": " + h.hazard, text, at})
	}
	return all
}

// fewest keeps as many of each level as are shown, and says how many are not.
func fewest(all []annotation) []annotation {
	var kept []annotation
	seen := map[string]int{}
	for _, a := range all {
		if seen[a.level]++; seen[a.level] <= annotationsShown {
			kept = append(kept, a)
		}
	}
	more := 0
	for _, n := range seen {
		more += max(0, n-annotationsShown)
	}
	if more > 0 {
		kept = append(kept, annotation{
			level: "notice", title: "adsync plan", text: Thousands(more) + " more remarks are in the plan",
		})
	}
	return kept
}

// String is one workflow command. Each of its parts is escaped: a name with a
// line break is no second command.
func (a annotation) String() string {
	var properties []string
	add := func(name, value string) {
		if value != "" {
			properties = append(properties, name+"="+property.Replace(diag.Printable(value)))
		}
	}
	add("file", a.at.File())
	if a.at.Sheet() == "" && a.at.Line() > 0 {
		add("line", fmt.Sprint(a.at.Line()))
		if a.at.Column() > 0 {
			add("col", fmt.Sprint(a.at.Column()))
		}
	}
	title := a.title
	if a.at.Sheet() != "" {
		title = a.at.Sheet() + " " + a.at.Cell() + ": " + title
	}
	add("title", title)
	var lines []string
	for _, line := range strings.Split(strings.TrimRight(a.text, "\n"), "\n") {
		lines = append(lines, message.Replace(diag.Printable(line)))
	}
	return "::" + a.level + " " + strings.Join(properties, ",") + "::" + strings.Join(lines, "%0A") + "\n"
}

// What GitHub reads as something else than text in a message and in a property.
var (
	message  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
