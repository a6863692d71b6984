package sources_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/office"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/look"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
)

// promised is one sheet of a template, and what formats.md section 3 promises of
// every sheet, whatever the kinds.
type promised struct {
	t      *testing.T
	file   *excelize.File
	form   *catalog.Form
	title  string
	header []string
	notes  map[string]string // by cell
	checks []*excelize.DataValidation
	rules  map[string][]excelize.ConditionalFormatOptions
	names  []string // defined
}

func TestEverySheetKeepsWhatIsPromised(t *testing.T) {
	content := writtenBy(t, func(w io.Writer) error { return workbook.WriteTemplate(w, kinds.All(), dollars) })
	f := opened(t, content)
	forms := catalog.FormsOf(kinds.All())
	for i := range forms {
		if forms[i].Tabs[0].Schema.Extra {
			continue
		}
		t.Run(forms[i].Title, func(t *testing.T) {
			p := promise(t, f, &forms[i])
			p.frozenFilteredAndFree()
			p.exampleRow()
			for k := range p.header {
				p.column(k)
			}
		})
	}
}

func promise(t *testing.T, f *excelize.File, form *catalog.Form) *promised {
	t.Helper()
	p := &promised{t: t, file: f, form: form, title: form.Title, notes: map[string]string{}}
	rows, err := f.GetRows(p.title)
	must(t, err)
	p.header = rows[0]
	comments, err := f.GetComments(p.title)
	must(t, err)
	for _, c := range comments {
		p.notes[c.Cell] = c.Text
	}
	p.checks, err = f.GetDataValidations(p.title)
	must(t, err)
	p.rules, err = f.GetConditionalFormats(p.title)
	must(t, err)
	for _, name := range f.GetDefinedName() {
		p.names = append(p.names, name.Name)
	}
	return p
}

// frozenFilteredAndFree: header and first column are frozen, there is a filter,
// no protection, and it prints across with its header.
func (p *promised) frozenFilteredAndFree() {
	panes, err := p.file.GetPanes(p.title)
	must(p.t, err)
	if !panes.Freeze || panes.XSplit != 1 || panes.YSplit != 1 {
		p.t.Errorf("panes = %+v, want the first row and column frozen", panes)
	}
	refers := map[string]string{}
	for _, name := range p.file.GetDefinedName() {
		if name.Scope == p.title {
			refers[name.Name] = name.RefersTo
		}
	}
	plain := func(area string) string { return strings.ReplaceAll(area, "'", "") }
	got, want := refers["_xlnm._FilterDatabase"],
		fmt.Sprintf("'%s'!$A$1:$%s$", p.title, diag.ColumnName(len(p.header)))
	if !strings.HasPrefix(plain(got), plain(want)) {
		p.t.Errorf("the filter is on %q, want every column from the header down", got)
	}
	if got := refers["_xlnm.Print_Titles"]; !strings.HasSuffix(got, "!$1:$1") {
		p.t.Errorf("every page repeats %q, want the header", got)
	}
	props, err := p.file.GetSheetProps(p.title)
	must(p.t, err)
	page, err := p.file.GetPageLayout(p.title)
	must(p.t, err)
	if props.TabColorRGB == nil || !*props.FitToPage || *page.Orientation != "landscape" || *page.FitToWidth != 1 {
		p.t.Errorf("tab colour %v, fit %v, %s, %d wide; want a colour, and landscape as wide as a page",
			props.TabColorRGB, *props.FitToPage, *page.Orientation, *page.FitToWidth)
	}
}

// exampleRow: one row, which begins with #.
func (p *promised) exampleRow() {
	rows, err := p.file.GetRows(p.title)
	must(p.t, err)
	if len(rows) < 2 || !strings.HasPrefix(rows[1][0], "# ") {
		p.t.Fatalf("row 2 is no example: %q", rows[1:])
	}
	for i, row := range rows[2:] {
		if text := strings.Join(row, ""); text != "" {
			p.t.Errorf("row %d holds %q, want it free", i+3, text)
		}
	}
}

// known finds the description of a column by its header.
func (p *promised) known(k int) *catalog.Column {
	for i := range p.form.Tabs {
		if c := p.form.Tabs[i].ColumnFor(p.header[k]); c != nil {
			return c
		}
	}
	p.t.Fatalf("header %q is none the reader knows", p.header[k])
	return nil
}

func (p *promised) column(k int) {
	c, letter := p.known(k), diag.ColumnName(k+1)
	p.note(c, p.notes[letter+"1"])
	p.dropDown(c, letter)
	p.look(c, letter)
	p.counts(c, k)
}

// note: what it is, what a blank cell means, and an example.
func (p *promised) note(c *catalog.Column, note string) {
	if !strings.Contains(note, strings.SplitN(c.Help, "\n", 2)[0]) && len(p.form.Tabs) == 1 || note == "" {
		p.t.Errorf("%s: the note %q does not say what the column is", c.Title, note)
	}
	if c.Role == catalog.RoleOurs {
		return
	}
	if !strings.Contains(note, "Blank:") && !strings.Contains(note, "Every row needs it.") {
		p.t.Errorf("%s: the note %q does not say what blank means", c.Title, note)
	}
	if c.Role != catalog.RoleID && !strings.Contains(note, "Example: ") {
		p.t.Errorf("%s: the note %q has no example", c.Title, note)
	}
	if c.Role == catalog.RoleAttribute && c.Attribute.Type == resource.TypeChoice &&
		!strings.Contains(note, c.Attribute.Choices[0].Value) {
		p.t.Errorf("%s: the note %q has no values", c.Title, note)
	}
}

