package sim

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"adsync/internal/emulator/openpoint"
)

// enough is how many histories must show every fault and every open point.
const enough = 2000

// enoughOthers is how many histories with kinds beyond the tree must show every
// fault of theirs: the rarest of those comes once in 46 of them.
const enoughOthers = 1300

const withOthers = "history with other kinds"

// wantAll wants every fault to have fired and every behaviour to have been drawn,
// where there were histories enough.
func (t *tally) wantAll(report *testing.T) {
	if t.Counts["history"] < enough {
		return
	}
	for _, name := range t.missing() {
		report.Errorf("%s never happened in %d histories", name, t.Counts["history"])
	}
	t.wantGuards(report)
	t.wantWaiting(report)
	t.wantBids(report)
}

func (t *tally) save(report *testing.T, path string) {
	text, err := json.Marshal(t)
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		report.Fatal(err)
	}
}

// What several processes counted, put together and judged as one run; without
// files, what is counted and what is missing of it.
func TestTotals(t *testing.T) {
	if *from == "" {
		totalsAreWhole(t)
		return
	}
	all := newTally()
	for path := range strings.SplitSeq(*from, ",") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		part := newTally()
		if err := json.Unmarshal(text, part); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all.join(part)
	}
	t.Logf("in all\n%s", all)
	all.wantAll(t)
	if n := all.Counts["violation"]; n > 0 {
		t.Errorf("%d violations; want none", n)
	}
}

func totalsAreWhole(t *testing.T) {
	first, second := newTally(), newTally()
	first.add("history", 3)
	first.add(withOthers, enoughOthers)
	second.add("history", 4)
	second.add("action edit", 2)
	for _, name := range first.missing() {
		first.Fired[name], first.Values[name] = 1, 1
	}
	first.join(second)
	if missing := first.missing(); len(missing) != 0 {
		t.Errorf("missing() = %v; want nothing where all happened", missing)
	}
	lag := string(openpoint.ListLag) + "=0s"
	delete(first.Values, lag)
	first.Fired["status 503"] = 0
	if missing := first.missing(); len(missing) != 2 {
		t.Errorf("missing() = %v; want status 503 and %s", missing, lag)
	}
	text := first.String()
	_, line, _ := strings.Cut(text, "\ntotals ")
	again := newTally()
	if err := json.Unmarshal([]byte(line), again); err != nil ||
		again.Counts["history"] != 7 || !strings.Contains(text, "\n7 histories, 2 actions, ") {
		t.Errorf("the last line is %q (%v), beneath\n%s\nwant 7 histories and 2 actions in both", line, err, text)
	}
}
