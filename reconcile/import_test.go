package reconcile_test

import (
	"fmt"
	"slices"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/testing/emulatortest"
)

// Keys are unlike those of the files, and the second import says the same again.
func TestImportTakesOnlyWhatIsNotManaged(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	w.clean()
	w.service.AdGroup(t, w.service.Campaign(t, "Spring"), "Runners")
	w.write("campaign/spring-2", map[string]any{
		"name": "New here", "bidding_type": "clicks", "budget.daily": 5_000_000,
	})
	for range 2 {
		found, err := w.agent.Import(t.Context(), w.desired)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(found.Snapshot.Addresses(), found.Managed, found.Waiting),
			"[account/account campaign/spring-3 ad_group/spring-3/runners] 3 []"; got != want {
			t.Errorf("import = %s, want %s", got, want)
		}
	}
}

// What the service has no list of is said by an import and an export: they have only what
// adsync knows of it.
func TestImportAndExportSayWhatCannotBeListed(t *testing.T) {
	w := newWorld(t, emulatortest.WithPoints(t, "profile:interface"))
	w.service.Ad(t, w.service.AdGroup(t, w.service.Campaign(t, "Spring"), "Runners"), "Hero")
	want := []string{"the service has no list of ads: those that adsync does not know cannot be seen, and are left out"}
	for name, read := range map[string]func() error{
		"import": func() error { _, err := w.agent.Import(t.Context(), w.desired); return err },
		"export": func() error { _, err := w.agent.Export(t.Context()); return err },
	} {
		w.agent = w.newAgent()
		if err := read(); err != nil {
			t.Fatal(err)
		}
		if got := w.agent.UnlistedNotes(); !slices.Equal(got, want) {
			t.Errorf("%s says %q; want %q", name, got, want)
		}
	}
	const unseen = "the service has no list of ads, and adsync knows none: what the account has of them cannot be seen"
	if problems := w.plan().Plan.Problems; !slices.ContainsFunc(problems, func(p diag.Problem) bool {
		return p.Message == unseen
	}) {
		t.Errorf("the plan says %v; want %q", problems, unseen)
	}
}

// What the files name by its name alone has to be adopted before what is beneath it.
func TestImportWaitsForWhatTheFilesName(t *testing.T) {
	w := newWorld(t)
	w.service.AdGroup(t, w.service.Campaign(t, "Spring"), "Runners")
	w.write("campaign/x", map[string]any{"name": "Spring", "bidding_type": "clicks"})
	found, err := w.agent.Import(t.Context(), w.desired)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(found.Snapshot.Addresses(), found.Managed, found.Waiting),
		"[account/account] 1 [ad_group/x/runners]"; got != want {
		t.Errorf("import = %s, want %s", got, want)
	}
}
