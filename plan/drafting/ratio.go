package drafting

import (
	"fmt"
	"math/bits"
	"strconv"

	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Exceeds reports whether to is above percent of from, without rounding or overflow.
func Exceeds(to, from, percent int64) bool { return compareScaled(to, from, percent) > 0 }

// Reaches reports whether to is at or above percent of from.
func Reaches(to, from, percent int64) bool { return compareScaled(to, from, percent) >= 0 }

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

// Times writes a ratio such as ×2.50; what is above ×1000 is written so.
func Times(to, from int64) string {
	if from <= 0 || to/from >= 1000 {
		return catalogue.Fill("guard.times-above")
	}
	high, low := bits.Mul64(uint64(to), 100)
	hundredths, _ := bits.Div64(high, low, uint64(from))
	return Percent(int64(hundredths))
}

// Percent shows hundredths as a factor.
func Percent(hundredths int64) string {
	return "×" + strconv.FormatInt(hundredths/100, 10) + "." + fmt.Sprintf("%02d", hundredths%100)
}
