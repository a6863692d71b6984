package table

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/catalog"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// csvChoice is what a CSV file turns out to hold.
type csvChoice struct {
	Form      *catalog.Form
	Delimiter byte
	declared  bool // by a first line sep=;
}

// csvChooser finds out which sheet a CSV file is, and what separates its fields:
// by a column Kind, by the file's name, by its header, in this order.
type csvChooser struct {
	forms      []catalog.Form
	all        catalog.Form // rows of every kind
	delimiters []byte
	declared   bool
	samples    map[byte][]xlsx.Row // the first rows, as each delimiter cuts them
}

// chooseCSV finds out what the rows of a CSV file are and what separates their fields, or why nobody can tell.
func chooseCSV(base string, text csvfile.Text, in *draft.Input) (csvChoice, *resource.Finding) {
	c := csvChooser{
		forms: append(catalog.Forms(in), catalog.Form{Title: config.HintListsTab}),
		all:   AllKinds(in), delimiters: csvfile.Delimiters, samples: map[byte][]xlsx.Row{},
	}
	named := c.named(strings.TrimSuffix(base, path.Ext(base)), &in.Layout)
	if finding := c.declare(text); finding != nil {
		return csvChoice{}, doubted(finding, len(named) == 0)
	}
	for _, delimiter := range c.delimiters {
		c.samples[delimiter] = c.sample(text, delimiter)
	}
	switch {
	case len(named) == 1 && named[0].Title == config.HintListsTab:
		return c.lists(named[0])
	case len(named) == 1 && len(named[0].Tabs) > 1:
		return c.separate(named[0])
	case c.hasKind():
		return c.separate(&c.all)
	case len(named) == 1:
		return c.separate(named[0])
	}
	return c.byHeader(named)
}

// doubted makes a finding a warning where the file may well be no source at all.
func doubted(f *resource.Finding, doubt bool) *resource.Finding {
	if doubt {
		f.Severity = diag.Warning
	}
	return f
}

// AllKinds is the form of one file for everything.
func AllKinds(in *draft.Input) catalog.Form {
	f := catalog.Form{Title: "Kind", Tabs: catalog.TabsOf(in.Schemas)}
	f.AddKind()
	f.Keep(&in.Layout)
	return f
}

// separatorLine is how Excel writes and reads what separates the fields.
var separatorLine = pattern.Of(`^(?i)"?sep=(.)"?\r?\n`)

func (c *csvChooser) declare(text csvfile.Text) *resource.Finding {
	m := separatorLine.FindStringSubmatch(text.String())
	if m == nil {
		return nil
	}
	if !slices.Contains(csvfile.Delimiters, m[1][0]) {
		return &resource.Finding{
			Code: diag.Syntax, Message: fmt.Sprintf("first line says "+
				"that %q separates the fields; want a comma, a semicolon or a tab", m[1]),
		}
	}
	c.delimiters, c.declared = []byte{m[1][0]}, true
	return nil
}

var errSampled = errors.New("enough rows")

// sample returns the rows a header may be in. A fault ends it: with another
// delimiter the quotes may well fit.
func (c *csvChooser) sample(text csvfile.Text, delimiter byte) []xlsx.Row {
	var rows []xlsx.Row
	g := csvGrid{
		csvChoice: csvChoice{Delimiter: delimiter, declared: c.declared},
		Content:   text, Limits: bounded.Defaults().CSV(),
	}
	_, _ = g.Walk(func(row *xlsx.Row) error {
		if row.Number > HeaderRows {
			return errSampled
		}
		rows = append(rows, xlsx.Row{Number: row.Number, Cells: slices.Clone(row.Cells)})
		return nil
	})
	return rows
}

// find looks for the header of a form.
func (c *csvChooser) find(f *catalog.Form, delimiter byte) HeaderFinder {
	finder := HeaderFinder{Form: f}
	for i := range c.samples[delimiter] {
		finder.Look(&c.samples[delimiter][i])
	}
	return finder
}

// hasKind reports whether there is a column Kind among others that are known.
func (c *csvChooser) hasKind() bool {
	return slices.ContainsFunc(c.delimiters, func(delimiter byte) bool {
		f := c.find(&c.all, delimiter)
		return f.Matched > 1 && f.Sections[0].Header.ColumnOf(func(c *catalog.Column) bool {
			return c.Role == catalog.RoleKind
		}) > 0
	})
}

// separate finds the delimiter with which a form has a header.
func (c *csvChooser) separate(f *catalog.Form) (csvChoice, *resource.Finding) {
	var fits []byte
	for _, delimiter := range c.delimiters {
		if c.find(f, delimiter).Matched > 1 {
			fits = append(fits, delimiter)
		}
	}
	switch len(fits) {
	case 0:
		return csvChoice{}, &resource.Finding{
			Code: diag.UnknownKey,
			Message: fmt.Sprintf("file has no header of %s in its first %d rows; want a row with %s",
				f.Title, HeaderRows, strings.Join(f.MainTitles(), ", ")),
		}
	case 1:
		return csvChoice{Form: f, Delimiter: fits[0], declared: c.declared}, nil
	}
	return csvChoice{}, unclear(fits)
}