func (p *promised) check(letter string) *excelize.DataValidation {
	i := slices.IndexFunc(p.checks, func(c *excelize.DataValidation) bool {
		return strings.HasPrefix(c.Sqref, letter+"2:")
	})
	if i < 0 {
		return nil
	}
	return p.checks[i]
}

// dropDown: choices come from a named range, and a value that is none of them is
// warned of and taken.
func (p *promised) dropDown(c *catalog.Column, letter string) {
	check := p.check(letter)
	wanted := slices.Contains([]catalog.ColumnRole{catalog.RoleInclude,
		catalog.RoleUse, catalog.RoleParent, catalog.RoleKind}, c.Role) ||
		c.Role == catalog.RoleAttribute && c.Attribute.Type == resource.TypeChoice
	if !wanted {
		return
	}
	if check == nil || check.Type != "list" || !slices.Contains(p.names, check.Formula1) ||
		*check.ErrorStyle != "warning" {
		p.t.Errorf("%s: the check is %+v, want a drop-down from a named range that only warns", c.Title, check)
	}
}

// look: ids and keys are text, amounts are in the account's currency, days are
// days, and what adsync fills is grey.
func (p *promised) look(c *catalog.Column, letter string) {
	number, err := p.file.GetColStyle(p.title, letter)
	must(p.t, err)
	style, err := p.file.GetStyle(number)
	must(p.t, err)
	format := ""
	if style.CustomNumFmt != nil {
		format = *style.CustomNumFmt
	}
	isID := c.Role == catalog.RoleAttribute &&
		(c.Attribute.Type == resource.TypeID || c.Attribute.Type == resource.TypeIDs)
	if (c.Role == catalog.RoleKey || c.Role == catalog.RoleID || isID) != (style.NumFmt == 49) &&
		c.Role != catalog.RoleItem {
		p.t.Errorf("%s: number format %d %q, want text for ids and keys alone", c.Title, style.NumFmt, format)
	}
	if c.Role == catalog.RoleAttribute && c.Attribute.Type == resource.TypeMoney && !strings.HasPrefix(format, "[$$]") {
		p.t.Errorf("%s: number format %q, want the account's currency", c.Title, format)
	}
	if c.Role == catalog.RoleAttribute && c.Attribute.Type == resource.TypeDay && format != "yyyy-mm-dd" {
		p.t.Errorf("%s: number format %q, want days", c.Title, format)
	}
	grey := len(style.Fill.Color) > 0 && style.Fill.Color[0] == look.ColourReadOnly
	if grey != workbook.IsReadOnly(c) {
		p.t.Errorf("%s: grey %v, read-only %v; want both or neither", c.Title, grey, workbook.IsReadOnly(c))
	}
}

// counts: a short text is checked while it is typed; it and its counter turn red
// when it is too long; statuses have colours.
func (p *promised) counts(c *catalog.Column, k int) {
	cells := p.rules[fmt.Sprintf("%s2:%s%d", diag.ColumnName(k+1), diag.ColumnName(k+1), xlsx.LastRow)]
	switch {
	case c.Role == catalog.RoleAttribute && workbook.IsCounted(c.Attribute), c.Ours == catalog.OursLength:
		if len(cells) != 1 || !strings.Contains(cells[0].Criteria, fmt.Sprintf(")>%d", c.Attribute.Max)) {
			p.t.Errorf("%s: colours are %+v, want red over %d", c.Title, cells, c.Attribute.Max)
		}
	case c.Role == catalog.RoleAttribute && c.Attribute.Spend == resource.Delivery:
		if len(cells) != len(look.StatusTones) {
			p.t.Errorf("%s: colours are %+v, want one a status", c.Title, cells)
		}
	}
	if c.Ours != catalog.OursLength && c.Role == catalog.RoleAttribute && workbook.IsCounted(c.Attribute) {
		if check := p.check(diag.ColumnName(k + 1)); check == nil ||
			check.Type != "textLength" || *check.ErrorStyle != "warning" {
			p.t.Errorf("%s: the check is %+v, want a warning when it is too long", c.Title, check)
		}
	}
}

// No macros, and nothing is protected: the workbook is the user's own.
func TestTemplatesAreFree(t *testing.T) {
	content := writtenBy(t, func(w io.Writer) error { return workbook.WriteTemplate(w, kinds.All(), dollars) })
	for name, part := range partsOf(t, content) {
		if strings.Contains(strings.ToLower(name), "vba") || strings.Contains(part, "<sheetProtection") ||
			strings.Contains(part, "<workbookProtection") {
			t.Errorf("%s is protected, or a macro", name)
		}
	}
}

// The ranges of the drop-downs hold what is there, and what is added: names of
// parents as far as there are any.
func TestDropDownsFollowTheRows(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	f := opened(t, exported(t, shopSnapshot(t)))
	must(t, f.SetCellStr("Campaigns", "A3", "Summer"))
	_, err := f.NewSheet("Count")
	must(t, err)
	for i, name := range []string{"names_campaign", "names_ad_group", "choices_campaign_status", "choices_include"} {
		must(t, f.SetCellFormula("Count", fmt.Sprintf("A%d", i+1), "ROWS("+name+")"))
	}
	dir := t.TempDir()
	book := filepath.Join(dir, "book.xlsx")
	must(t, f.SaveAs(book))
	must(t, office.Convert(office.AsCSVs, dir, book))
	got, err := os.ReadFile(filepath.Join(dir, "book-Count.csv"))
	must(t, err)
	if want := "2\n1\n3\n2\n"; string(got) != want {
		t.Errorf("the ranges have %q rows, want %q: two campaigns, an ad group, three statuses, yes and no", got, want)
	}
}
