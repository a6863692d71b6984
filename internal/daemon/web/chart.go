package web

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/daemon"
	"adsync/internal/planview"
)

// Bounds of a chart: its size in its own units, and how many points it draws and
// its table lists.
const (
	chartWide  = 600
	chartHigh  = 160
	chartMost  = 300
	chartTable = 30
)

// chart is possible spend a day over time, drawn here, so that it needs no script.
type chart struct {
	Wide, High  int
	Path        string // of the line
	Area        string // beneath it
	Most, Half  string // what the upper and the middle line stand for; "" where nothing could be spent
	From, To    moment
	Description string
	Points      []chartPoint // the newest first
	More        int
}

type chartPoint struct {
	Time            moment
	Daily, Lifetime string
	MonthEnd        string
}

// chartOf draws points in their order of time; nil where there are fewer than
// one.
func chartOf(points []daemon.Point, a planview.Account) *chart {
	if len(points) == 0 {
		return nil
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(x, y daemon.Point) int { return x.Time.Compare(y.Time) })
	zone := zoneOf(a)
	first, last := points[0], points[len(points)-1]
	highest := slices.MaxFunc(points, func(x, y daemon.Point) int { return int(min(max(x.Daily-y.Daily, -1), 1)) })
	c := &chart{Wide: chartWide, High: chartHigh, Most: planview.Amount(highest.Daily),
		Half: planview.Amount(highest.Daily / 2),
		From: momentOf(first.Time, zone), To: momentOf(last.Time, zone)}
	if highest.Daily == 0 {
		c.Most, c.Half = "", ""
	}
	c.Description = fmt.Sprintf("From %s on %s to %s on %s; the highest is %s on %s.",
		money(first.Daily, a), c.From.Text,
		money(last.Daily, a), c.To.Text, money(highest.Daily, a), momentOf(highest.Time, zone).Text)
	c.draw(fewer(points), highest.Daily)
	for i := len(points) - 1; i >= 0; i-- {
		if len(c.Points) == chartTable {
			c.More = i + 1
			break
		}
		p := points[i]
		c.Points = append(c.Points, chartPoint{momentOf(p.Time, zone),
			planview.Amount(p.Daily), planview.Amount(p.Lifetime), planview.Amount(p.MonthEnd)})
	}
	return c
}

// draw makes steps: possible spend is what it was until it moves.
func (c *chart) draw(points []daemon.Point, highest int64) {
	first := points[0].Time
	span := max(1, int64(points[len(points)-1].Time.Sub(first)/1e6))
	y := func(n int64) int {
		if highest <= 0 {
			return chartHigh
		}
		return chartHigh - int(scaled(max(n, 0), chartHigh, highest))
	}
	var path strings.Builder
	for i, p := range points {
		x := scaled(int64(p.Time.Sub(first)/1e6), chartWide, span)
		if i == 0 {
			fmt.Fprintf(&path, "M%d %d", x, y(p.Daily))
			continue
		}
		fmt.Fprintf(&path, "H%dV%d", x, y(p.Daily))
	}
	fmt.Fprintf(&path, "H%d", chartWide)
	c.Path = path.String()
	c.Area = c.Path + fmt.Sprintf("V%dH0Z", chartHigh)
}

// scaled is n of whole, in units of size, without overflow.
func scaled(n, size, whole int64) int64 {
	for n > 1<<50 || whole > 1<<50 {
		n, whole = n>>1, whole>>1
	}
	return n * size / max(whole, 1)
}

// fewer keeps the highest of neighbours where there are more points than a chart
// shows: what was possible once is not smoothed away.
func fewer(points []daemon.Point) []daemon.Point {
	if len(points) <= chartMost {
		return points
	}
	var kept []daemon.Point
	for i := range chartMost {
		of := points[i*len(points)/chartMost : (i+1)*len(points)/chartMost]
		kept = append(kept, slices.MaxFunc(of, func(x, y daemon.Point) int {
			return int(min(max(x.Daily-y.Daily, -1), 1))
		}))
	}
	return kept
}
