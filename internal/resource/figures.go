package resource

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/pattern"
)

// Metric is one of the figures the service counts.
type Metric struct {
	Name   string // at the service: "impressions"
	Header string // "Impressions"
	Help   string
	Form   MetricForm
	Rare   bool // most accounts have none: shown only where there are
}

// MetricForm says how a metric's decimal text is to be read.
type MetricForm uint8

// The forms of metrics.
const (
	Count MetricForm = iota // a whole number
	Units                   // currency units
	Ratio                   // a share of one
)

// Metrics are the figures exports can show, in the order of their columns.
var Metrics = [...]Metric{
	{"impressions", "Impressions", "How often its ads were shown.", Count, false},
	{"clicks", "Clicks", "How often its ads were clicked.", Count, false},
	{"spend", "Spend", "What its ads cost, in the account's currency.", Units, false},
	{"ctr", "CTR", "Click-through rate: clicks for each impression.", Ratio, false},
	{"cpc", "CPC", "Cost per click: what one click cost on average, in the account's currency.", Units, false},
	{"cpm", "CPM", "What 1,000 impressions cost on average, in the account's currency.", Units, false},
	{"conversions", "Conversions", "Conversions after a click or a view of its ads.", Count, true},
	{"cpa", "CPA", "Cost per conversion, in the account's currency.", Units, true},
}

// Measured is a value for each of Metrics as decimal text, "" where the service
// says none. Money is never a float.
type Measured [len(Metrics)]string

// Window is a span of whole days in the account's time zone, first and last
// inclusive, as YYYY-MM-DD.
type Window struct {
	Name  string // as it was asked for: "7d"
	Since string
	Until string
}

// Days counts the days of the window.
func (w Window) Days() int {
	since, _ := time.Parse(time.DateOnly, w.Since)
	until, _ := time.Parse(time.DateOnly, w.Until)
	return int(until.Sub(since).Hours()/24) + 1
}

// Figures are what an account's resources did, by the id of each.
type Figures struct {
	Windows []WindowFigures // in the order they were asked for
	Daily   DailyFigures
}

// WindowFigures are the figures of one window.
type WindowFigures struct {
	Window
	ByID map[string]Measured
	Rows []FigureRow
}

// FigureRow is a resource that has figures in a window, of any kind that can.
type FigureRow struct {
	Kind Kind
	Path []string // names from the top of the tree down, the resource's own last
	ID   string
}

// DailyFigures are the figures of each day of the shortest window, by day and
// resource of the deepest kind that has any.
type DailyFigures struct {
	Window
	Rows []DayRow
}

// Spend returns each day of the window with what was spent on it, "" where no row
// knows.
func (d DailyFigures) Spend() (days, spends []string) {
	metric := slices.IndexFunc(Metrics[:], func(m Metric) bool { return m.Name == "spend" })
	sums := map[string]*big.Rat{}
	for _, row := range d.Rows {
		n, ok := new(big.Rat).SetString(row.Measured[metric])
		switch {
		case !ok:
		case sums[row.Day] == nil:
			sums[row.Day] = n
		default:
			sums[row.Day].Add(sums[row.Day], n)
		}
	}
	for day, err := time.Parse(time.DateOnly, d.Since); err == nil && day.Format(time.DateOnly) <= d.Until; {
		spend, name := "", day.Format(time.DateOnly)
		if sum := sums[name]; sum != nil {
			spend = strings.TrimSuffix(strings.TrimRight(sum.FloatString(6), "0"), ".")
		}
		days, spends = append(days, name), append(spends, spend)
		day = day.AddDate(0, 0, 1)
	}
	return days, spends
}

// DayRow is what one resource did on one day.
type DayRow struct {
	Day  string
	Path []string // names from the top of the tree down, the resource's own last
	ID   string
	Measured
}

// Has reports whether any resource has a metric above zero.
func (f *Figures) Has(metric int) bool {
	return slices.ContainsFunc(f.Windows, func(w WindowFigures) bool {
		for _, m := range w.ByID {
			if strings.Trim(m[metric], "0.") != "" {
				return true
			}
		}
		return false
	})
}

