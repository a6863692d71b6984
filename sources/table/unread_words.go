package table

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/synonyms"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
)

// Headers that are not adsync's own words: read under a synonym, or not read
// because they can mean two things, stand on the wrong sheet, or are of another
// tool's export.

// findSynonyms notes which columns of the header are read under a synonym, to be
// said once a column has a value.
func (r *unreadReader) findSynonyms() {
	for number, written := range r.Sections[0].Header.Written {
		c := r.readAs(number)
		if c == nil || written == "" || c.IsOwn(written) {
			continue
		}
		if r.unsaid == nil {
			r.unsaid = map[int]*catalog.Column{}
		}
		r.unsaid[number] = c
	}
}

// readAs returns what a column is to the first section that reads it, nil where
// one reads it under its own name or none does.
func (r *unreadReader) readAs(number int) *catalog.Column {
	var first *catalog.Column
	for _, s := range r.Sections {
		c := s.Header.Column(number)
		if c == nil || c.Role == catalog.RoleOurs {
			continue
		}
		if c.IsOwn(s.Header.Written[number]) {
			return nil
		}
		if first == nil {
			first = c
		}
	}
	return first
}

// saySynonym says what a column is read as, once it has a value.
func (r *unreadReader) saySynonym(number int) {
	c := r.unsaid[number]
	delete(r.unsaid, number)
	if !r.told[number] {
		r.report(r.At(r.Header.Number, number), resource.Finding{
			Code: diag.ReadAs, Severity: diag.Note,
			Message: fmt.Sprintf("header %q is read as %s", r.headerOf(number), r.titled(c)),
		})
	}
}

// titled is the header of a column as the template writes it.
func (r *head) titled(c *catalog.Column) string {
	if c.Attribute != nil && c.Attribute.Type == resource.TypeMoney && r.In.Env.Currency != "" {
		return c.Title + " (" + r.In.Env.Currency + ")"
	}
	return c.Title
}

// asked reports a header that can mean two things, or one that is set elsewhere.
func (r *unreadReader) asked(position diag.Position, u *unreadColumn, written string) bool {
	q := r.questionOf(written)
	if q == nil || q.Alone && r.hasAny(q.Could) {
		return false
	}
	titles := r.titlesOf(q)
	meant := diag.OrList(titles)
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
func (r *unreadReader) leaveOpen(titles []string) {
	for i := range r.made.Drafts {
		d := &r.made.Drafts[i]
		if d.Position.Sheet() != r.Ref.Name {
			continue
		}
		for _, s := range r.Sections {
			for k := range s.Tab.Columns {
				if c := &s.Tab.Columns[k]; c.Attribute != nil &&
					slices.Contains(titles, c.Title) && !d.Attributes.Value(c.Attribute.Name).IsSet() {
					d.Rejected = append(d.Rejected, c.Attribute.Name)
				}
			}
		}
	}
}

// hasAny reports whether the sheet has one of the columns.
func (r *unreadReader) hasAny(titles []string) bool {
	return r.Header.ColumnOf(func(c *catalog.Column) bool { return slices.Contains(titles, c.Title) }) > 0
}

func (r *unreadReader) questionOf(written string) *synonyms.Question {
	for _, s := range r.Sections {
		for _, header := range []string{written, celltext.FoldedHeader(written)} {
			if q := synonyms.Ask(s.Tab.Title, header); q != nil {
				return q
			}
		}
	}
	return nil
}

func valuesAre(u *unreadColumn) string { return diag.Counted(u.values, "value is", "values are") }

// titlesOf are the headers a question asks between, as the template writes them.
func (r *unreadReader) titlesOf(q *synonyms.Question) []string {
	var titles []string
	for _, t := range r.allTabs() {
		if sheet := q.On; t.List != nil || t.Title != sheet && (sheet != "" || t.Title != q.Sheet) {
			continue
		}
		for i := range t.Columns {
			if c := &t.Columns[i]; slices.Contains(q.Could, c.Title) && !slices.Contains(titles, r.titled(c)) {
				titles = append(titles, r.titled(c))
			}
		}
	}
	return titles
}

// misplaced reports a header of another sheet of the same tree: a campaign's
// last day among the ads.
func (r *unreadReader) misplaced(position diag.Position, u *unreadColumn, written string) bool {
	if len(r.Sections) > 1 {
		return false // rows of every kind: it is a column of none
	}
	for _, t := range r.allTabs() {
		if t.List != nil || t.Title == r.Form.Title || r.rootOf(t.Schema) != r.rootOf(r.Tab.Schema) {
			continue
		}
		c := t.ColumnFor(written)
		if c == nil || c.Role != catalog.RoleAttribute && c.Role != catalog.RoleSelector {
			continue
		}
		r.report(position, resource.Finding{
			Code: diag.UnknownKey,
			Message: fmt.Sprintf("header is %q, which %s has as %s and %s does not: %s not read; want it there",
				written, t.Title, r.titled(c), r.Form.Title, valuesAre(u)),
			Hint: "begin it with # if it is here to be looked at",
		})
		return true
	}
	return false
}

// allTabs are those of every sheet.
func (r *fileReader) allTabs() []catalog.Tab {
	if r.tabs == nil {
		for _, f := range catalog.Forms(&r.In) {
			r.tabs = append(r.tabs, f.Tabs...)
		}
	}
	return r.tabs
}

// rootOf is the kind at the top of a tree.
func (r *unreadReader) rootOf(s *resource.Schema) resource.Kind {
	for s.Parent != "" {
		s = r.In.Schemas.Of(s.Parent)
	}
	return s.Kind
}
