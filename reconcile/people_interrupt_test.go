package reconcile_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"adsync/state"
)

// An operation on people that was accepted is unknown, whatever ends the waiting for it: nothing says
// that it was not reached, of those beside it neither. The next run finds what became of it.
func TestAnAcceptedOperationOnPeopleIsNotSaidToBeLeftOut(t *testing.T) {
	for _, row := range []struct {
		name  string
		sends int // operations that are sent before the interrupt
	}{
		{"as the first is asked about", 2},
		{"as the second is sent", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			for _, key := range []string{"customers", "others"} {
				w.audience(key, 0, 100)
			}
			w.clean()
			for _, key := range []string{"customers", "others"} {
				w.audience(key, 100, 150, "members.do", "add")
			}
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			sent := 0
			agent := w.through(line(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/add") {
					answer, err := send(r)
					if sent++; sent == row.sends {
						interrupt()
					}
					return answer, err
				}
				if ctx.Err() != nil {
					return nil, context.Canceled
				}
				return send(r)
			}), w.store)
			report, err := agent.Apply(ctx, w.plan())
			if err == nil || sent != row.sends {
				t.Fatalf("Apply = %v after %d operations; want it interrupted after %d", err, sent, row.sends)
			}
			unknown := 0
			for _, o := range report.Outcomes {
				if o.Outcome == state.OutcomeUnknown && strings.Contains(o.Message, "it was accepted") {
					unknown++
				}
			}
			if unknown != row.sends {
				t.Errorf("%d of %d accepted operations are unknown: %v", unknown, row.sends, report.Outcomes)
			}
			w.agent = w.newAgent()
			if _, err := w.agent.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.clean()
			if n := w.matched("customers"); n != 150 {
				t.Errorf("%d people are in it; want 150", n)
			}
		})
	}
}

// What was created with its people is unknown where nobody waited until the service had made it.
func TestACreateWithPeopleThatIsNotWaitedForIsUnknown(t *testing.T) {
	w := newWorld(t)
	w.audience("customers", 0, 100)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	created := false
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		if created && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/custom_audiences/") {
			interrupt()
			return nil, context.Canceled
		}
		created = created || posts(r, "custom_audiences")
		return send(r)
	}), w.store)
	report, err := agent.Apply(ctx, w.plan())
	if err == nil || !created || len(report.Outcomes) != 1 {
		t.Fatalf("Apply = %v, created: %t, %v; want it interrupted after the create", err, created, report.Outcomes)
	}
	if o := report.Outcomes[0]; o.Outcome != state.OutcomeUnknown || !strings.Contains(o.Message, "not waited for") {
		t.Errorf("outcome is %s: %s; want it unknown, as it was not waited for", o.Outcome, o.Message)
	}
	w.agent = w.newAgent()
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.clean()
	if n := w.born()["custom_audience Audience customers"]; n != 1 {
		t.Errorf("it was made %d times; want once", n)
	}
}
