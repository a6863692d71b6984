package reconcile_test

import (
	"slices"
	"testing"
	"time"

	"adsync/reconcile/env"
	"adsync/reconcile/recover"
	"adsync/state"
)

// Every row of the table of recovery, with what the service knows by then: it has
// seen the request, or never has. The step is found by its row and comes to its
// end, everything is made once, and the account is as the files say.
func TestRecoveryRowsAndWhatTheServiceKnows(t *testing.T) {
	tree := func(w *world) { w.tree("spring", "paused") }
	group := func(w *world) { w.tree("spring", "paused"); w.clean(); w.group("New") }
	picture := func(w *world) {
		tree(w)
		w.write("ad/spring/g/local", map[string]any{
			"name": "Local", "status": "active", "title": "Local picture",
			"body": "Text.", "target_url": "https://shop.example/l", "image": w.image(testImage(w.t)),
		})
	}
	for _, row := range []struct {
		name, rule string
		files      func(*world)
		diesBefore string
		old        bool // its key is not trusted any more
		became     string
	}{
		{"a job never sent", "never sent", tree, "move sent", false, "abandoned"},
		{"a job the service never saw", "job, young", tree, "send POST /bulk_mutation_jobs", false, "finished"},
		{"a job the service has", "job, young", tree, "answer of POST /bulk_mutation_jobs", false, "finished"},
		{"an old job the service never saw", "read back", tree, "send POST /bulk_mutation_jobs", true, "abandoned"},
		{"an old job the service has", "read back", tree, "answer of POST /bulk_mutation_jobs", true, "finished"},
		{"a job that was taken", "job accepted", tree, "move terminal", false, "finished"},
		{"an old job that was taken", "job accepted", tree, "move terminal", true, "finished"},
		{"a job that ended", "job ended", tree, "finish", false, "finished"},
		{"a job whose results are recorded", "recorded", tree, "move verified", false, "finished"},
		{"a picture the service never saw", "upload", picture, "send POST /upload", false, "abandoned"},
		{"a picture the service has", "upload", picture, "answer of POST /upload", false, "abandoned"},
		{"a request the service never saw", "request, young", group, "send POST /ad_groups", false, "finished"},
		{"a request the service has", "request, young", group, "answer of POST /ad_groups", false, "finished"},
		{"an old request the service never saw", "read back", group, "send POST /ad_groups", true, "abandoned"},
		{"an old request the service has", "read back", group, "answer of POST /ad_groups", true, "finished"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			row.files(w)
			w.diesBefore(row.diesBefore)
			if row.old {
				if err := w.sleep(t.Context(), env.TrustWindow); err != nil {
					t.Fatal(err)
				}
			}
			w.agent = w.newAgent()
			recovered, err := w.agent.Recover(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(recovered.Steps, func(s recover.RecoveredStep) bool {
				return s.Rule.Name == row.rule && s.Became == row.became
			}) {
				t.Errorf("recovered %+v; want a step %s by the rule %q", recovered.Steps, row.became, row.rule)
			}
			w.clean()
			w.eachOnce()
		})
	}
}

// A step that is set aside waits for a person, run after run.
func TestRecoveryRowOfWhatIsSetAside(t *testing.T) {
	w := newWorld(t)
	w.tree("autumn", "paused")
	w.diesBefore("answer of POST /bulk_mutation_jobs")
	rule := func() recover.RecoveredStep {
		t.Helper()
		recovered, err := w.newAgent().Recover(t.Context())
		if err != nil || len(recovered.Steps) == 0 {
			t.Fatalf("Recover = %+v, %v; want a step", recovered, err)
		}
		return recovered.Steps[0]
	}
	open, err := w.store.Open(t.Context())
	if err != nil || len(open) != 1 {
		t.Fatalf("%d steps are open, %v; want one", len(open), err)
	}
	for _, move := range []state.Point{state.Unknown, state.BlockedStep} {
		if err := w.store.Move(t.Context(), open[0].ID, move, state.Update{Note: "set aside"}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if s := rule(); s.Rule.Name != "blocked" || s.Became != "undecided" {
			t.Errorf("a step set aside is %s by the rule %q; want it undecided, by blocked", s.Became, s.Rule.Name)
		}
	}
	if err := w.sleep(t.Context(), time.Minute); err != nil { // by then the job has ended
		t.Fatal(err)
	}
	if n := len(w.creates(w.mutations())); n != 3 {
		t.Errorf("%d resources were made; want the 3 of the job, and nothing by recovery", n)
	}
}

// eachOnce holds that everything was created once.
func (w *world) eachOnce() {
	w.t.Helper()
	for name, n := range w.born() {
		if n != 1 {
			w.t.Errorf("%s was created %d times; want once", name, n)
		}
	}
}
