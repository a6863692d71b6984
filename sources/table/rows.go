package table

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/draft"
)

// Reader reads the rows of one sheet, or of one CSV file.
type Reader struct {
	*head
	*merges
	*unreadReader
	asideReader
	sampleReader
	parentCells
	entryReader
	draftReader
	visited int
	hidden  int // hidden rows that were read
}

// newReader returns a reader of the rows of a form.
func newReader(h *head) *Reader {
	merged := &merges{head: h}
	parents := parentCells{head: h, merges: merged}
	return &Reader{
		head: h, merges: merged, unreadReader: &unreadReader{head: h}, asideReader: asideReader{head: h},
		sampleReader: sampleReader{head: h}, parentCells: parents,
		entryReader: entryReader{head: h, parentCells: parents},
		draftReader: draftReader{
			head: h, parentCells: parents, calculations: calculations{head: h}, rowPictures: rowPictures{head: h},
		},
	}
}

// Open walks the sheet to its end, finds its header and holds it to the bounds.
func (r *head) Open() error {
	finder := HeaderFinder{Form: r.Form}
	seen := 0
	facts, err := r.Walk(func(row *xlsx.Row) error {
		finder.Look(row)
		seen++
		return r.inTime(seen)
	})
	if err != nil {
		return err
	}
	name, bound := "rows", r.In.Bounds.SheetRows
	if r.Form.Many() {
		name, bound = "hints", r.In.Bounds.HintRows
	}
	if facts.Filled > bound {
		return r.In.Bounds.TooManyRows(name, facts.Filled, bound)
	}
	r.Facts, r.Sections, r.Matched, r.told = facts, finder.Sections, finder.Matched, map[int]bool{}
	r.Section = &Section{Tab: &r.Form.Tabs[0]}
	if r.Matched > 0 {
		r.Section = r.Sections[0]
	}
	return nil
}

// readRows makes what the rows below the header say.
func (r *Reader) readRows() error {
	if r.Facts.Filled == 0 || !r.hasHeader() || len(r.Sections) == 1 && !r.checkSection() {
		return nil
	}
	r.checkMerges()
	r.findSynonyms()
	r.samples.belowHead = true
	facts, err := r.Walk(func(row *xlsx.Row) error {
		r.visited++
		if row.Number > r.Header.Number {
			r.readRow(row)
		}
		return r.inTime(r.visited)
	})
	if err == nil && (facts.Filled != r.Facts.Filled || r.visited != facts.Filled) {
		return fmt.Errorf("%d rows were read where %d are written", r.visited, r.Facts.Filled)
	}
	r.judgeUnread()
	r.reportBlock()
	r.reportPictures()
	r.warnHidden()
	r.warnCalculated()
	return err
}

// merges are the whole rows with merged cells that are read, disjoint and ascending.
type merges struct {
	*head
	merged []xlsx.Area
}

// checkMerges reports merged cells from the header down in the columns that
// are read: only the first of them holds the value.
func (r *merges) checkMerges() {
	merges := slices.SortedFunc(slices.Values(r.Facts.Merges), func(a, b xlsx.Area) int {
		return a.FromRow - b.FromRow
	})
	read := r.readColumns()
	for _, m := range merges {
		if r.mergeMatters(m, read) {
			r.merged = joinRows(r.merged, m)
			r.report(r.At(m.FromRow, m.FromColumn), resource.Finding{
				Code: diag.MergedCell,
				Message: fmt.Sprintf("cells %s%d to %s%d are merged; want one value a cell",
					diag.ColumnName(m.FromColumn), m.FromRow, diag.ColumnName(m.ToColumn), m.ToRow),
				Hint: "unmerge the cells and fill each of them",
			})
		}
	}
}

