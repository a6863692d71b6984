package marked

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/xlsx"
	"adsync/sources/look"
	"adsync/sources/workbook"
)

// maxNotes is how many notes a sheet of a copy gets. Programs count a sheet's
// notes in blocks of 1,024; what has no note has its message in the row.
const maxNotes = 1_000

// markProblems marks the cells of errors that have one.
func (c *markedCopy) markProblems(problems []diag.Problem) error {
	for _, p := range problems {
		if p.Severity != diag.Error || p.Position.File() != c.name ||
			p.Position.Sheet() == "" || p.Position.Column() == 0 {
			continue
		}
		if err := c.markCell(p.Position, look.ToneBad, problemText(p)); err != nil {
			return err
		}
	}
	return nil
}

// markCell turns a cell red, or amber, and says why in a note, beside the note
// it may have. The rest of its looks stays.
func (c *markedCopy) markCell(at diag.Position, t look.Tone, text string) error {
	if c.theirs(at.Sheet()) == nil || at.Line() == 0 || at.Column() == 0 {
		return nil
	}
	fill, err := c.styles.Number(look.Look{Fill: t.Fill})
	if err != nil {
		return err
	}
	c.edit(xlsx.Edit{Sheet: at.Sheet(), Row: at.Line(), Column: at.Column(), Value: xlsx.Keep(), Fill: fill})
	c.tell(at, text)
	return nil
}

// tell keeps what a note is to say about a cell, once.
func (c *markedCopy) tell(at diag.Position, text string) {
	cells := c.told[at.Sheet()]
	if cells == nil {
		cells = map[xlsx.At]string{}
		c.told[at.Sheet()] = cells
	}
	cell := xlsx.At{Row: at.Line(), Column: at.Column()}
	have, told := cells[cell]
	switch {
	case !told && len(cells) >= maxNotes, strings.Contains(have, text) && told:
	case told:
		cells[cell] = have + "\n" + text
	default:
		cells[cell] = text
	}
}

// writeNotes takes the notes of every sheet that has new ones.
func (c *markedCopy) writeNotes() {
	for sheet, cells := range c.told {
		for at, text := range cells {
			note := workbook.NoteAt(at.String(), workbook.CutText(text))
			c.more.Notes = append(c.more.Notes, xlsx.Note{
				Sheet: sheet, At: at, Author: note.Author, Text: note.Text,
				Width: int(note.Width), Height: int(note.Height),
			})
		}
	}
	slices.SortFunc(c.more.Notes, func(a, b xlsx.Note) int {
		return cmp.Or(cmp.Compare(a.Sheet, b.Sheet),
			cmp.Compare(a.At.Row, b.At.Row), cmp.Compare(a.At.Column, b.At.Column))
	})
}
