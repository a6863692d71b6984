package plan

import (
	"adsync/internal/resource"
	"math"
	"strconv"
)

// Readable reports whether the single-resource interface shows the attribute again.
func Readable(a *resource.Attribute) bool { return a.Wire.Path != "" && !a.Wire.Hidden }

// The statuses of every attribute that governs delivery: active delivers,
// paused and the schema's Removal do not (interface, part 3).
const (
	Active = "active"
	Paused = "paused"
)

func AnyField(fields []Field, passes func(*Field) bool) bool {
	for i := range fields {
		if passes(&fields[i]) {
			return true
		}
	}
	return false
}

// unset says that a value is none: absent, cleared, or a list of nothing.
func Unset(v resource.Value) bool {
	if !v.IsSet() {
		return true
	}
	_, isNumber := v.Number()
	return !isNumber && v.Text() == "" && len(v.Items()) == 0
}

// same compares values as the service would: what is unset is one thing there.
func Same(v, w resource.Value) bool {
	return v.Equal(w) || Unset(v) && Unset(w)
}

func Quote(s string) string { return strconv.Quote(s) }

// plus adds without wrapping round: what is too much to count is the most.
func Plus(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// The fields of a change that pass.
func EveryField(*Field) bool { return true }

func Order(less bool) int {
	if less {
		return -1
	}
	return 1
}
