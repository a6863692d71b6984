package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/oracle"
	"adsync/plan"
	"adsync/sources"
	"adsync/sources/config"
)

// read reads the files through the program's own readers, where a history is
// about them too. What they make of the files is held against what the files
// were written from: invariant 7.
func (w *world) read(f oracle.Files) (*resource.Snapshot, []plan.InvalidRow) {
	if !w.reads || len(f) == 0 { // no source at all is refused, and not what a history is about
		return snapshot(f), invalidRows(f)
	}
	w.count("reading of files")
	d := sources.LoadContents(w.ctx, project(), kinds.All(), written(f))
	switch {
	case d.Stops() || diag.HasErrors(d.Problems) && len(wrongIn(f)) == 0:
		w.wrong = fmt.Errorf("invariant 7: the files are refused: %v", d.Problems)
	case d.Whole().Len() != len(f):
		w.wrong = fmt.Errorf("invariant 7: %d resources were read; the files have %d", d.Whole().Len(), len(f))
	}
	w.readBroken(f)
	return d.Whole(), w.waitingRows(f, &d)
}

// readBroken has the readers refuse the same files with one that is damaged.
func (w *world) readBroken(f oracle.Files) {
	contents := written(f)
	name := slices.Min(slices.Collect(maps.Keys(contents)))
	contents[name] = append(contents[name], "\n- [cut"...)
	if d := sources.LoadContents(w.ctx, project(), kinds.All(), contents); !d.Stops() {
		w.wrong = fmt.Errorf("invariant 6: a damaged file is taken for %d resources", d.Snapshot.Len())
	}
}

func project() config.Project {
	return config.Project{
		Root: ".", Account: config.Account{ID: account, Currency: "USD", TimeZone: "America/New_York"},
	}
}

// written is the files as YAML, one a kind.
func written(f oracle.Files) map[string][]byte {
	contents := map[string][]byte{}
	for _, tag := range slices.Sorted(maps.Keys(f)) {
		item := f[tag]
		name := item.Kind + ".yaml"
		contents[name] = append(contents[name], document(f, item)...)
	}
	return contents
}

func document(f oracle.Files, item oracle.Item) string {
	lines := []string{"---", "kind: " + item.Kind, "key: " + keyOf(item)}
	above := map[string]string{}
	for parent, ok := f[item.Parent]; ok; parent, ok = f[parent.Parent] {
		above[parent.Kind] = keyOf(parent)
	}
	for child := item; child.Parent != ""; child = f[child.Parent] {
		if slices.Contains(child.Wrong, elsewhere) {
			above[f[child.Parent].Kind] = nowhere
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(above)) {
		lines = append(lines, kind+": "+above[kind])
	}
	nested := map[string][]string{}
	cells := map[string]string{}
	for name, value := range item.Values {
		cells[name] = literal(value)
	}
	for _, name := range item.Wrong {
		if name != elsewhere {
			cells[name] = unread(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cells)) {
		outer, inner, isNested := strings.Cut(name, ".")
		if isNested {
			nested[outer] = append(nested[outer], inner+": "+cells[name])
			continue
		}
		lines = append(lines, name+": "+cells[name])
	}
	for _, outer := range slices.Sorted(maps.Keys(nested)) {
		lines = append(lines, outer+": {"+strings.Join(nested[outer], ", ")+"}")
	}
	return strings.Join(lines, "\n") + "\n"
}

// literal writes a value; amounts are written in units, digit by digit.
func literal(value any) string {
	switch v := value.(type) {
	case int64:
		return fmt.Sprintf("%d.%06d", v/1_000_000, v%1_000_000)
	case string:
		return strconv.Quote(v)
	case []string:
		quoted := make([]string, len(v))
		for i, each := range v {
			quoted[i] = strconv.Quote(each)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return "null"
}
