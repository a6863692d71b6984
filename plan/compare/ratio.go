package compare

import (
	"adsync/plan"
	"fmt"
	"math/bits"
	"strconv"
)

// exceeds reports whether to is above percent of from, without rounding or overflow.
func exceeds(to, from, percent int64) bool { return compareScaled(to, from, percent) > 0 }

// reaches reports whether to is at or above percent of from.
func reaches(to, from, percent int64) bool { return compareScaled(to, from, percent) >= 0 }

func compareScaled(to, from, percent int64) int {
	if to < 0 || from < 0 || percent < 0 {
		return 0
	}
	toHigh, toLow := bits.Mul64(uint64(to), 100)
	fromHigh, fromLow := bits.Mul64(uint64(from), uint64(percent))
	switch {
	case toHigh != fromHigh:
		return plan.Order(toHigh < fromHigh)
	case toLow != fromLow:
		return plan.Order(toLow < fromLow)
	}
	return 0
}

// times writes a ratio such as ×2.50; what is above ×1000 is written so.
func times(to, from int64) string {
	if from <= 0 || to/from >= 1000 {
		return "above ×1000"
	}
	high, low := bits.Mul64(uint64(to), 100)
	hundredths, _ := bits.Div64(high, low, uint64(from))
	return percent(int64(hundredths))
}

func percent(hundredths int64) string {
	return "×" + strconv.FormatInt(hundredths/100, 10) + "." + fmt.Sprintf("%02d", hundredths%100)
}
