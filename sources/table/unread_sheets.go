package table

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// A sheet whose name says nothing to adsync is the user's own, unless its header
// is that of rows adsync reads.

// judgeSheet finds out what a sheet is that no name says, and reports one that
// looks as if it were to be read.
func (r *bookReader) judgeSheet(forms []catalog.Form, ref xlsx.Sheet) error {
	looks := make([]HeaderFinder, len(forms))
	for i := range forms {
		looks[i].Form = &forms[i]
	}
	rows, visited := 0, 0
	_, err := r.grid(ref).Walk(func(row *xlsx.Row) error {
		if !IsComment(row) {
			rows++
		}
		if row.Number <= HeaderRows {
			for i := range looks {
				looks[i].Look(row)
			}
		}
		visited++
		return r.inTime(visited)
	})
	if err != nil {
		return err
	}
	why := diag.WhyUnknown
	if config.OwnMark(ref.Name) {
		why = diag.WhyMarked
	} else if like := likeliest(looks); like != nil && rows > 1 {
		why = diag.WhyProblem
		r.reportUnreadSheet(ref, like, rows-1)
	}
	if rows > 0 {
		r.made.Unread = append(r.made.Unread, diag.Unread{File: r.File, Sheet: ref.Name, Values: rows, Why: why})
	}
	return nil
}

// inTime stops a walk that takes too long.
func (r *fileReader) inTime(rows int) error {
	if rows%1000 == 0 && r.ctx.Err() != nil {
		return xlsx.TookLonger(r.In.Bounds.PerFile)
	}
	return nil
}

// likeliest returns the finder of the form that knows the most of a header that
// is whole for some form, nil where it is whole for none.
func likeliest(looks []HeaderFinder) *HeaderFinder {
	var best *HeaderFinder
	whole := false
	for i := range looks {
		f := &looks[i]
		whole = whole || f.isNearlyWhole()
		if best == nil || f.Matched > best.Matched ||
			f.Matched == best.Matched && f.isNearlyWhole() && !best.isNearlyWhole() {
			best = f
		}
	}
	if !whole {
		return nil
	}
	return best
}

// fewRequired is how many columns a tab must need at least, so that one of them
// may be missing and the sheet still looks like it.
const fewRequired = 3

// anyName is a header of lists of any sort.
const anyName = "name"

// isNearlyWhole reports whether some tab of the form has all the columns it
// needs, or of many all but one: that one may have another name here. A name and
// a status alone, as any list may have them, are no sheet of adsync's.
func (f *HeaderFinder) isNearlyWhole() bool {
	for _, s := range f.Sections {
		required, missing, own := 0, 0, false
		for i := range s.Tab.Columns {
			want := &s.Tab.Columns[i]
			if !want.Required {
				continue
			}
			required++
			number := s.Header.ColumnOf(func(have *catalog.Column) bool { return have == want })
			switch {
			case number > 0:
				own = own || want.IsOwn(s.Header.Written[number]) && resource.Fold(s.Header.Written[number]) != anyName
			case want.Role == catalog.RoleKind: // which no other column can stand for
				missing = required + fewRequired
			default:
				missing++
			}
		}
		if own && f.Matched > 1 && (missing == 0 || missing == 1 && required >= fewRequired) {
			return true
		}
	}
	return false
}

// reportUnreadSheet says what a sheet looks like, and the three ways out.
func (r *bookReader) reportUnreadSheet(ref xlsx.Sheet, like *HeaderFinder, rows int) {
	title := like.Form.Title
	r.report(diag.Cell(r.File, ref.Name, 0, 0), resource.Finding{
		Code: diag.UnknownKey,
		Message: fmt.Sprintf("sheet is named %q, looks like %s and is not read: %s; want a name adsync knows",
			ref.Name, title, diag.Counted(rows, "row", "rows")),
		Hint: fmt.Sprintf("name it %q, begin its name with # if it is your own", title),
	})
	if r.made.Unlisted == 0 {
		r.made.Pastes = append(r.made.Pastes, draft.Paste{
			Problem: len(r.made.Problems) - 1, Sheet: ref.Name, Title: title,
		})
	}
}
