package ops

import (
	"fmt"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/resource"
	"adsync/internal/synonyms"
)

// columnDocument is the JSON form of what a column is also read under.
type columnDocument struct {
	Sheet  string         `json:"sheet"` // "" is every sheet that has the column
	Column string         `json:"column"`
	Words  []wordDocument `json:"words"`
}

type wordDocument struct {
	Word string `json:"word"`
	Tool string `json:"tool"`
}

// questionDocument is the JSON form of headers that can mean two things.
type questionDocument struct {
	Sheet string   `json:"sheet"`
	Words []string `json:"words"`
	Could []string `json:"could"`
	On    string   `json:"on,omitempty"` // the sheet that has those
	Why   string   `json:"why,omitempty"`
}

// nothingDocument is the JSON form of columns of a tool that the service has
// nothing for.
type nothingDocument struct {
	Tool  string   `json:"tool"`
	Words []string `json:"words"`
}

// columnsDocument is the JSON form of the table of synonyms.
type columnsDocument struct {
	FormatVersion int                `json:"format_version"`
	Columns       []columnDocument   `json:"columns"`
	Questions     []questionDocument `json:"questions"`
	Nothing       []nothingDocument  `json:"nothing"`
}

func describedColumns() columnsDocument {
	d := columnsDocument{FormatVersion: console.FormatVersion}
	for i := range synonyms.Rows {
		r := &synonyms.Rows[i]
		c := columnDocument{Sheet: r.Sheet, Column: r.Column}
		for t, list := range r.By() {
			for _, word := range synonyms.Split(list) {
				c.Words = append(c.Words, wordDocument{word, synonyms.Tools[t]})
			}
		}
		d.Columns = append(d.Columns, c)
	}
	for _, q := range synonyms.Questions {
		d.Questions = append(d.Questions, questionDocument{q.Sheet, synonyms.Split(q.Words), q.Could, q.On, q.Why})
	}
	for _, u := range synonyms.Nothing {
		d.Nothing = append(d.Nothing, nothingDocument{u.Tool, synonyms.Split(u.Words)})
	}
	return d
}

// explainColumns prints the table: for people a line a column with all its words.
func explainColumns(env *session.Env) error {
	d := describedColumns()
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	var b strings.Builder
	sheet := "-"
	for _, c := range d.Columns {
		if c.Sheet != sheet {
			sheet = c.Sheet
			fmt.Fprintf(&b, "%s\n", sheetWords(sheet))
		}
		fmt.Fprintf(&b, "  %-28s %s\n", c.Column, strings.Join(distinct(c), ", "))
	}
	fmt.Fprintf(&b, "\nCan mean two things, and is asked:\n")
	for _, q := range d.Questions {
		fmt.Fprintf(&b, "  %-28s %s\n", q.Sheet+": "+q.meant(), strings.Join(q.Words, ", "))
	}
	fmt.Fprintf(&b, "\nOf other tools, with nothing here to set; counted and not read:\n")
	for _, u := range d.Nothing {
		fmt.Fprintf(&b, "  %-28s %s\n", u.Tool, strings.Join(u.Words, ", "))
	}
	_, err := fmt.Fprint(env.Out, b.String())
	return err
}

func sheetWords(sheet string) string {
	if sheet == "" {
		return "Every sheet"
	}
	return sheet
}

func (q *questionDocument) meant() string {
	meant := strings.Join(q.Could, " or ")
	if q.On != "" {
		meant += " of " + q.On
	}
	return meant
}

// distinct are the words of a column but for its own header, each once.
func distinct(c columnDocument) []string {
	seen := map[string]bool{resource.Fold(c.Column): true}
	var words []string
	for _, w := range c.Words {
		if folded := resource.Fold(w.Word); !seen[folded] {
			seen[folded] = true
			words = append(words, w.Word)
		}
	}
	return words
}

// explainHeader returns what a header is read as, and reports whether it is known.
func explainHeader(env *session.Env, header string) (known bool, err error) {
	found := synonyms.Find(header)
	if len(found) == 0 {
		return false, nil
	}
	var lines []string
	for _, m := range found {
		line := headerMeans(header, m)
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if env.Flags.Output == "json" {
		return true, env.PrintJSON(explainedHeader{console.FormatVersion, header, lines})
	}
	_, err = fmt.Fprintln(env.Out, strings.Join(lines, "\n"))
	return true, err
}

func headerMeans(header string, m synonyms.Meaning) string {
	on := sheetWords(m.Sheet)
	switch {
	case m.Question != nil:
		q := questionDocument{Could: m.Question.Could, On: m.Question.On}
		line := fmt.Sprintf("%s: %q can mean %s, and is an error that asks", on, header, q.meant())
		if m.Question.Why != "" {
			line += ": " + m.Question.Why
		}
		return line
	case m.Column == "":
		return fmt.Sprintf("%q is a column of other "+
			"tools (%s) with nothing here to set: it is counted in reports, and not read", header, m.Tool)
	case m.Tool == "":
		return fmt.Sprintf("%s: %q is a column of its own. %s", on, header, helpOf(m.Sheet, m.Column))
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %q is read as %s. %s", on, header, m.Column, helpOf(m.Sheet, m.Column)))
}

// helpOf is what the template says of a column, "" where it is no attribute.
func helpOf(sheet, column string) string {
	for _, s := range session.Schemas() {
		for i := range s.Attributes {
			if x := &s.Attributes[i]; (sheet == "" || s.Sheet == sheet) && x.Header == column {
				return x.Help
			}
		}
	}
	return ""
}
