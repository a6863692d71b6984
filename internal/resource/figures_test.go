package resource

import (
	"strings"
	"testing"
	"time"
)

func TestWindowsOfFigures(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	// It is the 21st in UTC, and the evening of the 20th in the account.
	now := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC).In(newYork)
	for _, row := range []struct {
		text, want string // since and until, or part of the error
	}{
		{"7d", "2026-11-13 2026-11-19"},
		{"1d", "2026-11-19 2026-11-19"},
		{"30d", "2026-10-21 2026-11-19"},
		{"yesterday", "2026-11-19 2026-11-19"},
		{" 7d ", "2026-11-13 2026-11-19"},
		{"last-7d", "2026-11-13 2026-11-19"},
		{"last-week", "2026-11-09 2026-11-15"}, // the 20th is a Friday
		{"last-month", "2026-10-01 2026-10-31"},
		{"2026-11-01..2026-11-15", "2026-11-01 2026-11-15"},
		{"2026-11-19..2026-11-19", "2026-11-19 2026-11-19"},
		{"2026-11-01..2026-11-20",
			"2026-11-20 is not over yet in the account's time zone; want 2026-11-19 at the latest"},
		{"2026-11-15..2026-11-01", "ends before it begins"},
		{"2026-02-29..2026-03-01", "2026-02-29 is no day"},
		{"2020-01-01..2026-01-01", "five years at most"},
		{"9999d", "five years at most"},
		{"0d", `window is "0d"; want 7d, 30d, yesterday, last-week, last-month or two days`},
		{"last week", `window is "last week"; want 7d`},
		{"", `window is ""; want 7d`},
	} {
		w, err := ParseWindow(row.text, now)
		got := w.Since + " " + w.Until
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, row.want) || err == nil && got != row.want {
			t.Errorf("ParseWindow(%q) = %s, want %s", row.text, got, row.want)
		}
	}
}

func TestAWindowIsAskedForOnce(t *testing.T) {
	now := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	if windows, err := ParseWindows("7d,30d", now); err != nil || len(windows) != 2 || Shortest(windows).Name != "7d" {
		t.Errorf("ParseWindows = %v, %v; want two, the first the shortest", windows, err)
	}
	if _, err := ParseWindows("7d,7d", now); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a window that is there twice: %v", err)
	}
}

func TestSymbolsOfCurrencies(t *testing.T) {
	for currency, want := range map[string]string{
		"USD": "$", "EUR": "€", "JPY": "¥", "CHF": "Fr.", "ZAR": "ZAR", "": "",
	} {
		if got := Symbol(currency); got != want {
			t.Errorf("Symbol(%s) = %q, want %q", currency, got, want)
		}
		if currency == "" {
			continue
		}
		if _, finding := ParseMoney("1 "+want, currency); finding != nil {
			t.Errorf("the symbol of %s does not read back: %s", currency, finding.Message)
		}
	}
}