// joinRows adds the rows of an area to spans that ascend and do not touch.
func joinRows(spans []xlsx.Area, m xlsx.Area) []xlsx.Area {
	last := len(spans) - 1
	if last >= 0 && m.FromRow <= spans[last].ToRow {
		spans[last].ToRow = max(spans[last].ToRow, m.ToRow)
		return spans
	}
	return append(spans, xlsx.Area{FromRow: m.FromRow, ToRow: m.ToRow})
}

func (r *merges) mergeMatters(m xlsx.Area, read []int) bool {
	if m.ToRow < r.Header.Number || m.FromRow == m.ToRow && m.FromColumn == m.ToColumn {
		return false
	}
	return slices.ContainsFunc(read, func(column int) bool { return m.FromColumn <= column && column <= m.ToColumn })
}

// readColumns are the numbers of the columns that are read.
func (r *head) readColumns() []int {
	var read []int
	for number := range r.Header.Columns {
		if r.reads(number) {
			read = append(read, number)
		}
	}
	return read
}

// reads reports whether a column is read in the rows of some section.
func (r *head) reads(number int) bool {
	return slices.ContainsFunc(r.Sections, func(s *Section) bool {
		c := s.Header.Column(number)
		return c != nil && c.Role != catalog.RoleOurs
	})
}

// rowIsMerged reports whether a row has merged cells in columns that are read.
func (r *merges) rowIsMerged(row int) bool {
	i, _ := slices.BinarySearchFunc(r.merged, row, func(a xlsx.Area, row int) int { return a.ToRow - row })
	return i < len(r.merged) && r.merged[i].FromRow <= row
}

func (r *Reader) warnHidden() {
	columns := 0
	for _, number := range r.readColumns() {
		if slices.ContainsFunc(r.Facts.Hidden, func(a xlsx.Area) bool { return a.Has(1, number) }) {
			columns++
		}
	}
	var parts []string
	if r.Ref.Hidden {
		parts = append(parts, "the sheet is hidden")
	}
	if r.hidden > 0 {
		parts = append(parts, diag.Counted(r.hidden, "row is hidden", "rows are hidden"))
	}
	if columns > 0 {
		parts = append(parts, diag.Counted(columns, "column is hidden", "columns are hidden"))
	}
	if len(parts) > 0 && r.visited > 0 {
		r.report(r.At(0, 0), resource.Finding{
			Code: diag.HiddenCells, Severity: diag.Warning,
			Message: strings.Join(parts, " and ") + ", and read like the others",
		})
	}
}

// readRow decides what a row is: a remark, left out, blank, or something to read.
func (r *Reader) readRow(row *xlsx.Row) {
	switch {
	case IsComment(row) || r.isSample(row) || r.isAside(row):
		r.made.Rows.Read++
		r.made.Rows.Ignored++
		return
	case !r.saysSomething(row):
		r.noteUnread(row, false)
		return
	}
	r.made.Rows.Read++
	if row.Hidden {
		r.hidden++
	}
	r.from = len(r.made.Problems)
	included, finding := r.included(row)
	r.unsure = finding != nil
	switch {
	case (r.unsure || included) && (r.isWide(row) || r.refuseHeader(row) || !r.choose(row) || !r.checkSection()):
		r.noteUnread(row, false)
		r.made.Rows.Failed++
	case !r.unsure && !included:
		r.made.Rows.Ignored++
		r.leaveOut(row)
	case r.Tab.List != nil:
		r.noteUnread(row, true)
		r.readEntry(row)
	default:
		r.noteUnread(row, true)
		r.readDraft(row)
	}
}

