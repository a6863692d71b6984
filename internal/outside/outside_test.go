package outside

import (
	"fmt"
	"os"
	"testing"
	"time"

	"adsync/state/kv"
)

// An entry that is read again is kept once, the oldest go first, and a line that a power cut cut off costs only itself.
func TestWhatOthersDidIsKeptOnceAndBounded(t *testing.T) {
	folder := kv.Folder{Dir: t.TempDir()}
	k := Kept{folder}
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	entry := func(i int) Entry {
		at := start.Add(time.Duration(i) * time.Minute)
		return Entry{ID: fmt.Sprint("log_", i), Time: at, Action: "update_ad", Of: "ad_1"}
	}
	note := func(entries ...Entry) {
		t.Helper()
		if err := k.Note(entries); err != nil {
			t.Fatal(err)
		}
	}
	note()
	if names, err := folder.Names(""); err != nil || len(names) != 0 {
		t.Fatalf("nothing was noted, and there is %v, %v", names, err)
	}
	note(entry(2), entry(1), entry(2))
	note(entry(1), entry(3))
	all, err := k.All()
	if err != nil || len(all) != 3 || all[0].ID != "log_1" || all[2].ID != "log_3" {
		t.Fatalf("All() = %v, %v; want entries 1, 2 and 3", all, err)
	}
	content, err := os.ReadFile(folder.Where(Name))
	if err == nil {
		err = os.WriteFile(folder.Where(Name), content[:len(content)-9], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var many []Entry
	for i := range most {
		many = append(many, entry(10+i))
	}
	note(many[:most-1]...)
	note(many...)
	all, err = k.All()
	if err != nil || len(all) != most || all[0].ID != "log_10" || all[most-1].ID != many[most-1].ID {
		t.Errorf("%d entries, from %s, %v; want the %d newest", len(all), all[0].ID, err, most)
	}
	if none, err := (Kept{}).All(); none != nil || err != nil {
		t.Errorf("All() without a store = %v, %v", none, err)
	}
}
