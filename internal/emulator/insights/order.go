package insights

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"adsync/internal/emulator/wire"
)

// key is one value a row is sorted by. What has no value comes last.
type key struct {
	void       bool
	isText     bool
	text       string
	millionths int64
}

func (a key) compare(b key) int {
	return cmp.Or(cmp.Compare(a.millionths, b.millionths), cmp.Compare(a.text, b.text))
}

func (a key) String() string {
	switch {
	case a.void:
		return "null"
	case a.isText:
		return url.QueryEscape(a.text)
	}
	return decimal(a.millionths)
}

func (r *report) keysOf(row *row) []key {
	keys := make([]key, len(r.sort))
	for i, o := range r.sort {
		keys[i] = r.keyOf(row, o)
	}
	return keys
}

func (r *report) keyOf(row *row, o order) key {
	if o.measure != nil {
		v := o.measure(r, row.measured(o.field))
		return key{void: v.void, millionths: v.millionths}
	}
	switch v := o.value(r, row).(type) {
	case nil:
		return key{void: true}
	case int64:
		return key{millionths: v * 1_000_000}
	case string:
		return key{isText: true, text: v}
	default:
		return key{isText: true, text: plain(v)}
	}
}

// compare orders rows by the sort, then by time, then by the groups they belong to.
// assumption: the order without sort is not published; see open point insights_row_order.
func (r *report) compare(a, b *row) int {
	for i, o := range r.sort {
		if a.keys[i].void != b.keys[i].void {
			return cmp.Compare(truth(a.keys[i].void), truth(b.keys[i].void))
		}
		if c := a.keys[i].compare(b.keys[i]); c != 0 {
			return turned(c, o.descending)
		}
	}
	byTime := turned(cmp.Compare(a.bucket, b.bucket), r.newestFirst)
	byEntity := cmp.Compare(a.entity.birth, b.entity.birth)
	byPart := cmp.Compare(partID(a), partID(b))
	if r.segmentFirst {
		return cmp.Or(byTime, byPart, byEntity)
	}
	return cmp.Or(byTime, byEntity, byPart)
}

func truth(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func turned(c int, yes bool) int {
	if yes {
		return -c
	}
	return c
}

func partID(r *row) string {
	if r.part == nil {
		return ""
	}
	return r.part.id
}

// rowID is start=…:end=…:entity_id=…, and the sort with its values when there is
// one (service facts 10). It is the cursor of the row.
func (r *report) rowID(row *row) string {
	start, end := r.span.bounds(row.bucket)
	id := fmt.Sprintf("start=%d:end=%d:entity_id=%s", start, end, r.entityID(row))
	if len(r.sort) == 0 {
		return id
	}
	values := make([]string, len(row.keys))
	for i, k := range row.keys {
		values[i] = k.String()
	}
	return id + ":sort=" + r.sortName() + ":sort_values=" + strings.Join(values, ",")
}

// entityID is the entity's id; segmented ones are a URL-encoded text that begins with v2.
func (r *report) entityID(row *row) string {
	if row.part == nil {
		return row.entity.id()
	}
	return url.QueryEscape("v2:" + row.entity.id() + ":" + r.segment + "=" + row.part.id)
}

// cursorForm takes a row id apart.
var cursorForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^start=(\d{1,12}):end=\d{1,12}:entity_id=([^:]+)(?::sort=([^:]*):sort_values=(.*))?$`)
})

// cursor makes a row that stands where a row id points, so that a page can begin
// there although the row itself has changed or gone.
func (r *report) cursor(text string) (*row, error) {
	found := cursorForm().FindStringSubmatch(text)
	if found == nil || found[3] != r.sortName() {
		return nil, wire.BadCursor()
	}
	start, _ := strconv.ParseInt(found[1], 10, 64) // twelve digits at most
	bucket, in := r.span.bucket(start * 1000)
	row := &row{rowKey: rowKey{bucket: bucket}}
	id := found[2]
	if r.segment != "" {
		plain, _ := url.QueryUnescape(found[2])
		var name string
		id, name, _ = strings.Cut(strings.TrimPrefix(plain, "v2:"), ":"+r.segment+"=")
		row.part = &part{id: name}
	}
	if row.entity = r.tree.find(r.level, id); !in || row.entity == nil {
		return nil, wire.BadCursor()
	}
	if len(r.sort) == 0 {
		return row, nil
	}
	return row, r.readKeys(row, strings.Split(found[4], ","))
}

func (r *report) readKeys(row *row, values []string) error {
	if len(values) != len(r.sort) {
		return wire.BadCursor()
	}
	for i, text := range values {
		k, ok := readKey(text, r.sort[i])
		if !ok {
			return wire.BadCursor()
		}
		row.keys = append(row.keys, k)
	}
	return nil
}

func readKey(value string, o order) (key, bool) {
	if value == "null" {
		return key{void: true}, true
	}
	if o.measure != nil || o.numeric {
		down, _, ok := threshold(json.Number(value))
		return key{millionths: down}, ok
	}
	plain, err := url.QueryUnescape(value)
	return key{isText: true, text: plain}, err == nil
}

// cut returns the page that a request asks for out of rows in any order.
func (r *report) cut(rows []*row) (page []*row, more bool, err error) {
	backward := r.page.Before != ""
	compare := r.compare
	if backward {
		compare = func(a, b *row) int { return r.compare(b, a) }
	}
	if cursor := r.page.After + r.page.Before; cursor != "" {
		at, err := r.cursor(cursor)
		if err != nil {
			return nil, false, err
		}
		rows = slices.DeleteFunc(rows, func(row *row) bool { return compare(row, at) <= 0 })
	}
	page = lowest(rows, r.page.Limit+1, compare)
	if more = len(page) > r.page.Limit; more {
		page = page[:r.page.Limit]
	}
	if backward {
		slices.Reverse(page)
	}
	return page, more, nil
}

// lowest returns the first n of rows in order. It sorts no more than it must: a
// report may have a million rows and a page has 2,000 at most.
func lowest(rows []*row, n int, compare func(a, b *row) int) []*row {
	best := make([]*row, 0, min(len(rows), 2*n))
	var last *row // the n-th so far; nil while fewer are known
	for _, row := range rows {
		if last != nil && compare(row, last) >= 0 {
			continue
		}
		if best = append(best, row); len(best) == 2*n {
			slices.SortFunc(best, compare)
			best, last = best[:n], best[n-1]
		}
	}
	slices.SortFunc(best, compare)
	return best[:min(n, len(best))]
}
