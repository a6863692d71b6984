package reconcile_test

import (
	"context"
	"net/http"
	"testing"

	"adsync/state"
)

// S21: an interrupt that cuts the upload of people blames no row, whether they came or
// not, for an audience that is new and for one that is there. The next run sends them,
// and nobody is in it twice.
func TestS21AnInterruptedUploadOfPeopleFailsNoRow(t *testing.T) {
	for _, row := range []struct {
		name   string
		exists bool
		comes  bool // the service has the people as the interrupt cuts the answer off
	}{
		{"new, they came", false, true},
		{"new, they did not", false, false},
		{"there, they came", true, true},
		{"there, they did not", true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.audience("others", 0, 10)
			if row.exists {
				w.audience("customers", 0, 100)
			}
			w.clean()
			before := w.last("audience/customers").ID
			if row.exists {
				w.audience("customers", 100, 150, "members.do", "add")
			} else {
				w.audience("customers", 0, 150)
			}
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			uploads := 0
			agent := w.through(line(func(r *http.Request) (*http.Response, error) {
				if !posts(r, "uploads") {
					return send(r)
				}
				uploads++
				interrupt()
				if row.comes {
					if answer, err := send(r); err != nil || answer.Body.Close() != nil {
						return nil, err
					}
				}
				return nil, context.Canceled
			}), w.store)
			report, err := agent.Apply(ctx, w.plan())
			if err == nil || ctx.Err() == nil || uploads == 0 {
				t.Fatalf("Apply = %v after %d uploads; want it interrupted", err, uploads)
			}
			for _, o := range report.Outcomes {
				if o.Outcome != state.OutcomeSkipped {
					t.Errorf("%s: %s: %s (%s); want it skipped", o.Address, o.Outcome, o.Message, o.Code)
				}
			}
			w.agent = w.newAgent()
			if _, err := w.agent.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.clean()
			if n := w.matched("customers"); n != 150 {
				t.Errorf("%d people are in it; want 150", n)
			}
			if n := w.born()["custom_audience Audience customers"]; n != 1 ||
				before != "" && w.last("audience/customers").ID != before {
				t.Errorf("made %d times, now %s; want once, %s", n, w.last("audience/customers").ID, before)
			}
			if row.exists && w.operations() != 1 {
				t.Errorf("%d operations on it; want one", w.operations())
			}
		})
	}
}
