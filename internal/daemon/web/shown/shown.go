// Package shown writes moments, money and what others wrote as the page shows them.
//
// It refuses to trust: a text of somebody else is cut to a length, and has no character that moves or hides others. Its
// invariant: the same value is written alike on each page.
package shown

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"
)

// Name is what somebody is called, or calls something.
func Name(text string) string { return Text(text, 80) }

// Reason is why, as somebody wrote it.
func Reason(text string) string { return Text(text, 500) }

// Text is what somebody wrote, cut to a length.
func Text(text string, most int) string {
	runes := []rune(diag.Printable(strings.TrimSpace(text)))
	if len(runes) > most {
		runes = runes[:most]
	}
	return string(runes)
}

// Moment is a time for people and for programs.
type Moment struct{ Text, Machine string }

// MomentOf is a time in a zone.
func MomentOf(t time.Time, zone *time.Location) Moment {
	if t.IsZero() {
		return Moment{}
	}
	return Moment{t.In(zone).Format("2006-01-02 15:04 MST"), t.UTC().Format(time.RFC3339)}
}

// HTML writes a moment, and "never" where there was none.
func (m Moment) HTML() template.HTML {
	if m.Text == "" {
		return template.HTML(template.HTMLEscapeString(catalogue.Say("time.never")))
	}
	return template.HTML(`<time datetime="` + template.HTMLEscapeString(m.Machine) +
		`">` + template.HTMLEscapeString(m.Text) + `</time>`)
}

// Zone is the account's time zone, UTC where this machine does not know it.
func Zone(a planview.Account) *time.Location {
	if zone, err := time.LoadLocation(a.TimeZone); err == nil && a.TimeZone != "" && a.TimeZone != "Local" {
		return zone
	}
	return time.UTC
}

// Money is an amount with the account's currency.
func Money(micros int64, a planview.Account) string {
	return strings.TrimSpace(planview.Amount(micros) + " " + Text(a.Currency, 20))
}

// Change is by how much an amount grew, in whole percent; "" where it was nothing before.
func Change(now, before int64) string {
	if before <= 0 {
		return ""
	}
	percent := (now - before) / max(before/100, 1)
	switch {
	case percent > 999:
		return catalogue.Say("time.over", "percent", "+999%")
	case percent == 0:
		return "0%"
	}
	return fmt.Sprintf("%+d%%", percent)
}
