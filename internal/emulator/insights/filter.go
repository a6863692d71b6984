package insights

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"adsync/internal/emulator/wire"
)

// filter is one condition; all of them hold. Conditions on text choose what is
// summed up, whatever its level; conditions on metrics choose rows.
type filter struct {
	field
	in       map[string]bool // nil for a metric
	count    int             // values that were given for in
	greater  bool
	down, up int64 // the number in millionths, rounded down and up
}

func (q *request) readFilters(query *wire.Query) {
	for i, text := range query.Texts("filters", 0) {
		at := "filters[" + strconv.Itoa(i) + "]"
		o, bad := wire.ParseAt(at, []byte(text))
		if bad != nil {
			query.Fail(at, bad.Code, "%s", bad.Message)
			return
		}
		f := readFilter(o, q.filterable)
		if err := o.Err(); err != nil {
			bad := wire.AsError(err)
			query.Fail(bad.Param, bad.Code, "%s", bad.Message)
			return
		}
		q.filters = append(q.filters, f)
	}
}

// filterable finds a field that conditions may name: a metric, or what describes
// an entity of any level or a part.
func (q *request) filterable(name string) (field, bool) {
	if f, ok := q.resolve(name); ok && f.measure != nil {
		return f, q.segment != "hotel" || f.needs == needDelivery
	}
	for _, f := range q.catalogue {
		if f.measure == nil && (f.name == name || f.wire == name) {
			return f, !strings.HasPrefix(f.name, "metadata.") && f.needs == needDelivery
		}
	}
	return field{}, false
}

// readFilter reads {"field","operator","value"}: IN with strings for text,
// GREATER_THAN and LESS_THAN with a number for metrics.
func readFilter(o *wire.Object, find func(string) (field, bool)) filter {
	o.Require("field", "operator", "value")
	name := o.Text("field", 1, 0)
	operator := o.Choice("operator", "IN", "GREATER_THAN", "LESS_THAN")
	f, ok := find(name.V)
	switch {
	case !name.Given() || !operator.Given() || !o.Has("value"):
		o.Ignore("value")
	case !ok:
		o.Ignore("value")
		o.Fail("field", "invalid_value", "Invalid '%s': '%s' cannot be filtered by.", o.At("field"), name.V)
	case f.measure == nil != (operator.V == "IN"):
		o.Ignore("value")
		o.Fail("operator", "invalid_value", "Invalid '%s': '%s' does not go with '%s'.",
			o.At("operator"), operator.V, name.V)
	case f.measure == nil:
		in, values := map[string]bool{}, o.Texts("value", 0, 0, nil).V
		for _, each := range values {
			in[each] = true
		}
		return filter{field: f, in: in, count: len(values)}
	default:
		return readThreshold(o, f, operator.V == "GREATER_THAN")
	}
	return filter{}
}

func readThreshold(o *wire.Object, f field, greater bool) filter {
	n := o.Number("value")
	down, up, ok := threshold(n.V)
	if n.Given() && !ok {
		o.Fail("value", "invalid_value", "Invalid '%s': want a finite number.", o.At("value"))
	}
	return filter{field: f, greater: greater, down: down, up: up}
}

// holdsFor decides a condition on text for what a pretended row stands for.
func (f filter) holdsFor(r *report, row *row) bool {
	if f.of != "" && row.part == nil {
		return false
	}
	v := f.value(r, row)
	if v == nil {
		return false
	}
	name := plain(v)
	return f.in[name] || f.name == "product.feed_item_id" && f.hasItem(name)
}

// hasItem compares feed items as JSON, not as text.
func (f filter) hasItem(name string) bool {
	var want map[string]string
	if json.Unmarshal([]byte(name), &want) != nil {
		return false
	}
	for each := range f.in {
		var have map[string]string
		if json.Unmarshal([]byte(each), &have) == nil &&
			have["feed_id"] == want["feed_id"] && have["item_id"] == want["item_id"] {
			return true
		}
	}
	return false
}

// passes decides a condition on a metric for a row.
func (f filter) passes(r *report, row *row) bool {
	v := f.measure(r, row.measured(f.field))
	switch {
	case v.void:
		return false
	case f.greater:
		return v.millionths > f.down
	}
	return v.millionths < f.up
}

func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}
