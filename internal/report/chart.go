package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/insights"
)

// The measures of the chart.
const (
	chartWide = 720
	chartHigh = 130
	chartLeft = 70
	chartFoot = 20
)

// chart draws the spend of each day as a bar. A day that was not read has none.
func (r *Report) chart() template.HTML {
	values, top := make([]int64, len(r.Days)), int64(0)
	for i, d := range r.Days {
		values[i], _ = insights.Millionths(d.Figures["spend"])
		top = max(top, values[i])
	}
	if len(values) < 2 || top == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="100%%" role="img" `+
		`style="display:block;margin:10px 0"><title>Spend a day, at most %s</title>`, chartWide, chartHigh+chartFoot,
		money(decimal(top)))
	for part := range int64(3) {
		y := chartHigh - part*(chartHigh-16)/2
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="#d9dce1"/>`, chartLeft, chartWide, y, y)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end" font-family="Arial,sans-serif" font-size="11" `+
			`fill="#56606f">%s</text>`, chartLeft-6, y+4, money(decimal(top/2*part)))
	}
	step := float64(chartWide-chartLeft) / float64(len(values))
	each := (len(values) + 9) / 10
	for i, d := range r.Days {
		x := chartLeft + step*float64(i)
		if d.Gap {
			fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#eceef1"><title>%s: not read</title></rect>`,
				x+step*.1, 16, step*.8, chartHigh-16, d.Date)
		} else {
			high := float64(values[i]) / float64(top) * (chartHigh - 16) // a drawing: no figure follows from it
			colour := barColour
			if d.Preliminary {
				colour = barPreliminary
			}
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s: %s</title></rect>`,
				x+step*.1, chartHigh-high, step*.8, high, colour, d.Date, money(d.Figures["spend"]))
		}
		if i%each == 0 {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" font-family="Arial,sans-serif" font-size="11" `+
				`fill="#56606f">%s</text>`, x+step/2, chartHigh+15, d.Date[5:])
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers and days alone
}

// The bars of a mail: of its widest, in pixels, and beyond how many days they are of weeks.
const (
	barWide        = 180
	barDays        = 31
	barColour      = "#2f6fdb"
	barPreliminary = "#9dbcf0"
)

// drawBars puts the spend of each day as a bar beside it. Each bar is a cell with a colour, which all programs for mail
// show: Gmail takes out drawings, Outlook knows few styles.
func (v *pageView) drawBars(r *Report) {
	if !slices.Contains(r.names(), "spend") {
		return
	}
	v.Bars = true
	days := r.Days
	if len(days) > pageDays { // there is no table of them in the page
		v.Days, v.DayHeads = nil, headers([]string{"spend"})
		if len(days) > barDays {
			days = weeksOf(days)
		}
		for _, d := range days {
			v.Days = append(v.Days, dayOf(d, []string{"spend"}))
		}
	}
	top := int64(0)
	for _, d := range days {
		spent, _ := insights.Millionths(d.Figures["spend"])
		top = max(top, spent)
	}
	for i, d := range days {
		v.Days[i].Wide++
		v.Days[i].Colour = barColour
		if d.Preliminary {
			v.Days[i].Colour = barPreliminary
		}
		if spent, _ := insights.Millionths(d.Figures["spend"]); spent > 0 {
			v.Days[i].Bar = max(1, int(spent*barWide/top))
		}
	}
}

// weeksOf adds up the spend of seven days after another. A day that was not read is in no sum, and said.
func weeksOf(days []Day) (weeks []Day) {
	for part := range slices.Chunk(days, 7) {
		sum, gaps := int64(0), 0
		week := Day{Date: part[0].Date + " to " + part[len(part)-1].Date}
		for _, d := range part {
			spent, _ := insights.Millionths(d.Figures["spend"])
			sum += spent
			week.Preliminary = week.Preliminary || d.Preliminary
			if d.Gap {
				gaps++
			}
		}
		switch {
		case gaps == len(part):
			week.Gap = true
		case gaps > 0:
			week.Date += fmt.Sprintf(", %s not read", diag.Plural(gaps, "day"))
		}
		week.Figures = Figures{"spend": decimal(sum)}
		weeks = append(weeks, week)
	}
	return weeks
}
