package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/planview"

	"github.com/xuri/excelize/v2"
)

// types saves cells of the workbook as programs do: another file in its place.
func (q *pausing) types(cells ...[3]string) {
	q.Helper()
	name := filepath.Join(q.dir, "winter.xlsx")
	f, err := excelize.OpenFile(name)
	noError(q.T, err)
	defer f.Close()
	for _, c := range cells {
		if i, _ := f.GetSheetIndex(c[0]); i < 0 {
			_, err := f.NewSheet(c[0])
			noError(q.T, err)
		}
		noError(q.T, f.SetCellValue(c[0], c[1], c[2]))
	}
	saving := filepath.Join(q.dir, "~winter.tmp") // which is no source
	file, err := os.Create(saving)
	noError(q.T, err)
	noError(q.T, f.Write(file))
	noError(q.T, file.Close())
	noError(q.T, os.Rename(saving, name))
}

// asked are the requests so far that may change something at the service.
func (q *pausing) asked() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.sent)
}

// drafted waits until the account has so many changes waiting in its draft, and has settled.
func (q *pausing) drafted(changes int) planview.Draft {
	q.Helper()
	s := q.until("drafted", func(s daemon.Status) bool {
		return len(s.Drafts) == 1 && s.Drafts[0].Changes == changes && s.State == daemon.InSync && !s.Running
	})
	return s.Drafts[0]
}

// says waits until adsync status says something of the account, or no longer.
func says(t *testing.T, dir, what string, is bool) {
	t.Helper()
	var out []byte
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); { // each asks a process
		var err error
		if out, err = asAdsync("status", dir).CombinedOutput(); err != nil {
			t.Fatalf("adsync status: %v\n%s", err, out)
		}
		if strings.Contains(string(out), what) == is {
			return
		}
	}
	t.Errorf("adsync status says\n%s\nwant %q in it: %t", out, what, is)
}

// TestADraftIsNotSent: what is saved as a draft stays where it is, also over a restart; its pause goes at once, and
// all of it once it is ready. The page says how it stands, to each account and in each view that shows its file.
func TestADraftIsNotSent(t *testing.T) {
	t.Parallel()
	q := newPausing(t)
	before, asked := q.statuses(), q.asked()
	q.types([3]string{"Start here", "A1", "This workbook is"}, [3]string{"Start here", "B1", "draft"},
		[3]string{"Campaigns", "A2", "Winter sale of 2026"}, [3]string{"Ads", "E2", "Sledges for all of you"})
	d := q.drafted(2)
	if d.File != "winter.xlsx" || d.Ready.IsZero() ||
		!strings.HasPrefix(d.Words, "draft, 2 changes waiting (last ready ") {
		t.Errorf("the draft is %+v; want 2 changes of winter.xlsx, which was ready", d)
	}
	for _, path := range []string{"/", "/accounts/shop", "/accounts/shop/files"} {
		if page := q.page(path); !strings.Contains(page, "draft, 2 changes waiting (last ready ") {
			t.Errorf("%s does not say how the draft stands", path)
		}
	}
	says(q.T, q.dir, "draft        winter.xlsx: draft, 2 changes waiting (last ready ", true)
	content, err := os.ReadFile(filepath.Join(q.dir, "winter.xlsx"))
	noError(t, err)
	var look struct {
		Problems []string
		Plan     *planview.Document
	}
	askDaemon(t, q.at, "POST", "/api/v1/accounts/shop/look?name=winter.xlsx", content, 200, &look)
	const asReady = "what is shown here is what it would change if it was ready"
	if look.Plan == nil || look.Plan.Summary.Update != 2 ||
		!strings.Contains(strings.Join(look.Problems, "\n"), asReady) {
		t.Errorf("a look at the draft finds %v; want the plan of 2 updates as if it was ready", look.Problems)
	}

	q.p.end()
	q.start()
	q.drafted(2)
	if now := q.statuses(); now != before || !slices.Equal(q.asked(), asked) {
		t.Fatalf("a draft was sent: %v; the campaigns are %s, and were %s", q.asked()[len(asked):], now, before)
	}

	q.types([3]string{"Campaigns", "B3", "paused"})
	paused := strings.Replace(before, "Gift cards active", "Gift cards paused", 1)
	q.until("the pause went", func(daemon.Status) bool { return q.statuses() == paused })
	q.drafted(2)
	sent := q.asked()[len(asked):]
	if now := q.statuses(); now != paused || len(sent) != 1 {
		t.Errorf("%v was sent, and the campaigns are %s; want the pause of Gift cards alone", sent, now)
	}
	q.types([3]string{"Campaigns", "B3", "active"}) // to start is not to pause
	q.drafted(3)
	q.p.end()
	q.start()
	q.drafted(3)
	if now := q.statuses(); now != paused {
		t.Errorf("taken back in the draft, the pause is gone: %s; want %s", now, paused)
	}

	q.types([3]string{"Start here", "B1", "ready"}, [3]string{"Campaigns", "B3", "paused"})
	all := strings.Replace(paused, "Winter sale ", "Winter sale of 2026 ", 1)
	s := q.until("all of it went", func(s daemon.Status) bool {
		return q.statuses() == all && s.State == daemon.InSync && !s.Running
	})
	if len(s.Drafts) != 0 || strings.Contains(q.page("/accounts/shop"), "changes waiting") {
		t.Errorf("it is ready, and the drafts are %+v; want none", s.Drafts)
	}
	says(q.T, q.dir, "draft  ", false)
	q.p.end()
}
