package adsapi

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// onTheLine answers with the date of a clock that this one is ahead of, after a way there and a way back.
type onTheLine struct{ ahead, there, back time.Duration }

func (o *onTheLine) RoundTrip(*http.Request) (*http.Response, error) {
	time.Sleep(o.there)
	date := time.Now().Add(-o.ahead).UTC().Format(http.TimeFormat)
	time.Sleep(o.back)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Date": {date}},
		Body: io.NopCloser(strings.NewReader(`{"id":"acct"}`))}, nil
}

// TestAnAnswerThatTookLongTellsNoOtherClock: by how much this clock is ahead of the service's is what quick answers
// tell; one that was long on its way, there or back, changes it no further than it can know.
func TestAnAnswerThatTookLongTellsNoOtherClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := &onTheLine{}
		c := clientOf(t, line)
		for _, row := range []struct {
			what string
			line onTheLine
		}{
			{"long on its way back, before any other", onTheLine{back: 8 * time.Second}},
			{"long on its way there", onTheLine{there: 8 * time.Second}},
			{"quick", onTheLine{}},
			{"an hour ahead", onTheLine{ahead: time.Hour}},
			{"an hour ahead, long on its way back", onTheLine{ahead: time.Hour, back: 8 * time.Second}},
			{"an hour ahead, long on its way there", onTheLine{ahead: time.Hour, there: 8 * time.Second}},
			{"put right", onTheLine{}},
			{"an hour behind", onTheLine{ahead: -time.Hour}},
			{"an hour behind, long on its way back", onTheLine{ahead: -time.Hour, back: 8 * time.Second}},
		} {
			*line = row.line
			if _, err := c.Get(t.Context(), "/ad_account", nil); err != nil {
				t.Fatal(err)
			}
			if got := c.Ahead(); (got - row.line.ahead).Abs() > time.Second {
				t.Errorf("%s: Ahead() = %s; want %s, to a second", row.what, got, row.line.ahead)
			}
		}
	})
}