// saysSomething reports whether any column that is read has a value, and reports
// values under no header.
func (r *Reader) saysSomething(row *xlsx.Row) bool {
	says := false
	r.leaves = false
	for _, c := range row.Cells {
		read := r.reads(c.Column)
		r.leaves = r.leaves || !read
		says = says || read || r.isBeyond(c)
		if read {
			if len(r.unsaid) > 0 && r.unsaid[c.Column] != nil && !isBlankCell(c) {
				r.saySynonym(c.Column)
			}
			continue
		}
		if r.headerOf(c.Column) == "" && !c.IsFormula && !r.isBeyond(c) && !isBlankCell(c) && !r.told[c.Column] {
			r.told[c.Column] = true
			r.report(r.At(row.Number, c.Column), resource.Finding{
				Code: diag.UnknownKey, Message: fmt.Sprintf("column %s has a value and no header; want a header",
					diag.ColumnName(c.Column)),
				Hint: "begin its header with # if the column is your own",
			})
		}
	}
	return says
}

// included reads the column Include.
func (r *head) included(row *xlsx.Row) (bool, *resource.Finding) {
	for _, c := range row.Cells {
		known := r.Sections[0].Header.Column(c.Column)
		if known == nil || known.Role != catalog.RoleInclude {
			continue
		}
		yes, ok := YesOrNo(c)
		if ok {
			return yes, nil
		}
		finding := &resource.Finding{
			Code: diag.BadChoice, Message: fmt.Sprintf("Include is %q; want yes or no", c.Text),
		}
		r.report(r.At(row.Number, c.Column), *finding)
		return false, finding
	}
	return true, nil
}

// leaveOut keeps what others call a row that says Include = no: what is beneath it is
// left out with it.
func (r *Reader) leaveOut(row *xlsx.Row) {
	before, unlisted, unlistedError := len(r.made.Problems), r.made.Unlisted, r.made.UnlistedError
	defer func() {
		r.made.Problems = r.made.Problems[:before]
		r.made.Unlisted, r.made.UnlistedError = unlisted, unlistedError
	}()
	if !r.choose(row) || r.Tab.List != nil {
		return
	}
	d := &draft.Draft{Schema: r.Tab.Schema, Position: r.At(row.Number, 0), Parents: r.emptyParents(row.Number)}
	for _, c := range row.Cells {
		known := r.Header.Column(c.Column)
		switch position := r.At(row.Number, c.Column); {
		case known == nil:
		case known.Role == catalog.RoleParent:
			r.readParent(d, known, position, c)
		case known.Role == catalog.RoleKey:
			r.readExact(d, known.Role, position, c)
		case known.Role == catalog.RoleAttribute:
			if text, finding := r.Text(c, resource.TypeText); finding == nil {
				draft.CallName(d, known.Attribute, text)
			}
		}
	}
	r.made.Left = append(r.made.Left, *d)
}

// YesOrNo returns what a cell says of yes and no; ok is false where it says neither.
func YesOrNo(c xlsx.Cell) (yes, ok bool) {
	switch word := resource.Fold(c.Text); {
	case c.Form == xlsx.ErrorCell || c.IsFormula && !c.HasValue:
		return false, false
	case slices.Contains([]string{"yes", "y", "true", "1", ""}, word):
		return true, true
	case slices.Contains([]string{"no", "n", "false", "0"}, word):
		return false, true
	}
	return false, false
}

// Visit goes through the cells of the rows that are read, each with its column;
// rows that are left out, remarks and samples are not among them.
func (r *Reader) Visit(see func(known *catalog.Column, at xlsx.At, c xlsx.Cell)) error {
	if r.Facts.Filled == 0 || !r.hasHeader() || len(r.Sections) == 1 && !r.checkSection() {
		return nil
	}
	r.samples.belowHead = true
	_, err := r.Walk(func(row *xlsx.Row) error {
		if row.Number <= r.Header.Number || IsComment(row) || r.isSample(row) || !r.saysSomething(row) {
			return nil
		}
		if included, finding := r.included(row); finding != nil ||
			!included || r.isWide(row) || !r.choose(row) || !r.checkSection() {
			return nil
		}
		for _, c := range row.Cells {
			if known := r.Header.Column(c.Column); known != nil {
				see(known, xlsx.At{Row: row.Number, Column: c.Column}, c)
			}
		}
		return nil
	})
	return err
}
