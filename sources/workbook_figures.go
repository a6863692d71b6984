package sources

import (
	"strings"

	"adsync/internal/resource"
)

// figureColumn is a metric of one window.
type figureColumn struct {
	window int // place among the windows
	metric int // place among the metrics
}

// figureColumns are the columns of a kind whose resources have figures, window
// by window. A metric that is zero throughout and may be is left out.
func (b *bookWriter) figureColumns(s *resource.Schema) []column {
	if b.Figures == nil || s.Insights == "" {
		return nil
	}
	var columns []column
	for window := range b.Figures.Windows {
		for metric := range resource.Metrics {
			if b.showsMetric(metric) {
				columns = append(columns, b.figureColumn(window, metric))
			}
		}
	}
	return columns
}

// isFigureHeader reports whether a header is one figureColumn writes, of any
// windows.
func isFigureHeader(header string) bool {
	_, _, _, ok := figureOf(header)
	return ok
}

// figureOf reads a header that figureColumn writes: the place of the metric, the
// name of the window, and what its brackets say.
func figureOf(header string) (metric int, window, inBrackets string, ok bool) {
	if m := bracketed.FindStringSubmatch(header); m != nil {
		header, inBrackets = m[1], strings.TrimSpace(m[2])
	}
	for metric, m := range resource.Metrics {
		window, begins := strings.CutPrefix(strings.TrimSpace(header), m.Header+" ")
		if begins && resource.IsWindow(window) {
			return metric, window, inBrackets, true
		}
	}
	return 0, "", "", false
}

func (b *bookWriter) showsMetric(metric int) bool {
	return !resource.Metrics[metric].Rare || b.Figures.Has(metric)
}

func (b *bookWriter) figureColumn(window, metric int) column {
	w, m := b.Figures.Windows[window].Window, resource.Metrics[metric]
	return column{
		title: m.Header + " " + w.Name, role: roleOurs, ours: oursFigure, figure: &figureColumn{window, metric},
		help: m.Help + "\n" + windowHelp(w) + "\nThe service's own figures; not read.\nBlank: the service has none.",
	}
}

// windowHelp says which days a window has.
func windowHelp(w resource.Window) string {
	days := w.Since + " to " + w.Until
	if w.Since == w.Until {
		days = w.Since
	}
	return days + ": whole days in the account's time zone. Today is left out, as its figures are preliminary."
}

func (b *bookWriter) figureDigits(f *figureColumn, id string) string {
	return b.Figures.Windows[f.window].ByID[id][f.metric]
}
