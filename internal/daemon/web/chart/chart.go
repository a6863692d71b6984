// Package chart draws what a page shows over time, as paths of SVG, so that it needs no script.
//
// It refuses to draw what is not known: a day that was not read is left out of its line. Its invariant: a chart is
// within its bounds, whatever its figures are.
package chart

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"
)

// Bounds of a chart: its size in its own units, and how many points it draws and
// its table lists.
const (
	wide   = 600
	high   = 160
	most   = 300
	listed = 30
)

// Possible is possible spend a day over time.
type Possible struct {
	Wide, High  int
	Path        string // of the line
	Area        string // beneath it
	Most, Half  string // what the upper and the middle line stand for; "" where nothing could be spent
	From, To    shown.Moment
	Description string
	Points      []Point // the newest first
	More        int
}

// Point is possible spend at one moment.
type Point struct {
	Time            shown.Moment
	Daily, Lifetime string
	MonthEnd        string
}

// Of draws points in their order of time; nil where there is none.
func Of(points []daemon.Point, a planview.Account) *Possible {
	if len(points) == 0 {
		return nil
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(x, y daemon.Point) int { return x.Time.Compare(y.Time) })
	zone := shown.Zone(a)
	first, last := points[0], points[len(points)-1]
	highest := slices.MaxFunc(points, func(x, y daemon.Point) int { return int(min(max(x.Daily-y.Daily, -1), 1)) })
	c := &Possible{Wide: wide, High: high, Most: planview.Amount(highest.Daily),
		Half: planview.Amount(highest.Daily / 2),
		From: shown.MomentOf(first.Time, zone), To: shown.MomentOf(last.Time, zone)}
	if highest.Daily == 0 {
		c.Most, c.Half = "", ""
	}
	c.Description = catalogue.Say("chart.description", "first", shown.Money(first.Daily, a), "from", c.From.Text,
		"last", shown.Money(last.Daily, a), "to", c.To.Text, "highest", shown.Money(highest.Daily, a),
		"when", shown.MomentOf(highest.Time, zone).Text)
	c.draw(fewer(points), highest.Daily)
	for i := len(points) - 1; i >= 0; i-- {
		if len(c.Points) == listed {
			c.More = i + 1
			break
		}
		p := points[i]
		c.Points = append(c.Points, Point{shown.MomentOf(p.Time, zone),
			planview.Amount(p.Daily), planview.Amount(p.Lifetime), planview.Amount(p.MonthEnd)})
	}
	return c
}

// draw makes steps: possible spend is what it was until it moves.
func (c *Possible) draw(points []daemon.Point, highest int64) {
	first := points[0].Time
	span := max(1, int64(points[len(points)-1].Time.Sub(first)/1e6))
	y := func(n int64) int {
		if highest <= 0 {
			return high
		}
		return high - int(scaled(max(n, 0), high, highest))
	}
	var path strings.Builder
	for i, p := range points {
		x := scaled(int64(p.Time.Sub(first)/1e6), wide, span)
		if i == 0 {
			fmt.Fprintf(&path, "M%d %d", x, y(p.Daily))
			continue
		}
		fmt.Fprintf(&path, "H%dV%d", x, y(p.Daily))
	}
	fmt.Fprintf(&path, "H%d", wide)
	c.Path = path.String()
	c.Area = c.Path + fmt.Sprintf("V%dH0Z", high)
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
	if len(points) <= most {
		return points
	}
	var kept []daemon.Point
	for i := range most {
		of := points[i*len(points)/most : (i+1)*len(points)/most]
		kept = append(kept, slices.MaxFunc(of, func(x, y daemon.Point) int {
			return int(min(max(x.Daily-y.Daily, -1), 1))
		}))
	}
	return kept
}
