package reconcile_test

import (
	"testing"
	"time"
)

// A job whose results come whole only in the next run is recorded then, after what its campaigns became
// since: what started is still known as started, so that a pause of it is nobody else's edit.
func TestACreateThatIsRecordedLateUndoesNothing(t *testing.T) {
	w := newWorld(t)
	w.permitAll("activates", "raises-spend")
	w.campaign("one", "active", 20_000_000)
	w.campaign("two", "active", 20_000_000)
	w.arm(`{"faults": [{"match": {"times": 2}, "action": {"job": {"do": "lose_result", "n": 2}}}]}`)
	if _, err := w.agent.Apply(t.Context(), w.plan()); err != nil {
		t.Fatal(err)
	}
	if err := w.sleep(t.Context(), 3*time.Hour); err != nil {
		t.Fatal(err)
	}
	w.campaign("one", "paused", 20_000_000)
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.last("campaign/one").Value("status").Text(); got != "active" {
		t.Errorf("the record says %q of what was started; want active", got)
	}
	w.clean()
	if got := w.delivering(); got != "Campaign two" {
		t.Errorf("delivering: %s; want two alone", got)
	}
}
