package branch

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"adsync/state"
)

// lived is a hub whose branch has two runs: the second changed what the first recorded.
func lived(t *testing.T) (h *hub, c *clockwork, first string) {
	t.Helper()
	h, c = begun(t)
	for _, id := range []string{"1", "2"} {
		s := h.open(t, c)
		must(t, s.Record(t.Context(), []state.Applied{{Address: address("campaign/a"), ID: id}}))
		must(t, s.RecordRun(t.Context(), state.Run{ID: "run-" + id, Started: morning, PlanHash: "1"}))
		must(t, s.Close())
		if id == "1" {
			first = h.at
		}
	}
	return h, c, first
}

// TestWhatTheKeyDidNotSignIsRefused has somebody push who may, and has no key.
func TestWhatTheKeyDidNotSignIsRefused(t *testing.T) {
	swap := func(from, to string) func(h *hub, first string) map[string][]byte {
		return func(h *hub, _ string) map[string][]byte {
			files := maps.Clone(h.commits[h.at].Files)
			for name, content := range files {
				files[name] = bytes.ReplaceAll(content, []byte(from), []byte(to))
			}
			return files
		}
	}
	only := func(name string, content []byte) func(*hub, string) map[string][]byte {
		return func(*hub, string) map[string][]byte { return map[string][]byte{name: content} }
	}
	for name, tried := range map[string]struct {
		make func(h *hub, first string) map[string][]byte // what the last commit holds in place of what it held
		want string
		read bool // without the key it is not seen
	}{
		"another id":        {swap(`"id":"2"`, `"id":"3"`), "last.ndjson: the key of the state did not sign it", true},
		"another serial":    {swap(`"serial": 5`, `"serial": 9`), "head.json: the key of the state did not sign it", true},
		"another lineage":   {swap(`"lineage": "`, `"lineage": "0`), "did not sign it", true},
		"another branch":    {swap("adsync/state", "adsync/other"), `it is the record of the branch "adsync/other"`, false},
		"a file that went":  {only("last.ndjson", nil), "last.ndjson is missing", false},
		"a head that went":  {only(headName, nil), "has no head.json", false},
		"a head of nothing": {only(headName, []byte("{}")), "it is the record of the branch", false},
		"an older file": {func(h *hub, first string) map[string][]byte {
			return map[string][]byte{"last.ndjson": h.commits[first].Files["last.ndjson"]}
		}, "last.ndjson is of push 3, and head.json names that of push 5", false},
		"no MAC": {func(h *hub, _ string) map[string][]byte {
			lines := strings.Split(string(h.commits[h.at].Files[headName]), "\n")
			return map[string][]byte{headName: []byte(strings.Join(append(lines[:len(lines)-3], "}", "}"), "\n"))}
		}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			h, c, first := lived(t)
			tip := h.commits[h.at]
			files := maps.Clone(tip.Files)
			for file, content := range tried.make(h, first) {
				if files[file] = content; content == nil {
					delete(files, file)
				}
			}
			tip.Files = files
			h.commits[h.at] = tip // in the very place of the commit adsync made
			_, err := h.runner(t).Open(t.Context(), state.Options{Now: c.now})
			wantError(t, "Open", err, state.ErrDamaged, tried.want)
			reader := h.runner(t)
			reader.Key = nil
			if _, err := reader.OpenReadOnly(t.Context()); !tried.read && err == nil {
				t.Error("a reader without the key takes it; want it refused")
			}
		})
	}
}

func TestACommitUponTheRecordIsRefused(t *testing.T) {
	h, c, first := lived(t)
	for name, files := range map[string]map[string][]byte{
		"an older record as a whole": h.commits[first].Files, "a file of nobody": {"README.md": []byte("hello")},
	} {
		stood := h.at
		h.put(name, files)
		_, err := h.runner(t).Open(t.Context(), state.Options{Now: c.now})
		wantError(t, "Open of "+name, err, state.ErrDamaged, "somebody else put it there", "adsync state begin")
		h.at = stood
	}
	s, err := h.runner(t).Open(t.Context(), state.Options{Now: c.now})
	must(t, err)
	must(t, s.Close())
}

func TestABranchThatWentBackIsSeenWhereItWasSeenBefore(t *testing.T) {
	h, c, first := lived(t)
	stays := h.runner(t)
	s, err := stays.Open(t.Context(), state.Options{Now: c.now})
	must(t, err)
	must(t, s.Close())
	h.at = first
	_, err = stays.Open(t.Context(), state.Options{Now: c.now})
	wantError(t, "Open of a branch that went back", err, state.ErrDamaged, "it stands at push 3", "was at push 7")
	_, err = stays.OpenReadOnly(t.Context())
	wantError(t, "OpenReadOnly of it", err, state.ErrDamaged)
	// It went another way from where it was seen.
	for range 2 {
		must(t, h.open(t, c).Close())
	}
	_, err = stays.OpenReadOnly(t.Context())
	wantError(t, "OpenReadOnly of another past", err, state.ErrDamaged, "it stands at push 7", "was at push 7")
}

func TestTheRecordOfAnotherAccountIsRefused(t *testing.T) {
	h, c, _ := lived(t)
	other := h.runner(t)
	other.Account = "act_2"
	_, err := other.Open(t.Context(), state.Options{Now: c.now})
	wantError(t, "Open of the record of another account", err, state.ErrForeign, "act_1", "act_2")
	other = h.runner(t)
	other.Key = bytes.Repeat([]byte("k"), LeastKey)
	_, err = other.Open(t.Context(), state.Options{Now: c.now})
	wantError(t, "Open with another key", err, state.ErrDamaged, "or another key is given")
	other.Key = nil
	_, err = other.Open(t.Context(), state.Options{Now: c.now})
	wantError(t, "Open without a key", err, state.ErrUnusable, "no key signs")
}

func TestUnchangedFilesAreNotPushedAgain(t *testing.T) {
	h, c, _ := lived(t)
	before := h.commits[h.at].Files
	s := h.open(t, c)
	must(t, s.RecordFile(t.Context(), "sha256:1", "file-1"))
	must(t, s.Close())
	after := h.commits[h.at].Files
	for _, name := range []string{"last.ndjson", "run.ndjson"} {
		if !bytes.Equal(before[name], after[name]) {
			t.Errorf("%s is another file, and nothing of it changed", name)
		}
	}
	if !bytes.Contains(after["file.ndjson"], []byte(`{"key":"sha256:1","text":"file-1"}`)) {
		t.Errorf("file.ndjson is %s; want the file in a line", after["file.ndjson"])
	}
}

// The journal only grows: what a run did that is over is not pushed with every later one.
func TestTheJournalOfARunThatIsOverStays(t *testing.T) {
	h, c := begun(t)
	for _, run := range []string{"run-1", "run-2"} {
		before := h.commits[h.at].Files["step/run-1.ndjson"]
		s := h.open(t, c)
		must(t, s.Begin(t.Context(), step(run+"/create/1", run, "bytes")))
		must(t, sent(t, s, run+"/create/1", morning))
		must(t, s.Move(t.Context(), run+"/create/1", state.Abandoned, state.Update{}))
		must(t, s.Close())
		after := h.commits[h.at].Files
		if run == "run-2" && (before == nil || !bytes.Equal(before, after["step/run-1.ndjson"])) {
			t.Errorf("the journal of the first run was %s, and is %s", before, after["step/run-1.ndjson"])
		}
		if !bytes.Contains(after["step/"+run+".ndjson"], []byte(`"point":"abandoned"`)) {
			t.Errorf("the journal of %s is %s; want its step in it", run, after["step/"+run+".ndjson"])
		}
	}
}
