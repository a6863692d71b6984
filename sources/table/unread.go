package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/synonyms"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// unreadColumn is a column with values that nothing reads.
type unreadColumn struct {
	number int
	why    diag.Why // "" until the rows are read
	values int
	judged int                     // values that were held against what the sheet has no column for
	fits   map[*catalog.Column]int // how many of those a column could hold
	noes   int                     // values that say no
}

// unreadReader says what of a table is not read, and asks what its headers mean.
type unreadReader struct {
	*head
	unread map[int]*unreadColumn   // by number: columns with values that are not read
	leaves bool                    // the row that is read has cells that are not
	unsaid map[int]*catalog.Column // by number: what columns are read as under a synonym, until it is said
}

// maxJudged is how many values of a column are held against what it could be.
const maxJudged = 1000

// noteUnread counts the values of a row that nothing reads. Those of a row whose
// kind is known are held against the columns the sheet does not have.
func (r *unreadReader) noteUnread(row *xlsx.Row, kindIsKnown bool) {
	if !r.leaves {
		return
	}
	for _, c := range row.Cells {
		if r.reads(c.Column) || r.isBeyond(c) || isBlankCell(c) {
			continue
		}
		u := r.unread[c.Column]
		if u == nil {
			u = &unreadColumn{number: c.Column}
			if r.unread == nil {
				r.unread = map[int]*unreadColumn{}
			}
			r.unread[c.Column] = u
		}
		u.values++
		if kindIsKnown && u.judged < maxJudged && r.headerOf(c.Column) != "" && !knows(r.Sections, c.Column) {
			r.judgeValue(u, row, c)
		}
	}
}

// isBlankCell reports whether people see nothing in a cell, though it may hold
// spaces, or a formula that gave an empty text.
func isBlankCell(c xlsx.Cell) bool {
	return c.Form == xlsx.TextCell && (!c.IsFormula || c.HasValue) && c.Meta == 0 && resource.IsBlank(c.Text)
}

// judgeValue finds the columns the sheet does not have and that could hold a
// value.
func (r *unreadReader) judgeValue(u *unreadColumn, row *xlsx.Row, c xlsx.Cell) {
	u.judged++
	if yes, ok := YesOrNo(c); ok && !yes {
		u.noes++
	}
	for _, m := range r.missingColumns() {
		if r.couldBe(m, c) && !r.hasAlternative(m, row) {
			if u.fits == nil {
				u.fits = map[*catalog.Column]int{}
			}
			u.fits[m]++
		}
	}
}

// missingColumns returns the columns of the section that the sheet does not have
// and whose values can be told from others.
func (r *unreadReader) missingColumns() []*catalog.Column {
	if r.missing != nil {
		return r.missing
	}
	r.missing = []*catalog.Column{}
	for i := range r.Tab.Columns {
		m := &r.Tab.Columns[i]
		if isTellable(m) && r.Header.ColumnOf(func(have *catalog.Column) bool {
			return have == m || m.Attribute != nil && have.Holds(m.Attribute)
		}) == 0 {
			r.missing = append(r.missing, m)
		}
	}
	return r.missing
}

// tellableTypes are those whose values are no plain text.
var tellableTypes = []resource.Type{
	resource.TypeMoney, resource.TypeDay, resource.TypeLast,
	resource.TypeRegion, resource.TypeURL, resource.TypeImage, resource.TypeMembers,
	resource.TypeChoice, resource.TypeSet, resource.TypeQuery, resource.TypeObject,
}

func isTellable(m *catalog.Column) bool {
	switch m.Role {
	case catalog.RoleUse, catalog.RoleInclude, catalog.RoleID:
		return true
	}
	return m.Role == catalog.RoleAttribute && slices.Contains(tellableTypes, m.Attribute.Type)
}

// hasAlternative reports whether the row gives what the column could not stand
// beside: a lifetime budget where there is a daily one.
func (r *unreadReader) hasAlternative(m *catalog.Column, row *xlsx.Row) bool {
	if m.Role != catalog.RoleAttribute {
		return false
	}
	group, ok := r.Tab.Schema.Group(m.Attribute)
	if !ok || !group.Exclusive {
		return false
	}
	return slices.ContainsFunc(row.Cells, func(c xlsx.Cell) bool {
		have := r.Header.Column(c.Column)
		if have == nil || have.Attribute == nil || isBlankCell(c) {
			return false
		}
		other, ok := r.Tab.Schema.Group(have.Attribute)
		return ok && other == group && have.Attribute != m.Attribute
	})
}

