package sources

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/synonyms"
)

// Headers that are not adsync's own words: read under a synonym, or not read
// because they can mean two things, stand on the wrong sheet, or are of another
// tool's export.

// findSynonyms notes which columns of the header are read under a synonym, to be
// said once a column has a value.
func (r *tabReader) findSynonyms() {
	for number, written := range r.sections[0].header.written {
		c := r.readAs(number)
		if c == nil || written == "" || c.isOwn(written) {
			continue
		}
		if r.unsaid == nil {
			r.unsaid = map[int]*column{}
		}
		r.unsaid[number] = c
	}
}

// readAs returns what a column is to the first section that reads it, nil where
// one reads it under its own name or none does.
func (r *tabReader) readAs(number int) *column {
	var first *column
	for _, s := range r.sections {
		c := s.header.column(number)
		if c == nil || c.role == roleOurs {
			continue
		}
		if c.isOwn(s.header.written[number]) {
			return nil
		}
		if first == nil {
			first = c
		}
	}
	return first
}

// saySynonym says what a column is read as, once it has a value.
func (r *tabReader) saySynonym(number int) {
	c := r.unsaid[number]
	delete(r.unsaid, number)
	if !r.told[number] {
		r.report(r.at(r.header.number, number), resource.Finding{
			Code: diag.ReadAs, Severity: diag.Note,
			Message: fmt.Sprintf("header %q is read as %s", r.headerOf(number), r.titled(c)),
		})
	}
}

// titled is the header of a column as the template writes it.
func (r *tabReader) titled(c *column) string {
	if c.attribute != nil && c.attribute.Type == resource.TypeMoney && r.in.env.Currency != "" {
		return c.title + " (" + r.in.env.Currency + ")"
	}
	return c.title
}

// asked reports a header that can mean two things, or one that is set elsewhere.
func (r *tabReader) asked(position diag.Position, u *unreadColumn, written string) bool {
	q := r.questionOf(written)
	if q == nil || q.Alone && r.hasAny(q.Could) {
		return false
	}
	titles := r.titlesOf(q)
	meant := orList(titles)
	finding := resource.Finding{
		Code: diag.UnknownKey, Hint: fmt.Sprintf("name it %s. Begin it with # if the column is your own",
			quotedOr(titles)),
	}
	switch {
	case q.On != "":
		finding.Message = fmt.Sprintf("header is %q, and %s "+
			"not read: a whole campaign has one; want it on the sheet %s, as %s", written, valuesAre(u), q.On, meant)
		finding.Hint = "begin it with # if it is here to be looked at"
	case len(titles) == 1:
		finding.Message = fmt.Sprintf("header is %q, which could be %s: %s; want it clear", written, meant, q.Why)
	case q.Why != "":
		finding.Message = fmt.Sprintf("header is %q, which can mean %s: %s; want it clear", written, meant, q.Why)
	default:
		finding.Message = fmt.Sprintf("header is %q, which can mean %s; want one of them", written, meant)
	}
	if q.On != "" { // own_columns would hold for that sheet too
		r.report(position, finding)
	} else {
		r.reportPasted(position, written, finding)
	}
	r.leaveOpen(q.Could)
	return true
}

// leaveOpen takes the attributes that a question asks about for written in every row of
// the sheet: that one is missing would be said of each row, and has one cause.
func (r *tabReader) leaveOpen(titles []string) {
	for i := range r.made.drafts {
		d := &r.made.drafts[i]
		if d.position.Sheet() != r.ref.Name {
			continue
		}
		for _, s := range r.sections {
			for k := range s.tab.columns {
				if c := &s.tab.columns[k]; c.attribute != nil &&
					slices.Contains(titles, c.title) && !d.attributes.Value(c.attribute.Name).IsSet() {
					d.rejected = append(d.rejected, c.attribute.Name)
				}
			}
		}
	}
}

// hasAny reports whether the sheet has one of the columns.
func (r *tabReader) hasAny(titles []string) bool {
	return r.header.columnOf(func(c *column) bool { return slices.Contains(titles, c.title) }) > 0
}

func (r *tabReader) questionOf(written string) *synonyms.Question {
	for _, s := range r.sections {
		for _, header := range []string{written, foldedHeader(written)} {
			if q := synonyms.Ask(s.tab.title, header); q != nil {
				return q
			}
		}
	}
	return nil
}

func valuesAre(u *unreadColumn) string { return counted(u.values, "value is", "values are") }

// titlesOf are the headers a question asks between, as the template writes them.
func (r *tabReader) titlesOf(q *synonyms.Question) []string {
	var titles []string
	for _, t := range r.allTabs() {
		if sheet := q.On; t.list != nil || t.title != sheet && (sheet != "" || t.title != q.Sheet) {
			continue
		}
		for i := range t.columns {
			if c := &t.columns[i]; slices.Contains(q.Could, c.title) && !slices.Contains(titles, r.titled(c)) {
				titles = append(titles, r.titled(c))
			}
		}
	}
	return titles
}

// misplaced reports a header of another sheet of the same tree: a campaign's
// last day among the ads.
func (r *tabReader) misplaced(position diag.Position, u *unreadColumn, written string) bool {
	if len(r.sections) > 1 {
		return false // rows of every kind: it is a column of none
	}
	for _, t := range r.allTabs() {
		if t.list != nil || t.title == r.form.title || r.rootOf(t.schema) != r.rootOf(r.tab.schema) {
			continue
		}
		c := t.columnFor(written)
		if c == nil || c.role != roleAttribute && c.role != roleSelector {
			continue
		}
		r.report(position, resource.Finding{
			Code: diag.UnknownKey,
			Message: fmt.Sprintf("header is %q, which %s has as %s and %s does not: %s not read; want it there",
				written, t.title, r.titled(c), r.form.title, valuesAre(u)),
			Hint: "begin it with # if it is here to be looked at",
		})
		return true
	}
	return false
}

// allTabs are those of every sheet.
func (r *fileReader) allTabs() []tab {
	if r.tabs == nil {
		for _, f := range forms(&r.in) {
			r.tabs = append(r.tabs, f.tabs...)
		}
	}
	return r.tabs
}

// rootOf is the kind at the top of a tree.
func (r *tabReader) rootOf(s *resource.Schema) resource.Kind {
	for s.Parent != "" {
		s = r.in.schemas.Of(s.Parent)
	}
	return s.Kind
}
