// Package diff compares two versions of sources and merges three.
// compare.go names what differs, compare_cells.go the cells of workbooks, textconv.go writes a file as lines for git.
// merge.go and merge_rows.go join the changes of two people, merge_csv.go those of a CSV file; merge_yaml.go decides
// what is taken of a YAML file, of which yaml_read.go tells the parts apart and yaml_write.go puts them in.
//
// A merge that is not certain is a conflict, never a choice.
package diff

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/sources/draft"
)

// Difference is one thing in which two sources differ.
type Difference struct {
	Action  string        `json:"action"`            // change, add or remove
	What    string        `json:"what"`              // Ads[hero-a].title, or a sheet, column or cell of the user's own
	From    string        `json:"from,omitempty"`    // as people read it; money in units
	To      string        `json:"to,omitempty"`      //
	Added   []string      `json:"added,omitempty"`   // entries of a list
	Removed []string      `json:"removed,omitempty"` //
	Was     diag.Position `json:"was"`
	Is      diag.Position `json:"is"`
}

// The actions of a difference.
const (
	Changed = "change"
	Added   = "add"
	Removed = "remove"
)

// Comparison is what two sources differ in, and what could not be compared.
type Comparison struct {
	Differences []Difference
	Notes       []string       // what was compared otherwise than by its meaning
	Problems    []diag.Problem // of both sides
	Incomplete  bool           // something could not be compared at all
}

// Compare returns what changed from one source to another, each a file or a
// folder, by resource and attribute; of workbooks also the cells that are the
// user's own. A workbook with an error in it is compared cell by cell. The bound
// is the operator's, as Project.Bound reads it; "" is none.
func Compare(ctx context.Context, from, to string, schemas resource.Schemas, bound string) (Comparison, error) {
	a, err := openSide(ctx, from, schemas, bound)
	if err != nil {
		return Comparison{}, err
	}
	defer a.close()
	b, err := openSide(ctx, to, schemas, bound)
	if err != nil {
		return Comparison{}, err
	}
	defer b.close()
	c := &comparer{ctx: ctx, schemas: schemas}
	c.made.Problems = slices.Concat(a.problems, b.problems)
	c.made.Incomplete = diag.HasErrors(c.made.Problems)
	c.compare(a, b)
	if slices.ContainsFunc(c.made.Problems, func(p diag.Problem) bool { return p.Code == diag.WrongAccount }) {
		c.made.Incomplete = true
	}
	return c.made, nil
}

type comparer struct {
	ctx     context.Context
	schemas resource.Schemas
	made    Comparison
}

// compare takes the files that do not parse out of what is compared by meaning,
// on both sides.
func (c *comparer) compare(a, b *side) {
	single := a.folder == nil && b.folder == nil
	var left, right []draft.Result
	done := map[string]bool{}
	for i := range a.files {
		f := &a.files[i]
		other := b.fileLike(f, single)
		done[f.name] = other != nil
		if c.asWritten(f, other) {
			continue
		}
		left = append(left, f.made)
		if other != nil {
			right = append(right, other.made)
		}
	}
	for i := range b.files {
		f := &b.files[i]
		if other := a.fileLike(f, single); other == nil && !c.asWritten(nil, f) {
			right = append(right, f.made)
		}
	}
	from, to := recordsOf(c.schemas, left), recordsOf(c.schemas, right)
	a.addContents(from)
	b.addContents(to)
	c.records(from, to)
}

// fileLike returns the file that is compared with another: the only one, or the
// one of the same name.
func (s *side) fileLike(f *sideFile, single bool) *sideFile {
	for i := range s.files {
		if single || s.files[i].name == f.name {
			return &s.files[i]
		}
	}
	return nil
}

// asWritten compares two files without their meaning where one does not parse,
// and says so; of workbooks that parse it compares what is the user's own.
func (c *comparer) asWritten(a, b *sideFile) bool {
	parses, books := true, true
	name := ""
	for _, f := range []*sideFile{a, b} {
		if f == nil {
			continue
		}
		parses, books, name = parses && f.parses(), books && f.isWorkbook(), f.name
		if !f.parses() {
			c.made.Problems = append(c.made.Problems, f.made.Problems...)
		}
	}
	switch {
	case parses && !books:
		return false
	case books:
		c.cells(a, b, parses)
		return !parses
	}
	if !isSource(a) || !isSource(b) {
		c.made.Incomplete = true
		return true
	}
	c.note("%s has errors; it is compared line by line", name)
	c.lines(a, b)
	return true
}

// isSource reports whether a file was read as one, errors or not. Any other table may
// hold people's addresses and is not shown.
func isSource(f *sideFile) bool {
	if f == nil {
		return true
	}
	switch strings.ToLower(path.Ext(f.name)) {
	case ".yaml", ".yml":
		return true
	}
	return f.made.Rows.Read > 0
}

func (c *comparer) note(format string, args ...any) {
	c.made.Notes = append(c.made.Notes, fmt.Sprintf(format, args...))
}

func (c *comparer) add(d Difference) { c.made.Differences = append(c.made.Differences, d) }