var (
	imageFile  = pattern.Of(`(?i)^https?://|\.(jpe?g|png|webp)$`)
	peopleFile = pattern.Of(`(?i)^[^\s]+\.(csv|tsv|txt)$`)
	queryText  = pattern.Of(`^[^\s=&]+=[^\s&]*(&[^\s=&]+=[^\s&]*)*$`)
	serviceID  = pattern.Of(`^[a-z]{2,12}_[0-9A-Za-z]{3,}$`)
)

// couldBe reports whether a value could stand in a column. What a formula gave
// last counts like a value.
func (r *unreadReader) couldBe(m *catalog.Column, c xlsx.Cell) bool {
	if c.IsFormula && !c.HasValue {
		return false
	}
	c.IsFormula = false
	switch m.Role {
	case catalog.RoleInclude:
		_, ok := YesOrNo(c)
		return ok && c.Form != xlsx.NumberCell
	case catalog.RoleUse:
		return slices.ContainsFunc(r.Tab.List.Uses, func(use catalog.ListUse) bool {
			return resource.Fold(use.Word) == resource.Fold(c.Text)
		})
	case catalog.RoleID:
		return c.Form == xlsx.TextCell && serviceID.MatchString(celltext.Trimmed(c.Text))
	}
	a := m.Attribute
	text, finding := r.Text(c, a.Type)
	if finding != nil || celltext.Trimmed(text) == "" {
		return false
	}
	if c.Form == xlsx.TextCell && celltext.AsksToClear(text, a.Type) {
		return a.Clearable
	}
	return r.fitsType(a, c, celltext.Trimmed(text))
}

func (r *unreadReader) fitsType(a *resource.Attribute, c xlsx.Cell, text string) bool {
	switch a.Type {
	case resource.TypeImage:
		return imageFile.MatchString(text)
	case resource.TypeMembers:
		return peopleFile.MatchString(text)
	case resource.TypeQuery:
		return queryText.MatchString(text)
	case resource.TypeObject:
		return strings.HasPrefix(text, "{")
	case resource.TypeRegion, resource.TypeSet:
		if _, word := YesOrNo(c); word && text != "NO" { // which is Norway
			return false
		}
		items, finding := celltext.ListItems(a, text)
		if finding != nil || len(items) == 0 {
			return false
		}
		_, findings := a.ParseList(items)
		return len(findings) == 0
	}
	_, finding := a.Parse(text, r.In.Env)
	return finding == nil
}

// judgeUnread says of every column with values that was not read what it is: the
// user's own, a problem, or one nobody knows.
func (r *unreadReader) judgeUnread() {
	for _, number := range slices.Sorted(maps.Keys(r.unread)) {
		u := r.unread[number]
		written := r.headerOf(number)
		u.why = r.whyUnread(u, written)
		if written == "" {
			written = "column " + diag.ColumnName(number)
		}
		r.made.Unread = append(r.made.Unread, diag.Unread{
			File: r.File, Sheet: r.Ref.Name, Column: written, Values: u.values, Why: u.why,
		})
	}
}

func (r *head) headerOf(number int) string {
	if number < len(r.Header.Written) {
		return r.Header.Written[number]
	}
	return ""
}

// whyUnread finds out why a column was not read, and reports what is a problem.
func (r *unreadReader) whyUnread(u *unreadColumn, written string) diag.Why {
	known := r.Sections[0].Header.Column(u.number)
	for _, s := range r.Sections[1:] {
		if known == nil {
			known = s.Header.Column(u.number)
		}
	}
	switch {
	case known != nil && (known.Ours == catalog.OursNotes || known.Ours == catalog.OursName):
		return diag.WhyPeople
	case known != nil || catalog.IsFigureHeader(written):
		return diag.WhyFilled
	case config.OwnMark(written):
		return diag.WhyMarked
	case written != "" && r.In.Layout.IsOwn(written):
		return diag.WhyOwn
	case r.told[u.number]:
		return diag.WhyProblem
	}
	return r.reportUnread(u, written)
}

