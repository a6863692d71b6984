package chart

import (
	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"fmt"
	"math"
	"strings"
)

// Bounds of a small line of spend, in its own units.
const (
	sparkWide = 100
	sparkHigh = 20
)

// Spark draws spend a day, and says its bounds; days that were not read are left out of the line.
func Spark(spend []int64, days []figures.DayTotal) (drawn, words string) {
	least, most := int64(math.MaxInt64), int64(0)
	for i, n := range spend {
		if !days[i].Gap {
			least, most = min(least, n), max(most, n)
		}
	}
	if len(spend) < 2 || most == 0 {
		return "", ""
	}
	var path strings.Builder
	pen := "M"
	for i, n := range spend {
		if days[i].Gap {
			pen = "M"
			continue
		}
		fmt.Fprintf(&path, "%s%d %d", pen, i*sparkWide/(len(spend)-1), sparkHigh-scaled(max(n, 0), sparkHigh, most))
		pen = "L"
	}
	from, _ := insights.Shown("spend", resource.FormatMoney(least))
	to, _ := insights.Shown("spend", resource.FormatMoney(most))
	return path.String(), catalogue.Say("chart.spark", "least", from, "most", to)
}
