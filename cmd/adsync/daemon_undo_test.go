package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/daemon"
	"adsync/internal/runview"
)

// undoing is an account shoes whose runs are taken back at its daemon.
type undoing struct{ *watchman }

func (u undoing) path(run, of string) string {
	path := "/api/v1/accounts/shoes/runs/" + run + "/undo"
	if of != "" {
		path += "?" + url.Values{"of": {of}}.Encode()
	}
	return path
}

func (u undoing) draft(run, of string) (d daemon.Draft) {
	u.Helper()
	askDaemon(u.T, strings.TrimPrefix(u.root, "http://"), "GET", u.path(run, of), nil, 200, &d)
	return d
}

// order has a draft written, and wants a status.
func (u undoing) order(run, of, digest string, status int) (answer struct {
	daemon.Edited
	Code, Message string
}) {
	u.Helper()
	body := fmt.Sprintf(`{"of":%q,"digest":%q,"by":"Ann","reason":"too dear"}`, of, digest)
	askDaemon(u.T, strings.TrimPrefix(u.root, "http://"), "POST", u.path(run, ""), []byte(body), status, &answer)
	return answer
}

func (u undoing) file() string {
	u.Helper()
	content, err := os.ReadFile(filepath.Join(u.dir, "spring.yaml"))
	noError(u.T, err)
	return string(content)
}

// TestARunIsUndoneInTheFiles: what a run applied is written back into the files at the page, each former file stays,
// and the next run applies it through all guards. What the files say since is left, and what moved since it was shown
// is not written.
func TestARunIsUndoneInTheFiles(t *testing.T) {
	t.Parallel()
	u := undoing{hire(t, allowsRises)}
	first := u.spends(50).Run
	u.save("spring.yaml", "# of the client\n"+springAt("20.00"))
	second := u.spends(20).Run

	d := u.draft(second, "")
	if len(d.Values) != 1 || d.Values[0].At != "spring.yaml:7:17" || d.Values[0].Was != "20.00" ||
		d.Values[0].Is != "50.00" || d.Values[0].Name != "Spring" || d.Plan == nil || d.Plan.Summary.Held != 1 ||
		len(d.Left)+len(d.Problems) != 0 {
		t.Fatalf("the undo of %s is %+v; want the budget of before, and that the raise waits", second, d)
	}
	if none := u.draft(second, "campaign/other"); len(none.Values) != 0 || none.Plan != nil {
		t.Errorf("of what the run did not touch: %+v; want nothing", none)
	}
	if said := u.order(second, "", "of another", 409); said.Code != "moved" {
		t.Errorf("another draft: %+v; want it refused", said)
	}
	lock := filepath.Join(u.dir, ".~lock.spring.yaml#")
	noError(t, os.WriteFile(lock, nil, 0o600))
	if said := u.order(second, "", d.Digest, 409); said.Code != "not_written" ||
		!strings.Contains(said.Message, "go on asking for it: spring.yaml: file is open in an editor") {
		t.Errorf("while the file is open: %+v; want it said", said)
	}
	noError(t, os.Remove(lock))
	if u.file() != "# of the client\n"+springAt("20.00") {
		t.Errorf("what was refused changed the file:\n%s", u.file())
	}

	done := u.order(second, "", d.Digest, 201)
	if u.file() != "# of the client\n"+springAt("50.00") || len(done.Files) != 1 || len(done.Kept) != 1 {
		t.Fatalf("%+v; the file says\n%s", done, u.file())
	}
	former, err := os.ReadFile(filepath.Join(u.dir, done.Kept[0]))
	noError(t, err)
	if string(former) != "# of the client\n"+springAt("20.00") {
		t.Errorf("%s is\n%s\nwant the former file", done.Kept[0], former)
	}
	held := u.until("held", func(s daemon.Status) bool { return s.State == daemon.Held && s.Held == 1 })
	if held.Exposure.Daily != 20_000_000 {
		t.Errorf("possible spend is %d while the raise waits; want 20", held.Exposure.Daily)
	}
	if said := u.order(second, "", d.Digest, 409); said.Code != "no_edit" {
		t.Errorf("ordered twice: %+v; want nothing left", said)
	}
	var activity struct {
		Events []struct{ Kind, What, By, Why string }
	}
	askDaemon(t, strings.TrimPrefix(u.root, "http://"), "GET", "/api/v1/accounts/shoes/activity", nil, 200, &activity)
	if e := activity.Events[0]; e.Kind != "order" || e.By != "Ann" || e.Why != "too dear" ||
		e.What != "Undid in the files: "+second {
		t.Errorf("the newest event is %+v; want the order", e)
	}
	u.approves("Bob Example", "agreed")
	u.spends(50)

	u.save("spring.yaml", springAt("45.00"))
	third := u.spends(45).Run
	u.save("spring.yaml", springAt("44.00"))
	u.spends(44)
	d = u.draft(third, "")
	if len(d.Values) != 0 || len(d.Left) != 1 || d.Left[0].Why != "the files say 44.00 since" {
		t.Errorf("what the files say since: %+v; want it left", d)
	}

	d = u.draft(first, "campaign/spring")
	if len(d.Values) != 1 || d.Values[0].Attribute != "status" || d.Values[0].Is != "paused" || len(d.Left) != 1 {
		t.Fatalf("the undo of what made it is %+v; want it paused, and its row left", d)
	}
	u.order(first, "campaign/spring", d.Digest, 201)
	u.spends(0)
	var refused struct{ Code string }
	for path, code := range map[string]string{"run-999999": "no_run", "..%2f..%2fx": "no_run", "last": "no_run"} {
		askDaemon(t, strings.TrimPrefix(u.root, "http://"), "GET", u.path(path, ""), nil, 404, &refused)
		if refused.Code != code {
			t.Errorf("%s: %s; want %s", path, refused.Code, code)
		}
	}
	if run := ask[runview.Document](u.watchman, "GET", "/runs/"+third, nil); run.Run != third {
		t.Errorf("the run is %s", run.Run)
	}
}