// reportUnread reports a column nobody knows: as an error where it may hold what
// is meant for adsync.
func (r *unreadReader) reportUnread(u *unreadColumn, written string) diag.Why {
	position := r.At(r.Header.Number, u.number)
	switch {
	case written == "":
		return diag.WhyUnknown // of formulas: what has values and no header was reported in its row
	case r.asked(position, u, written) || r.misplaced(position, u, written):
		return diag.WhyProblem
	case synonyms.HasNothing(written) != "" || synonyms.HasNothing(celltext.FoldedHeader(written)) != "":
		return diag.WhyNoCounterpart
	}
	if near := r.Form.Nearest(written); near != "" {
		r.reportPasted(position, written, resource.Finding{
			Code: diag.UnknownKey, Message: fmt.Sprintf("header is %q; want one adsync knows", written),
			Hint: fmt.Sprintf("did you mean %q? Begin it with # if the column is your own", near),
		})
		return diag.WhyProblem
	}
	if meant := u.couldMean(); len(meant) > 0 {
		r.reportPasted(position, written, resource.Finding{
			Code: diag.UnknownKey,
			Message: fmt.Sprintf("header is %q, and %s under it could be %s; want one adsync knows",
				written, diag.Counted(u.values, "value", "values"), strings.Join(meant, " or ")),
			Hint: fmt.Sprintf("name it %s if that is meant. Begin it with # if the column is your own",
				quotedOr(meant)),
		})
		return diag.WhyProblem
	}
	r.reportPasted(position, written, resource.Finding{
		Code: diag.IgnoredRows, Severity: diag.Warning,
		Message: fmt.Sprintf("header is %q, which adsync does not know: %s not read", written, valuesAre(u)),
		Hint:    "begin it with # if the column is your own",
	})
	return diag.WhyUnknown
}

func quotedOr(titles []string) string {
	quoted := make([]string, len(titles))
	for i, title := range titles {
		quoted[i] = fmt.Sprintf("%q", title)
	}
	return diag.OrList(quoted)
}

// couldMean returns the headers that half of the values or more would fit under,
// and as many as under any other.
func (u *unreadColumn) couldMean() []string {
	most := 0
	for m, n := range u.fits {
		if m.Role != catalog.RoleInclude || u.noes > 0 { // a column that only says yes leaves nothing out
			most = max(most, n)
		}
	}
	if most == 0 || 2*most < u.judged {
		return nil
	}
	var titles []string
	for m, n := range u.fits {
		if n == most && (m.Role != catalog.RoleInclude || u.noes > 0) {
			titles = append(titles, m.Title)
		}
	}
	slices.Sort(titles)
	return titles
}

// reportPasted reports a column that adsync.yaml may list as the user's own.
func (f *fileReader) reportPasted(at diag.Position, header string, finding resource.Finding) {
	if f.report(at, finding); f.made.Unlisted == 0 {
		f.made.Pastes = append(f.made.Pastes, draft.Paste{Problem: len(f.made.Problems) - 1, Column: header})
	}
}

// PasteLines ends the hints of the columns and sheets of all files that are not
// read with the line of adsync.yaml that helps. A line names the column it stands
// at and those nobody takes for adsync's: none that another problem asks about.
func PasteLines(results []draft.Result, l config.Layout) {
	for i := range results {
		for _, p := range results[i].Pastes {
			if p.Sheet != "" {
				l.Name(p.Sheet, p.Title)
			}
		}
	}
	columns := pastedColumns(results)
	for i := range results {
		for _, p := range results[i].Pastes {
			line := l.SheetsLine()
			if p.Sheet == "" {
				line = l.OwnColumnsLine(columnsBeside(columns, p.Column)...)
			}
			problem := &results[i].Problems[p.Problem]
			problem.Hint += ", or write in adsync.yaml: " + line
		}
	}
}

// pastedColumn is a header that may be listed as the user's own.
type pastedColumn struct {
	header, folded string
	asked          bool // a problem asks what it is, wherever it stands
}

// pastedColumns are the headers of all files, each once.
func pastedColumns(results []draft.Result) []pastedColumn {
	var columns []pastedColumn
	at := map[string]int{}
	for i := range results {
		for _, p := range results[i].Pastes {
			folded := resource.Fold(p.Column)
			if _, known := at[folded]; !known && p.Column != "" {
				at[folded] = len(columns)
				columns = append(columns, pastedColumn{header: p.Column, folded: folded})
			}
			if p.Column != "" && results[i].Problems[p.Problem].Severity == diag.Error {
				columns[at[folded]].asked = true
			}
		}
	}
	return columns
}

func columnsBeside(columns []pastedColumn, header string) []string {
	folded := resource.Fold(header)
	var beside []string
	for _, c := range columns {
		if !c.asked || c.folded == folded {
			beside = append(beside, c.header)
		}
	}
	return beside
}