// records compares what the sources say, kind by kind and from the top of the
// tree down.
func (c *comparer) records(from, to []*record) {
	pairs := pairRecords(from, to)
	taken := map[*record]bool{}
	labels := newLabels(from, to)
	for _, r := range from {
		taken[pairs[r]] = true
	}
	all := slices.Clone(from)
	for _, r := range to {
		if !taken[r] {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(x, y *record) int {
		return cmp.Or(cmp.Compare(c.rank(x), c.rank(y)), cmp.Compare(x.title, y.title), cmp.Compare(x.path, y.path))
	})
	isFrom := map[*record]bool{}
	for _, r := range from {
		isFrom[r] = true
	}
	for _, r := range all {
		other := pairs[r]
		switch {
		case !isFrom[r]:
			c.add(Difference{Action: Added, What: labels.of(r), To: r.summary(), Is: r.position})
		case other == nil:
			c.add(Difference{Action: Removed, What: labels.of(r), From: r.summary(), Was: r.position})
		default:
			c.attributes(labels.of(other), r, other)
		}
	}
}

func (c *comparer) rank(r *record) int {
	return slices.IndexFunc(c.schemas, func(s *resource.Schema) bool { return s == r.schema })
}

// summary is the name of a record, for a line that says it is new or gone.
func (r *record) summary() string {
	if r.schema == nil {
		return ""
	}
	for _, name := range r.schema.NameFrom {
		if s, ok := r.says[name]; ok && s.value.IsSet() {
			return s.show(s)
		}
	}
	return ""
}

// pairRecords finds the records that are the same: by id, by path, by key and
// kind where each side has it once.
func pairRecords(from, to []*record) map[*record]*record {
	pairs, taken := map[*record]*record{}, map[*record]bool{}
	match := func(by func(*record) string) {
		left, right := map[string][]*record{}, map[string][]*record{}
		for _, r := range from {
			if name := by(r); name != "" && pairs[r] == nil {
				left[name] = append(left[name], r)
			}
		}
		for _, r := range to {
			if name := by(r); name != "" && !taken[r] {
				right[name] = append(right[name], r)
			}
		}
		for name, rows := range left {
			for i := range min(len(rows), len(right[name])) {
				if len(rows) == 1 && len(right[name]) == 1 || rows[i].path == right[name][i].path {
					pairs[rows[i]], taken[right[name][i]] = right[name][i], true
				}
			}
		}
	}
	kind := func(r *record) string { return r.title + "\x00" }
	match(func(r *record) string {
		if r.id == "" {
			return ""
		}
		return kind(r) + r.id
	})
	match(func(r *record) string { return kind(r) + r.path })
	match(func(r *record) string {
		if s, written := r.says["key"]; written {
			return kind(r) + s.value.Text()
		}
		return ""
	})
	return pairs
}

// labels call each record by its key, or by its path where that is not enough.
type labels map[string]bool

func newLabels(sides ...[]*record) labels {
	ambiguous := labels{}
	for _, records := range sides {
		seen := map[string]bool{}
		for _, r := range records {
			name := r.title + "\x00" + r.key
			ambiguous[name] = ambiguous[name] || seen[name]
			seen[name] = true
		}
	}
	return ambiguous
}

func (l labels) of(r *record) string {
	label := r.key
	if l[r.title+"\x00"+r.key] {
		label = r.path
	}
	return fmt.Sprintf("%s[%s]", r.title, diag.Printable(label))
}

// attributes compares what two sources say of one resource.
func (c *comparer) attributes(label string, from, to *record) {
	names := maps.Clone(from.says)
	maps.Copy(names, to.says)
	for _, name := range slices.SortedFunc(maps.Keys(names), func(x, y string) int {
		return cmp.Or(cmp.Compare(attributeRank(to, x), attributeRank(to, y)), cmp.Compare(x, y))
	}) {
		was, is := from.says[name], to.says[name]
		if was.equal(is) {
			continue
		}
		d := Difference{
			Action: Changed, What: label + "." + name, From: was.show(is),
			To: is.show(was), Was: cmp.Or(was.position, from.position), Is: cmp.Or(is.position, to.position),
		}
		if was.isList || is.isList {
			d.From, d.To = was.size(), is.size()
			d.Added, d.Removed = missing(was.items, is.items), missing(is.items, was.items)
		}
		c.add(d)
	}
}

// attributeRank is the order of the kind's description, what is no attribute first.
func attributeRank(r *record, name string) int {
	if r.schema == nil {
		return 0
	}
	return slices.IndexFunc(r.schema.Attributes, func(a resource.Attribute) bool { return a.Name == name })
}

func (s statement) equal(t statement) bool {
	if s.isList || t.isList {
		return slices.Equal(s.items, t.items) && s.value.IsNull() == t.value.IsNull() && s.isList == t.isList
	}
	if s.content != "" && t.content != "" { // the same bytes are the same, wherever they lie
		return s.content == t.content
	}
	return s.value.Equal(t.value)
}

// show returns a value as people read it. A file of another content under the same
// name is told apart by its hash.
func (s statement) show(other statement) string {
	switch {
	case s.attribute == nil && s.value.IsSet():
		return `"` + diag.Printable(s.value.Text()) + `"`
	case s.attribute == nil || s.value.IsAbsent():
		return catalogue.Say("shown.none")
	case s.attribute.Type == resource.TypeImage && s.value.IsSet():
		text := diag.Printable(s.value.Written())
		if s.content != other.content && s.value.Equal(other.value) && s.content != "" {
			text += " (" + s.content[:12] + ")"
		}
		return text
	}
	return s.attribute.Show(s.value)
}

// size returns how a list is, without its entries.
func (s statement) size() string {
	switch {
	case s.value.IsNull():
		return "[clear]"
	case !s.isList:
		return catalogue.Say("shown.none")
	}
	return catalogue.Say("shown.entries", "n", len(s.items))
}

// missing returns the entries of some that all does not hold, as often as that is.
func missing(all, some []string) []string {
	held := map[string]int{}
	for _, item := range all {
		held[item]++
	}
	var gone []string
	for _, item := range some {
		if held[item]--; held[item] < 0 {
			gone = append(gone, item)
		}
	}
	return gone
}
