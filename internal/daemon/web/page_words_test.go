package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/planview"
)

// TestOnlyWhatIsHeldWaitsForAYes: an account that is planned and never applied asks
// nobody for one.
func TestOnlyWhatIsHeldWaitsForAYes(t *testing.T) {
	a := ask(t, nil)
	shown := &pages{&replies{Options: &a.server.Options, desk: a.desk}}
	for held, want := range map[int]string{0: "planned, not applied", 2: "waits for approval"} {
		if got := shown.cardOf(&daemon.Status{State: daemon.Held,
			Figures: &daemon.Figures{Held: held}}, nil).Mood.Words; got != want {
			t.Errorf("%d held: %q; want %q", held, got, want)
		}
	}
}

// TestAnAccountWithFileErrors: its page says what was live when it was planned last,
// and since when nothing could be; before any plan, that nothing is known.
func TestAnAccountWithFileErrors(t *testing.T) {
	a := ask(t, nil)
	broken := planview.Document{
		Account: planview.Account{ID: "adacct_quickstart", Currency: "USD"}, Error: "1 error; nothing was changed",
	}
	a.desk.plans["shoes"], a.desk.plans["hats"] = &broken, &broken
	shoes := &a.desk.accounts[0]
	shoes.State, shoes.PlanHash, shoes.Unplanned = daemon.Input, "", noon.Add(-time.Minute)
	shoes.Taken = noon.Add(-time.Hour)
	tags := regexp.MustCompile("<[^>]*>")
	for path, want := range map[string][]string{
		"/accounts/shoes": {"Nothing could be planned since 2026-11-22 11:59 EST. Possible " +
			"spend a day: 50.00 USD, as it was live 2026-11-22 11:00 EST.", "No plan: 1 error; nothing was changed."},
		"/accounts/hats": {"Nothing could be planned since 2026-11-22 16:00 UTC. Possible spend a day: not known yet.",
			"No plan: 1 error; nothing was changed."},
		"/": {"50.00 USD", "Nothing could be planned since 2026-11-22 11:59 EST. The figures are of " +
			"2026-11-22 11:00 EST.", "Nothing could be planned since 2026-11-22 16:00 UTC.", "Waitingnot known yet"},
	} {
		page := tags.ReplaceAllString(text(t, a.get(path)), "")
		for _, words := range want {
			if !strings.Contains(page, words) {
				t.Errorf("%s does not say %q", path, words)
			}
		}
		if strings.Contains(page, "(no change)") {
			t.Errorf("%s says that spend does not change, which nobody knows", path)
		}
	}
}

// A browser that goes away while it waits is no failure of adsync, and no error in its log.
func TestARequestThatIsBrokenOffIsNoError(t *testing.T) {
	var log bytes.Buffer
	re := &replies{Options: &Options{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	if p := re.problemOf(fmt.Errorf("open state: %w", context.Canceled)); p.code != "not_now" || log.Len() > 0 {
		t.Errorf("%+v, and the log says %q; want not_now and nothing", p, log.String())
	}
	if p := re.problemOf(errors.New("disk is gone")); p.code != "internal" || log.Len() == 0 {
		t.Errorf("%+v, and the log says %q; want internal, and why", p, log.String())
	}
}

// TestAfterAnApplyThePageShowsWhatItCameTo: not the plan of before it, nor what was
// approved in it. Where not all of it went, the figures are being read.
func TestAfterAnApplyThePageShowsWhatItCameTo(t *testing.T) {
	for pending, want := range map[int]string{0: `<p class="sum">120.00 USD</p>`, 1: "It is being read"} {
		a := ask(t, nil)
		p := a.desk.plans["shoes"]
		agreed := `[{"address": "campaign/dark", ` +
			`"message": "budget.daily rises", "allow": "raises-spend=campaign/dark", "by": "Ben"}]`
		if err := json.Unmarshal([]byte(agreed), &p.Agreed); err != nil {
			t.Fatal(err)
		}
		p.Changes, p.Asks = nil, nil
		shoes := &a.desk.accounts[0]
		shoes.State, shoes.Reached, shoes.Message = daemon.Applied, true, "1 applied; verified 1/1"
		shoes.Figures = &daemon.Figures{Taken: noon, Pending: pending, Exposure: daemon.Exposure{Daily: 120_000_000}}
		page := html.UnescapeString(text(t, a.get("/accounts/shoes")))
		for _, says := range []string{want, "1 applied; 1 of 1 read back as sent"} {
			if !strings.Contains(page, says) {
				t.Errorf("%d pending: the page does not say %q", pending, says)
			}
		}
		for _, says := range []string{"Plan <code>",
			"it goes once nothing else stops it", `id="held"`, "verified 1/1"} {
			if strings.Contains(page, says) {
				t.Errorf("%d pending: the page still says %q", pending, says)
			}
		}
	}
}

// TestThePagesOfRunsHaveNoEngineersWords: names and headers in the place of addresses, ids
// and attributes, and no command.
func TestThePagesOfRunsHaveNoEngineersWords(t *testing.T) {
	a := ask(t, nil)
	a.desk.runs["shoes"][1].Reverts = "run-000001"
	for path, wants := range map[string][]string{
		"/accounts/shoes/runs/run-000042": {"Daily budget: 120.00 → 160.00",
			"campaign</span> “Dark”", "Waits, and was not sent (1)", "Daily budget is ×6 of what it was",
			"To do: approve it on the page, or write a smaller amount.", "Run run-000042"},
		"/accounts/shoes/runs": {"1 waiting", "read back as sent", "takes back run-000001: "},
		"/accounts/shoes":      {"woken by a push"},
	} {
		page := html.UnescapeString(text(t, a.get(path)))
		for _, says := range wants {
			if !strings.Contains(page, says) {
				t.Errorf("%s does not say %q:\n%s", path, says, page)
			}
		}
		for _, says := range []string{"--allow raises", "budget.daily",
			"campaign/dark", "cmpn_", "adgrp_", "Held,", " held", "verified ", "adsync apply", "adsync show"} {
			if strings.Contains(page, says) {
				t.Errorf("%s says %q", path, says)
			}
		}
	}
}
