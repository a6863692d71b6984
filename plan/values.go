package plan

import (
	"adsync/internal/resource"
	"math"
	"strconv"
)

// readable says that the single-resource interface shows the attribute again.
func readable(a *resource.Attribute) bool { return a.Wire.Path != "" }

// The statuses of every attribute that governs delivery: active delivers,
// paused and the schema's Removal do not (interface, part 3).
const (
	active = "active"
	paused = "paused"
)

func anyField(fields []Field, passes func(*Field) bool) bool {
	for i := range fields {
		if passes(&fields[i]) {
			return true
		}
	}
	return false
}

// unset says that a value is none: absent, cleared, or a list of nothing.
func unset(v resource.Value) bool {
	if !v.IsSet() {
		return true
	}
	_, isNumber := v.Number()
	return !isNumber && v.Text() == "" && len(v.Items()) == 0
}

// same compares values as the service would: what is unset is one thing there.
func same(v, w resource.Value) bool {
	return v.Equal(w) || unset(v) && unset(w)
}

func quote(s string) string { return strconv.Quote(s) }

// plus adds without wrapping round: what is too much to count is the most.
func plus(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// The fields of a change that pass.
func everyField(*Field) bool { return true }

func order(less bool) int {
	if less {
		return -1
	}
	return 1
}
