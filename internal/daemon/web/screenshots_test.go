package web

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/daemon"
	"adsync/internal/orders"

	"github.com/chromedp/chromedp"
)

var screenshots = flag.String("screenshots", "", "the folder to draw the pictures of docs/operate/web.md anew in")

// pictureMost is how many bytes a picture of the documentation has at most.
const pictureMost = 150 << 10

// TestScreenshots draws the pictures of docs/operate/web.md. Without the flag it draws
// them for nobody, so that they can be drawn whenever somebody wants to.
func TestScreenshots(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	folder := *screenshots
	if folder == "" {
		folder = t.TempDir()
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	browser := chromium(t)
	for _, shot := range []struct {
		name, path, scheme, first string
		wide, high                int64
	}{
		{"overview", "/", "light", "", 1100, 520},
		{"plan", "/accounts/shoes", "light", ".plan-of", 1100, 1150},
		{"exposure", "/accounts/shoes", "dark", "#exposure", 1100, 800},
		{"run", "/accounts/shoes/runs/run-000042", "light", "", 1100, 1000},
		{"phone", "/accounts/shoes", "dark", "", 390, 844},
		{"rewritten", "/accounts/shoes", "light", "", 1100, 560},
		{"runs", "/accounts/shoes/runs", "light", "", 1100, 560},
		{"login", "/login", "light", "", 1100, 560},
		{"phone-run", "/accounts/shoes/runs/run-000042", "light", "", 390, 844},
		{"phone-runs", "/accounts/shoes/runs", "dark", "", 390, 844},
		{"campaigns", "/accounts/shoes/campaigns", "light", "", 1100, 640},
		{"phone-campaigns", "/accounts/shoes/campaigns", "dark", "", 390, 844},
		{"ads", "/accounts/shoes/ads", "light", "", 1100, 1000},
		{"phone-ads", "/accounts/shoes/ads", "dark", ".gallery", 390, 844},
		{"activity", "/accounts/shoes/activity", "light", "", 1100, 560},
		{"phone-activity", "/accounts/shoes/activity", "dark", "", 390, 844},
		{"undo", "/accounts/shoes/runs/run-000042/undo", "light", "", 1100, 900},
		{"phone-undo", "/accounts/shoes/runs/run-000042/undo", "dark", "", 390, 844},
		{"conflicts", "/accounts/shoes", "light", "#conflicts", 1100, 560},
		{"phone-conflicts", "/accounts/shoes", "dark", "#conflicts", 390, 844},
		{"paused", "/accounts/shoes", "light", "", 1100, 640},
		{"phone-pause", "/accounts/shoes/pause", "light", "", 390, 844},
		{"phone-login", "/login", "dark", "", 390, 844},
		{"sessions", "/sessions", "light", "", 1100, 420},
		{"merge", "/accounts/shoes", "light", "", 1100, 1000},
		{"phone-merge", "/accounts/shoes", "dark", "#clashes", 390, 844},
	} {
		p := open(t, browser, nil)
		p.desk.runs["shoes"][0].Started = noon
		p.desk.settings = threeSettings()
		p.desk.draft.Values[0].Name = "Hiking Boots" // others have hostile names
		p.desk.drawn()
		if shot.name == "rewritten" {
			p.desk.rewrite("shoes")
		}
		if shot.first == "#conflicts" {
			p.desk.conflicts()
			p.desk.plans["shoes"].Changes[0].Fields[0].Foreign.Actor = "Eve Example"
		}
		if shot.name == "paused" {
			p.desk.change("shoes", func(a *daemon.Status) {
				a.Pauses = []daemon.Pause{{Settled: true, Paused: 1, First: []string{"Spring launch"},
					Pause: orders.Pause{ID: "01", By: "Ann Example", Reason: "wrong landing page", Since: noon,
						Resource: "cmpn_1", Name: "Spring launch"}}}
			})
		}
		if strings.HasSuffix(shot.path, "/activity") {
			p.desk.busy()
		}
		if shot.path != "/login" {
			from := strings.TrimSuffix(shot.path, "/undo") // which asks for it before it shows anything
			if shot.path == "/sessions" {
				from = "/"
			}
			p.login(from)
		}
		p.seen(shot.wide, shot.high, shot.scheme)
		if p.visit(shot.path); strings.HasSuffix(shot.name, "merge") {
			p.looks(mergeShown(), "winter.xlsx")
		}
		if shot.first != "" {
			eval[bool](p, `document.querySelector(`+quoted(shot.first)+`).scrollIntoView(), true`)
		}
		picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if len(picture) > pictureMost || len(picture) < 5<<10 {
			t.Errorf("%s has %d bytes; want at most %d, and a picture", shot.name, len(picture), pictureMost)
		}
		if err := os.WriteFile(filepath.Join(folder, shot.name+".png"), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// mergeShown is a workbook in which two people changed the same.
func mergeShown() *daemon.Upload {
	const sledges = `"Sledges for the `
	return &daemon.Upload{Source: "winter.xlsx", Into: "main", Merge: &daemon.Merge{
		Since: noon, Known: "0123",
		Took: []daemon.MergeValue{{What: "Ad groups!D2 [sledges] bid.max", Yours: "0.7", Today: "0.8"},
			{What: "Campaigns!D3 [gift-cards] budget.daily", Yours: "35", Today: "(blank)"}},
		Clashes: []daemon.MergeValue{
			{Digest: "aa", What: "Ads!E2 [family] title", Base: sledges + `whole family"`, Today: sledges + `big family"`,
				Yours: sledges + `family"`},
			{Digest: "bb", What: "Ads!4 [card]", Reason: "yours removed the row and today's file changed it",
				Today: `"Gift cards", "Last minute", "Card", "active", "A present in a minute"`, Yours: "(removed)"}},
		Left: []daemon.MergeValue{{What: `sheet "My notes"`,
			Reason: "only yours has it, and a sheet cannot be added by a merge"}},
	}}
}
