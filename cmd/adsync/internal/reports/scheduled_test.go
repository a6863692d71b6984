package reports

import (
	"testing"
	"time"

	"adsync/internal/insights"
	"adsync/sources/config"
)

// The spans of the configuration are those that a report can be of.
func TestSpansOfTheConfiguration(t *testing.T) {
	now := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	for _, name := range append([]string{"7d", "200d"}, config.ReportSpans...) {
		if _, err := spanOf(name, now); err != nil {
			t.Error(err)
		}
		if _, err := insights.NamedSpan(name, now); err != nil {
			t.Error(err)
		}
	}
}
