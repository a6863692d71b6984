package reconcile_test

import (
	"net/http"
	"strings"
	"testing"

	accounts "adsync/internal/emulator/world"
	"adsync/internal/testing/emulatortest"
	"adsync/reconcile/apply"
	"adsync/state"
)

// spentSoFar is a delivery that spent so many micros, whenever it is asked.
type spentSoFar int64

func (s spentSoFar) Spent(*accounts.Account, string, string) int64 { return int64(s) }

// H23, C8: a limit below what the service has counted as spent is refused. The
// row says so, nothing is recorded, and the limit stays as it was.
func TestH23C8LimitBelowSpendIsReportedAtItsCell(t *testing.T) {
	w := newWorld(t)
	window := func(amount int) {
		w.write("spend_limit_window/now", map[string]any{"amount": amount, "start": w.day(0), "end": w.day(9)})
	}
	window(300_000_000)
	w.clean()
	w.service.World().Spending = spentSoFar(200_000_000)
	window(100_000_000)
	report := w.apply()
	if o := report.Outcomes[0]; o.Outcome != state.OutcomeFailed ||
		!strings.Contains(o.Message, "below the recorded spend of 200000000 micros") {
		t.Errorf("outcome is %s %q; want it failed in the service's words", o.Outcome, o.Message)
	}
	if n, _ := w.last("spend_limit_window/now").Value("amount").Number(); n != 300_000_000 ||
		!strings.Contains(w.limits(), `"amount_micros":300000000`) {
		t.Errorf("last amount is %d and the service has %s; want 300000000 on both sides", n, w.limits())
	}
	window(200_000_000)
	w.clean()
}

// N3: the answer to a pixel's create is lost, and the create has no key. The rest
// of that apply goes on; the next one finds the pixel, or says what to do.
func TestLostAnswerOfAPixelConcernsThePixelAlone(t *testing.T) {
	for _, tt := range []struct {
		name   string
		only   bool // the service has no list of pixels
		logged bool // and shows its audit log
	}{{"listed", false, true}, {"not listed, and in the audit log", true, true}, {"not listed", true, false}} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, emulatortest.WithPoints(t, map[bool]string{true: "profile:interface"}[tt.only]))
			w.write("pixel/shop", map[string]any{"name": "Web shop"})
			w.tree("spring", "paused")
			report, err := w.through(&lost{suffix: "/conversions/pixels"}, w.store).Apply(t.Context(), w.plan())
			got := outcomes(report)
			if err != nil || got["pixel/shop"] != state.OutcomeUnknown ||
				got["campaign/spring"] != state.OutcomeApplied {
				t.Fatalf("apply: %v, %v; want the pixel unknown and the campaign applied", got, err)
			}
			w.agent = w.through(withoutAuditLog(tt.only && !tt.logged), w.store)
			recovered, err := w.agent.Recover(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !tt.only || tt.logged {
				if recovered.Finished != 1 {
					t.Fatalf("Recover = %+v; want the pixel found", recovered)
				}
				w.clean()
				return
			}
			if len(recovered.Undecided) != 1 || !strings.Contains(recovered.Undecided[0],
				"give its id as id: in the files; if not, adsync resolve pixel/shop --as not-applied") {
				t.Errorf("Recover = %+v; want what a person is to do", recovered)
			}
		})
	}
}

// A pixel that the account may not have: its row says so, and the others go on.
func TestPixelWhereTheFeatureIsNotThere(t *testing.T) {
	for _, status := range []int{403, 404} {
		w := newWorld(t)
		w.write("pixel/shop", map[string]any{"name": "Web shop"})
		w.write("audience/empty", map[string]any{"name": "Nobody yet"})
		w.tree("spring", "paused")
		refusal := line(func(r *http.Request) (*http.Response, error) {
			if posts(r, "conversions/pixels") {
				return answer(r, status, `{"error":{"message":"Conversion `+
					`measurement is not enabled.","type":"invalid_request_error","param":null,"code":"not_enabled"}}`)
			}
			return send(r)
		})
		report, err := w.through(refusal, w.store).Apply(t.Context(), w.plan())
		if err != nil {
			t.Fatal(err)
		}
		got := outcomes(report)
		if got["pixel/shop"] != state.OutcomeFailed ||
			got["campaign/spring"] != state.OutcomeApplied || got["audience/empty"] != state.OutcomeApplied {
			t.Errorf("%d: outcomes are %v; want the pixel failed and the others applied", status, got)
		}
		for _, o := range report.Outcomes {
			if o.Address.Kind == "pixel" && !strings.Contains(o.Message, "not enabled") {
				t.Errorf("%d: the pixel says %q; want the service's reason", status, o.Message)
			}
		}
		w.agent = w.newAgent()
		w.clean()
	}
}

// The service has no call that changes or removes a pixel or an event setting:
// the plan says so in words, and nothing is sent.
func TestPixelAndEventSettingStayAsTheyAre(t *testing.T) {
	w := newWorld(t)
	w.write("pixel/shop", map[string]any{"name": "Web shop"})
	w.clean()
	setting := func(name string) {
		w.write("event_setting/orders", map[string]any{
			"name": name, "event_type": "order_created", "source": w.last("pixel/shop").ID,
		})
	}
	setting("Orders")
	w.clean()
	before := len(w.mutations())
	w.write("pixel/shop", map[string]any{"name": "Another shop"})
	setting("All orders")
	report := w.apply()
	for _, o := range report.Outcomes {
		if o.Outcome != apply.OutcomeHeld || !strings.Contains(o.Message, "cannot change after creation") ||
			!strings.Contains(o.Message, "the service has no call that") {
			t.Errorf("%s is %s %q; want it held, with the reason", o.Address, o.Outcome, o.Message)
		}
	}
	w.write("pixel/shop", map[string]any{"name": "Web shop"})
	w.write("event_setting/orders", map[string]any{
		"name": "Orders", "event_type": "order_created", "source": w.last("pixel/shop").ID, "status": "archived",
	})
	found := false
	for _, p := range w.plan().Plan.Problems {
		found = found || p.Address == "event_setting/orders" && strings.Contains(p.Message, "want the row without it")
	}
	if !found || len(report.Outcomes) != 2 || len(w.mutations()) != before {
		t.Errorf("problem %v, %d outcomes, %d effects; want a problem, two outcomes and none",
			found, len(report.Outcomes), len(w.mutations())-before)
	}
}
