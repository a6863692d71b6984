package marked

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/sources/look"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
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
// it may have.
func (c *markedCopy) markCell(at diag.Position, t look.Tone, text string) error {
	if index, err := c.file.GetSheetIndex(at.Sheet()); err != nil || index < 0 || at.Line() == 0 || at.Column() == 0 {
		return err
	}
	style, err := c.file.GetCellStyle(at.Sheet(), at.Cell())
	if err != nil {
		return err
	}
	marked, err := c.filled(style, t)
	if err != nil {
		return err
	}
	if err := c.file.SetCellStyle(at.Sheet(), at.Cell(), at.Cell(), marked); err != nil {
		return err
	}
	c.tell(at, text)
	return nil
}

// filledStyle is a style of the workbook in the colour of a tone.
type filledStyle struct {
	style int
	tone  look.Tone
}

// filled returns a style that is the cell's own on another colour. The rest of it
// is taken over as it is stored, which the library's own copy of a style is not.
func (c *markedCopy) filled(style int, t look.Tone) (int, error) {
	if marked, ok := c.filledStyles[filledStyle{style, t}]; ok {
		return marked, nil
	}
	plain, err := c.file.NewStyle(&excelize.Style{Fill: look.Solid(t.Fill)})
	if err != nil {
		return 0, err
	}
	formats := c.file.Styles.CellXfs
	if style >= len(formats.Xf) {
		return 0, fmt.Errorf("a cell has style %d of %d", style, len(formats.Xf))
	}
	format := formats.Xf[style]
	format.FillID, format.ApplyFill = formats.Xf[plain].FillID, new(true)
	formats.Xf = append(formats.Xf, format)
	formats.Count = len(formats.Xf)
	marked := len(formats.Xf) - 1
	c.filledStyles[filledStyle{style, t}], c.filledStyles[filledStyle{marked, t}] = marked, marked
	return marked, nil
}

// tell keeps what a note is to say about a cell, once.
func (c *markedCopy) tell(at diag.Position, text string) {
	cells := c.told[at.Sheet()]
	if cells == nil {
		cells = map[string]string{}
		c.told[at.Sheet()] = cells
	}
	have, told := cells[at.Cell()]
	switch {
	case !told && len(cells) >= maxNotes, strings.Contains(have, text) && told:
	case told:
		cells[at.Cell()] = have + "\n" + text
	default:
		cells[at.Cell()] = text
	}
}

// writeNotes writes the notes of every sheet that has new ones: the user's own
// as they were, and what is new below them.
func (c *markedCopy) writeNotes() error {
	for sheet, cells := range c.told {
		own, free := c.own[sheet]
		if !free {
			continue // its messages stand in the rows
		}
		for _, note := range own {
			if note.Author == workbook.NoteAuthor && cells[note.Cell] != "" {
				continue // of an earlier copy
			}
			text := note.Text
			if more := cells[note.Cell]; more != "" {
				text = fmt.Sprintf("%s\n\n%s: %s", strings.TrimSpace(text), workbook.NoteAuthor, more)
			}
			if err := c.addNote(sheet, note.Cell, note.Author, text); err != nil {
				return err
			}
			delete(cells, note.Cell)
		}
		for _, cell := range slices.Sorted(maps.Keys(cells)) {
			if err := c.addNote(sheet, cell, workbook.NoteAuthor, cells[cell]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *markedCopy) addNote(sheet, cell, author, text string) error {
	note := workbook.NoteAt(cell, workbook.CutText(text))
	note.Author = author
	return c.file.AddComment(sheet, note)
}