func unclear(delimiters []byte) *resource.Finding {
	var names []string
	for _, d := range delimiters {
		names = append(names, csvfile.DelimiterName(d))
	}
	return &resource.Finding{
		Code: diag.Syntax, Message: fmt.Sprintf("what separates the values may be a %s; want it clear",
			strings.Join(names, " or a ")),
		Hint: fmt.Sprintf("write sep=%c as the first line", delimiters[0]),
	}
}

// lists finds what separates the names of hint lists, which can be any words.
func (c *csvChooser) lists(f *catalog.Form) (csvChoice, *resource.Finding) {
	var fits []byte
	for _, delimiter := range c.delimiters {
		names := slices.IndexFunc(c.samples[delimiter], func(row xlsx.Row) bool { return !IsComment(&row) })
		if names >= 0 && len(c.samples[delimiter][names].Cells) > 1 {
			fits = append(fits, delimiter)
		}
	}
	switch len(fits) {
	case 0:
		return csvChoice{Form: f, Delimiter: c.delimiters[0], declared: c.declared}, nil
	case 1:
		return csvChoice{Form: f, Delimiter: fits[0], declared: c.declared}, nil
	}
	return csvChoice{}, unclear(fits)
}

// byHeader takes the sheet whose required columns are all there; of several,
// the one that knows the most columns.
func (c *csvChooser) byHeader(among []*catalog.Form) (csvChoice, *resource.Finding) {
	if len(among) == 0 {
		for i := range c.forms {
			among = append(among, &c.forms[i])
		}
	}
	best, fits := 0, []*catalog.Form(nil)
	for _, f := range among {
		matched := 0
		for _, delimiter := range c.delimiters {
			if found := c.find(f, delimiter); found.isWhole() && found.Matched > 1 {
				matched = max(matched, found.Matched)
			}
		}
		switch {
		case matched > best:
			best, fits = matched, []*catalog.Form{f}
		case matched == best && best > 0:
			fits = append(fits, f)
		}
	}
	switch len(fits) {
	case 0:
		return csvChoice{}, doubted(c.unknown("neither the name nor the header of the file says what it holds"), true)
	case 1:
		return c.separate(fits[0])
	}
	return csvChoice{}, c.unknown(fmt.Sprintf("header fits %s and %s", fits[0].Title, fits[1].Title))
}

// unknown lists what a file can be.
func (c *csvChooser) unknown(what string) *resource.Finding {
	var names []string
	for i := range c.forms {
		names = append(names, FileNameOf(c.forms[i].Title))
	}
	return &resource.Finding{
		Code: diag.UnknownKey, Message: what + "; want a name such as " +
			strings.Join(names, ", ") + ", or a column Kind",
	}
}

// FileNameOf is the name of the CSV file of a sheet.
func FileNameOf(title string) string { return resource.Slug(title) + ".csv" }

// isWhole reports whether some tab of the form has all the columns it needs.
func (f *HeaderFinder) isWhole() bool {
	return slices.ContainsFunc(f.Sections, func(s *Section) bool {
		return !slices.ContainsFunc(s.Tab.Columns, func(want catalog.Column) bool {
			return want.Required && s.Header.ColumnOf(func(have *catalog.Column) bool {
				return have.Title == want.Title
			}) == 0
		})
	})
}

// named returns the forms whose name stands in the name of a file, word by word:
// "Q4 ad groups" names Ad groups. A longer name hides those inside it. What
// adsync.yaml says of the name counts first.
func (c *csvChooser) named(base string, l *config.Layout) []*catalog.Form {
	for i := range c.forms {
		if l.IsNamed(base, c.forms[i].Title) {
			return []*catalog.Form{&c.forms[i]}
		}
	}
	words := strings.FieldsFunc(strings.ToLower(base), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	longest := make([]int, len(words)) // of the name that covers each word
	type match struct {
		form       *catalog.Form
		from, size int
	}
	var matches []match
	for i := range c.forms {
		for from := range words {
			for to := from + 1; to <= len(words); to++ {
				joined := strings.Join(words[from:to], "")
				if !slices.ContainsFunc(c.forms[i].Names(), func(name string) bool {
					return resource.Fold(name) == joined
				}) {
					continue
				}
				matches = append(matches, match{&c.forms[i], from, to - from})
				for w := from; w < to; w++ {
					longest[w] = max(longest[w], to-from)
				}
			}
		}
	}
	var found []*catalog.Form
	for _, m := range matches {
		if m.size == longest[m.from] && !slices.Contains(found, m.form) {
			found = append(found, m.form)
		}
	}
	return found
}
