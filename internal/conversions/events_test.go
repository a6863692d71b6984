package conversions

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
)

// fileOf writes a file and opens it.
func fileOf(t *testing.T, name string, content []byte) *File {
	t.Helper()
	at := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(at, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(at, Reading{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// FuzzEvents: what is let through the receiver takes, nobody goes out in the clear, and no problem
// quotes anybody.
func FuzzEvents(f *testing.F) {
	f.Add(false, []byte("id,type,time,action_source,email,phone,amount,currency\n"+
		"a,order_created,2026-11-02T15:04:05Z,offline,ann@shop.example,+49 151 12345678,19.99,EUR\n"+
		"b,app_opened,2026-11-02 15:04,mobile_app,,,,\n"))
	f.Add(false, []byte("sep=;\nEvent ID;Event;timestamp_ms;source;amount_minor;currency;#x\na;custom;1;web;1;USD;y\n"))
	f.Add(false, []byte("id\ttype\tcustom_event_name\ttime\tsource\turl\na\tcustom\tgift\t2026-11-02T15:04:05Z\tweb\t"+
		"https://a.example/?m=ann%40shop.example\n"))
	f.Add(true, []byte(`{"id":"a","type":"lead_created","timestamp_ms":1762095845000,"action_source":"web",`+
		`"user":{"email":"ann@shop.example"},"data":{"type":"custom","amount":1,"currency":"USD","x":{"y":[1]}}}`))
	f.Add(true, []byte(`{"id":"a","type":"order_created","time":"2026-11-02T15:04:05Z","action_source":"offline"}`))
	f.Fuzz(func(t *testing.T, lines bool, content []byte) {
		name := map[bool]string{true: "e.jsonl", false: "e.csv"}[lines]
		_, err := fileOf(t, name, content).walk(t.Context(), func(r row) error {
			if r.problem != nil {
				if strings.Contains(r.problem.Error(), "@") {
					t.Errorf("the problem %q quotes an address", r.problem)
				}
				return nil
			}
			body, err := json.Marshal(r.event)
			if err != nil {
				return nil // a batch of it is not made
			}
			if addressed.Match(body) {
				t.Errorf("an e-mail address goes out: %s", body)
			}
			if problems := emulator.CheckEvent(body, time.UnixMilli(r.event.At)); len(problems) > 0 {
				t.Errorf("the receiver refuses %s: %v", body, problems)
			}
			return nil
		})
		if fault, ok := errors.AsType[*Fault](err); ok && strings.Contains(fault.Error(), "@") {
			t.Errorf("the fault %q quotes an address", fault)
		}
	})
}

// TestRowsThatCannotGo: each says what is wrong, and quotes nothing.
func TestRowsThatCannotGo(t *testing.T) {
	const at = "2026-11-02T15:04:05Z"
	for row, want := range map[string]string{
		"a,order_created," + at + ",offline,,1.5,EUR":      "",
		"a,order_created," + at + ",offline,,1.555,EUR":    "more than the 2 decimals",
		"a,order_created," + at + ",offline,,1.5,JPY":      "more than the 0 decimals",
		"a,order_created," + at + ",offline,,1.5,":         "stands without a currency",
		"a,purchase," + at + ",offline,,,":                 "type is none of the service's",
		"a,app_opened," + at + ",offline,,,":               "want mobile_app",
		"a,order_created,2026-11-02,offline,,,":            "want such as 2026-11-02T15:04:05Z",
		"a,order_created,1762095845,offline,,,":            "want such as 2026-11-02T15:04:05Z",
		"a,order_created," + at + ",tv,,,":                 "action_source is none",
		"a,order_created," + at + ",,,,":                   "has no action_source",
		",order_created," + at + ",offline,,,":             "has no id",
		"a,order_created," + at + ",offline,ann,,":         "hold no e-mail address",
		"ann@shop.example,order_created," + at + ",web,,,": "id holds an e-mail address",
	} {
		f := fileOf(t, "e.csv", []byte("id,type,time,source,email,amount,currency\n"+row+"\n"))
		s, err := Look(t.Context(), f, 10, time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC))
		got := ""
		if err == nil && len(s.Problems) > 0 {
			got = s.Problems[0].Message
		}
		if err != nil || (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %v, %q; want %q", row, err, got, want)
		}
	}
}

// TestAFileThatWasSentInPartMustNotChange: nor may it go at another name's cost.
func TestAFileThatWasSentInPartMustNotChange(t *testing.T) {
	folder, now := t.TempDir(), time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)
	look := func(content string) *Survey {
		s, err := Look(t.Context(), fileOf(t, "e.csv", []byte("id,type,time,source\n"+content)), 1, now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const a, b = "a,lead_created,2026-11-02T15:04:05Z,web\n", "b,lead_created,2026-11-02T15:04:05Z,web\n"
	first := look(a + b)
	j, err := OpenJournal(folder, "e.csv", "px", first, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.note(first.Batches[0], Unknown, "", 0, now), j.Close()); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		what, name, pixel string
		of                *Survey
		want              error
	}{
		{"as it was", "e.csv", "px", first, nil},
		{"changed", "e.csv", "px", look(b), ErrChanged},
		{"under another name", "f.csv", "px", look(b), nil},
		{"for another pixel", "e.csv", "py", look(b), nil},
	} {
		j, err := OpenJournal(folder, tc.name, tc.pixel, tc.of, 1)
		if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
			t.Errorf("%s: %v; want %v", tc.what, err, tc.want)
			continue
		}
		if err == nil {
			if tc.of == first && (j.Fate(1) != Unknown || j.Fate(2) != Waiting) {
				t.Errorf("%s: %q and %q; want the first unknown, the second waiting", tc.what, j.Fate(1), j.Fate(2))
			}
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestABatchThatNeverLeftWaits: it is not said to be refused, and what may have arrived before stays so.
func TestABatchThatNeverLeftWaits(t *testing.T) {
	now := time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)
	const rows = "id,type,time,source\na,lead_created,2026-11-02T15:04:05Z,web\n"
	s, err := Look(t.Context(), fileOf(t, "e.csv", []byte(rows)), 1, now)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, row := range []struct{ before, ends, want Fate }{
		{Waiting, Waiting, Waiting},
		{Waiting, Refused, Refused},
		{Refused, Waiting, Waiting},
		{Unknown, Waiting, Unknown},
		{Unknown, Refused, Unknown},
		{Unknown, Taken, Taken},
	} {
		j, err := OpenJournal(folder, "e.csv", "px", s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.note(s.Batches[0], row.before, "", 0, now); err != nil {
			t.Fatal(err)
		}
		run := sending{j: j}
		err = run.send(s.Batches[0], []int{2}, now, func() (outcome, error) {
			return outcome{fate: row.ends, event: -1, why: errors.New("no route")}, nil
		})
		if waits := row.ends == Waiting; errors.Is(err, ErrNoConnection) != waits {
			t.Errorf("%q, then %q: %v; want ErrNoConnection: %v", row.before, row.ends, err, waits)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if j, err = OpenJournal(folder, "e.csv", "px", s, 1); err != nil || j.Fate(1) != row.want {
			t.Errorf("%q, then %q: %q, %v; want %q", row.before, row.ends, j.Fate(1), err, row.want)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
