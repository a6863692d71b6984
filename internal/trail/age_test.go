package trail

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"adsync/internal/runview"
	"adsync/state/kv"
)

// The names of people go from lines that are old enough, and nothing else does.
func TestNamesOfPeopleAreKeptAsLongAsIsSaid(t *testing.T) {
	const old, young = `"time":"2026-03-01T01:00:00Z"`, `"time":"2026-03-01T05:00:00Z"`
	for _, tc := range []struct {
		name, line, want string
		aged             int
	}{
		{"an approval of then", `{"allow":["activates"],"by":"anna","note":"call me","plan_hash":"5a",` + old + `}`,
			`{"allow":["activates"],"plan_hash":"5a",` + old + `}`, 1},
		{"a run of then", `{"run":"run-000001","approved":[{"by":"anna","link":"https://git.example/1"}],` + old + `}`,
			`{"run":"run-000001",` + old + `}`, 1},
		{"a review at a forge", `{"allow":["activates"],"link":"https://git.example/1",` + old + `}`,
			`{"allow":["activates"],` + old + `}`, 1},
		{"what others did then", `{"id":"log_1","by":"user 7","action":"pause_ad","of":"ad_1",` + old + `}`,
			`{"action":"pause_ad","id":"log_1","of":"ad_1",` + old + `}`, 1},
		{"one of now", `{"by":"anna",` + young + `}`, `{"by":"anna",` + young + `}`, 0},
		{"a suspension of then", `{"order":"suspend","by":"anna","reason":"anna is away",` + old + `}`,
			`{"order":"suspend",` + old + `}`, 1},
		{"one that names nobody", `{"order":"suspend",  ` + old + `}`, `{"order":"suspend",  ` + old + `}`, 0},
		{"without a time", `{"by":"anna"}`, `{"by":"anna"}`, 0},
		{"no JSON", `{"by":"anna"`, `{"by":"anna"`, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := kv.Folder{Dir: t.TempDir()}
			file := s.Where("lines.ndjson")
			if err := os.WriteFile(file, []byte("\n"+tc.line+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			aged, err := AgeLines(s, "lines.ndjson", at(3))
			content, failed := os.ReadFile(file)
			if err != nil || failed != nil || aged != tc.aged || string(content) != "\n"+tc.want+"\n" {
				t.Errorf("AgeLines = %d, %v, and the file is\n%s\nwant %d and\n%s",
					aged, err, content, tc.aged, tc.want)
			}
			if again, err := AgeLines(s, "lines.ndjson", at(3)); again != 0 || err != nil {
				t.Errorf("once more = %d, %v; want nothing to do", again, err)
			}
		})
	}
	if aged, err := AgeLines(kv.Folder{Dir: t.TempDir()}, "none", at(3)); aged != 0 || err != nil {
		t.Errorf("AgeLines of no file = %d, %v", aged, err)
	}
}

func TestWhoDecidedGoes(t *testing.T) {
	have, named := NamelessDecision("ad/x decided as made by ann on desk, 2026-03-01T01:00:00Z")
	if want := "ad/x decided as made, 2026-03-01T01:00:00Z"; have != want || !named {
		t.Errorf("NamelessDecision = %q, %t; want %q", have, named, want)
	}
	sent, named := NamelessDecision(
		`keys create of "daemon": done, key_1 by ann, allowed by bert, 2026-03-01T01:00:00Z`)
	if want := `keys create of "daemon": done, key_1, 2026-03-01T01:00:00Z`; sent != want || !named {
		t.Errorf("NamelessDecision = %q, %t; want %q", sent, named, want)
	}
	if again, named := NamelessDecision(have); named || again != have {
		t.Errorf("once more = %q, %t", again, named)
	}
}

// A run that is kept names nobody once its names are taken out, whichever fields have them.
func TestARunIsKeptWithoutNames(t *testing.T) {
	content, err := json.Marshal(runview.Head{Run: "run-000001", By: "secretname, ordered by secretname",
		Approved:   []runview.Approver{{By: "secretname", Link: "https://forge.example/1"}},
		ApprovedBy: []string{"secretname"}})
	if err != nil {
		t.Fatal(err)
	}
	if without, named := Nameless(content); !named || bytes.Contains(without, []byte("secretname")) {
		t.Errorf("what is kept without names is %s", without)
	}
}
