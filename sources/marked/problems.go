package marked

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/sources/look"
)

// problemsTab is the sheet of a copy that lists what is wrong.
const problemsTab = "Problems"

// sheetColumn is a column of a sheet that only copies have.
type sheetColumn struct {
	title string
	width float64
}

var problemColumns = []sheetColumn{
	{"Severity", 11}, {"Sheet", 16}, {"Cell", 9}, {"What is there", 52},
	{"What is wanted", 44}, {"Hint", 44}, {"Code", 11},
}

// maxLinks is under the number of links a sheet may have.
const maxLinks = 60_000

// writeProblems lists the file's problems, each with a link to its cell, and what
// else is not read. The copy opens there where it has a problem.
func (c *markedCopy) writeProblems(problems []diag.Problem, unread []diag.Unread) error {
	mine := slices.DeleteFunc(slices.Clone(problems), func(p diag.Problem) bool { return p.Position.File() != c.name })
	more := c.unreadRows(unread)
	if len(mine)+len(more) == 0 {
		return nil
	}
	sheet, err := c.ownSheet(problemsTab, problemColumns)
	if err != nil {
		return err
	}
	for i, p := range mine {
		if err := c.problemRow(sheet, i+2, p); err != nil {
			return err
		}
	}
	for i, row := range more {
		if err := c.textRow(sheet, len(mine)+i+2, row, look.ToneWaiting); err != nil {
			return err
		}
	}
	if err := c.finishSheet(sheet, problemColumns, "C00000", len(mine)+len(more)); err != nil {
		return err
	}
	if slices.ContainsFunc(mine, func(p diag.Problem) bool { return p.Severity != diag.Note }) {
		c.more.Opens = sheet
	}
	return nil
}

func (c *markedCopy) problemRow(sheet string, row int, p diag.Problem) error {
	severity := look.ToneWaiting
	if p.Severity == diag.Error {
		severity = look.ToneBad
	}
	there, wanted := splitMessage(p.Message)
	texts := []string{string(p.Severity), p.Position.Sheet(), p.Position.Cell(), there, wanted, p.Hint, string(p.Code)}
	if err := c.textRow(sheet, row, texts, severity); err != nil {
		return err
	}
	return c.link(sheet, row, 3, p.Position)
}

// unreadRows are the rows of the file's columns and sheets that are not read and
// no problem: the user's own, and those the service has nothing for.
func (c *markedCopy) unreadRows(unread []diag.Unread) [][]string {
	var rows [][]string
	for _, u := range unread {
		why := map[diag.Why]string{
			diag.WhyMarked: "Begins with #", diag.WhyOwn: "Listed under own_columns in adsync.yaml",
			diag.WhyNoCounterpart: "Of another tool, with nothing here to set",
		}[u.Why]
		if u.Column == "" && u.Why == diag.WhyUnknown {
			why = "Has a name adsync does not know"
		}
		if u.File != c.name || why == "" {
			continue
		}
		there := fmt.Sprintf("Column %q is not read: %s", u.Column, diag.Counted(u.Values, "value", "values"))
		if u.Column == "" {
			there = fmt.Sprintf("Sheet %q is not read: %s", u.Sheet, diag.Counted(u.Values, "row", "rows"))
		}
		rows = append(rows, []string{"not read", u.Sheet, "", there, "", why, ""})
	}
	return rows
}

func (c *sheetWriter) textRow(sheet string, row int, texts []string, severity look.Tone) error {
	for i, text := range texts {
		l := look.Look{Wrap: true, Line: true}
		if i == 0 {
			l.Font, l.Fill = severity.Font, severity.Fill
		}
		if err := c.put(sheet, row, i+1, text, l); err != nil {
			return err
		}
		if err := c.makeRoom(sheet, row, text, problemColumns[i].width); err != nil {
			return err
		}
	}
	return nil
}

// splitMessage parts what is there from what is wanted. A message is written as
// "what is there; what is wanted".
func splitMessage(message string) (there, wanted string) {
	there, wanted, _ = strings.Cut(message, "; want ")
	if wanted == "" {
		there, wanted, _ = strings.Cut(message, "; ")
	}
	return upperFirst(there), upperFirst(wanted)
}

// upperFirst begins a sentence, unless it begins with a name as it is written in files.
func upperFirst(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if text == "" || strings.ContainsAny(word, "._") {
		return text
	}
	first, _ := utf8.DecodeRuneInString(text)
	return strings.ToUpper(string(first)) + text[len(string(first)):]
}
