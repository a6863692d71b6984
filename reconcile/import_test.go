package reconcile_test

import (
	"fmt"
	"testing"
)

// Keys are unlike those of the files, and the second import says the same again.
func TestImportTakesOnlyWhatIsNotManaged(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	w.clean()
	w.service.AdGroup(t, w.service.Campaign(t, "Spring"), "Runners")
	w.write("campaign/spring-2", map[string]any{"name": "New here", "bidding_type": "clicks", "budget.daily": 5_000_000})
	for range 2 {
		found, err := w.agent.Import(t.Context(), w.desired)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(found.Snapshot.Addresses(), found.Managed, found.Waiting), "[account/account campaign/spring-3 ad_group/spring-3/runners] 3 []"; got != want {
			t.Errorf("import = %s, want %s", got, want)
		}
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
	if got, want := fmt.Sprint(found.Snapshot.Addresses(), found.Managed, found.Waiting), "[account/account] 1 [ad_group/x/runners]"; got != want {
		t.Errorf("import = %s, want %s", got, want)
	}
}
