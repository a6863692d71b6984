package catalog

import (
	"strings"

	"adsync/internal/resource"
	"adsync/sources/celltext"
)

// IsFigureHeader reports whether a header is one figureColumn writes, of any
// windows.
func IsFigureHeader(header string) bool {
	_, _, _, ok := FigureOf(header)
	return ok
}

// FigureOf reads a header that figureColumn writes: the place of the metric, the
// name of the window, and what its brackets say.
func FigureOf(header string) (metric int, window, inBrackets string, ok bool) {
	if m := celltext.Bracketed.FindStringSubmatch(header); m != nil {
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

// WindowHelp returns which days a window has.
func WindowHelp(w resource.Window) string {
	days := w.Since + " to " + w.Until
	if w.Since == w.Until {
		days = w.Since
	}
	return days + ": whole days in the account's time zone. Today is left out, as its figures are preliminary."
}

// FigureColumn is a metric of one window.
type FigureColumn struct {
	Window int // place among the windows
	Metric int // place among the metrics
}
