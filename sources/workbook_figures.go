package sources

import (
	"strings"

	"adsync/internal/resource"
)

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

// windowHelp says which days a window has.
func windowHelp(w resource.Window) string {
	days := w.Since + " to " + w.Until
	if w.Since == w.Until {
		days = w.Since
	}
	return days + ": whole days in the account's time zone. Today is left out, as its figures are preliminary."
}

// figureColumn is a metric of one window.
type figureColumn struct {
	window int // place among the windows
	metric int // place among the metrics
}