// Shortest is the window of the fewest days, the first of several.
func Shortest(windows []Window) Window {
	return slices.MinFunc(windows, func(a, b Window) int { return cmp.Compare(a.Days(), b.Days()) })
}

var (
	lastDays = pattern.Of(`^([1-9][0-9]{0,3})d$`)
	someDays = pattern.Of(`^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$`)
)

// The windows that have a name of their own. Weeks begin on Monday.
const (
	yesterday = "yesterday"
	lastWeek  = "last-week"
	lastMonth = "last-month"
)

// maxWindowDays is how far back the service looks (service facts, section 10).
const maxWindowDays = 5 * 365

// IsWindow reports whether a text has the form of a window, whichever its days.
func IsWindow(text string) bool {
	return slices.Contains([]string{yesterday, lastWeek, lastMonth}, text) ||
		lastDays.MatchString(text) || someDays.MatchString(text)
}

// ParseWindows reads windows separated by commas.
func ParseWindows(text string, now time.Time) ([]Window, error) {
	var windows []Window
	for part := range strings.SplitSeq(text, ",") {
		w, err := ParseWindow(part, now)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(windows, func(have Window) bool { return have.Name == w.Name }) {
			return nil, fmt.Errorf("window %q is there twice; want it once", w.Name)
		}
		windows = append(windows, w)
	}
	return windows, nil
}

// ParseWindow reads 7d, 30d, yesterday, last-week, last-month or
// 2026-11-01..2026-11-15; last-7d is 7d. A window ends yesterday at the latest,
// because the service's figures of the current day are preliminary; now is in the
// account's time zone.
func ParseWindow(text string, now time.Time) (Window, error) {
	text = strings.TrimSpace(text)
	if days, begins := strings.CutPrefix(text, "last-"); begins && lastDays.MatchString(days) {
		text = days
	}
	last := now.AddDate(0, 0, -1)
	w := Window{Name: text, Until: last.Format(time.DateOnly)}
	switch text {
	case lastWeek:
		sunday := now.AddDate(0, 0, -(int(now.Weekday())+6)%7-1)
		w.Since, w.Until = sunday.AddDate(0, 0, -6).Format(time.DateOnly), sunday.Format(time.DateOnly)
		return w, nil
	case lastMonth:
		end := now.AddDate(0, 0, -now.Day())
		w.Since, w.Until = end.AddDate(0, 0, 1-end.Day()).Format(time.DateOnly), end.Format(time.DateOnly)
		return w, nil
	}
	if m := lastDays.FindStringSubmatch(text); m != nil || text == yesterday {
		days := 1
		if m != nil {
			days, _ = strconv.Atoi(m[1])
		}
		w.Since = last.AddDate(0, 0, 1-days).Format(time.DateOnly)
		return w, w.check(w.Until)
	}
	m := someDays.FindStringSubmatch(text)
	if m == nil {
		return w, fmt.Errorf("window is %q; want 7d, 30d, yesterday, last-week, last-month "+
			"or two days such as 2026-11-01..2026-11-15", text)
	}
	w.Since, w.Until = m[1], m[2]
	return w, w.check(last.Format(time.DateOnly))
}

// check holds a window to days that are over and in order.
func (w Window) check(last string) error {
	for _, day := range []string{w.Since, w.Until} {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return fmt.Errorf("window is %q, and %s is no day; want two days such as 2026-11-01..2026-11-15",
				w.Name, day)
		}
	}
	switch {
	case w.Since > w.Until:
		return fmt.Errorf("window is %q, which ends before it begins; want the first day first", w.Name)
	case w.Until > last:
		return fmt.Errorf("window is %q, and %s is not over yet in the account's time zone; want %s at the latest",
			w.Name, w.Until, last)
	case w.Days() > maxWindowDays:
		return fmt.Errorf("window is %q, which has %d days; the service looks back five years at most",
			w.Name, w.Days())
	}
	return nil
}
