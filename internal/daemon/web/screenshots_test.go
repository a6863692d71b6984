package web

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/comments"
	"adsync/internal/daemon"
	"adsync/internal/figures/overspend"
	"adsync/internal/orders"
	"adsync/internal/testing/figurestest"

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
		{"spend", "/accounts/shoes", "light", "", 1100, 560},
		{"kinds", "/accounts/shoes", "light", "#held", 1100, 640},
		{"phone-kinds", "/accounts/shoes", "dark", "#held", 390, 844},
		{"comments", "/accounts/shoes/comments?of=campaign/spring-launch", "light", "", 1100, 640},
		{"phone-comments", "/accounts/shoes/comments?of=campaign/spring-launch", "dark", "", 390, 844},
		{"login-provider", "/login", "light", "", 1100, 560},
		{"files", "/accounts/shoes/files", "light", "", 1100, 420},
		{"look", "/accounts/shoes", "light", "", 1100, 640},
		{"phone-look", "/accounts/shoes", "dark", "", 390, 844},
		{"sent", "/accounts/shoes", "light", "", 1100, 420},
		{"phone-sent", "/accounts/shoes", "dark", "", 390, 844},
		{"pause", "/accounts/shoes/pause", "light", "", 1280, 640},
		{"passkey", "/passkey", "light", "", 1100, 560},
	} {
		var options func(*Options)
		if shot.name == "login-provider" || shot.name == "passkey" {
			options = func(o *Options) { providing(t, o) }
		}
		p := open(t, browser, options)
		p.desk.runs["shoes"][0].Started = noon
		p.desk.settings = threeSettings()
		p.desk.draft.Values[0].Name = "Hiking Boots" // others have hostile names
		p.desk.drawn()
		p.desk.branded(t)
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
		p.desk.shown(t, shot.name)
		if strings.HasSuffix(shot.path, "/activity") {
			p.desk.busy()
		}
		if shot.path != "/login" && shot.path != "/passkey" {
			from := strings.TrimSuffix(shot.path, "/undo") // which asks for it before it shows anything
			if shot.path == "/sessions" {
				from = "/"
			}
			from, _, _ = strings.Cut(from, "/comments?")
			p.login(from)
		}
		p.seen(shot.wide, shot.high, shot.scheme)
		p.visit(shot.path)
		if strings.HasSuffix(shot.name, "merge") {
			p.looks(mergeShown(), "winter.xlsx")
		}
		if strings.HasSuffix(shot.name, "sent") {
			p.looks(&daemon.Upload{Plan: p.desk.plans["shoes"], Source: "spring.xlsx", Saves: true}, "spring.xlsx")
			p.click(".commit button")
			p.says("is in the folder")
			p.seen(shot.wide, shot.high+1, shot.scheme) // as after a form was sent, no frame is drawn by itself
		}
		if strings.HasSuffix(shot.name, "look") {
			p.looks(&daemon.Upload{Problems: []string{
				"spring.xlsx:Ads!E17: title has 52 characters; want at most 50 (ADS1008)",
				"spring.xlsx:Campaigns!D4: daily budget is \"25,00\"; want an amount such as 25.00 (ADS1004)"},
				Marked: []byte("x"), Name: "marked.xlsx"}, "spring.xlsx")
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
		Took: []daemon.MergeValue{{What: "Ad groups!D2 [sledges] Max bid (USD)", Yours: "0.7", Today: "0.8"},
			{What: "Campaigns!D3 [gift-cards] Daily budget (USD)", Yours: "35", Today: "(blank)"}},
		Clashes: []daemon.MergeValue{
			{Digest: "aa", What: "Ads!E2 [family] Title", Base: sledges + `whole family"`, Today: sledges + `big family"`,
				Yours: sledges + `family"`},
			{Digest: "bb", What: "Ads!4 [card]", Reason: "yours removed the row and today's file changed it",
				Today: `"Gift cards", "Last minute", "Card", "active", "A present in a minute"`, Yours: "(removed)"}},
		Left: []daemon.MergeValue{{What: `sheet "My notes"`,
			Reason: "only yours has it, and a sheet cannot be added by a merge"}},
	}}
}

// shown has what one of the pictures is of.
func (d *fakeDesk) shown(t *testing.T, name string) {
	d.figures = figurestest.Kept(t, noon.In(newYork), []string{"Hiking boots", "Gift cards", "Rain coats"},
		func(campaign, daysAgo int) map[string]string {
			return map[string]string{"spend": fmt.Sprint(10*(campaign+1) + daysAgo%4), "impressions": "1000",
				"clicks": fmt.Sprint(10 + campaign), "conversions": "1"}
		})
	named := func(level, id string, change func(*daemon.Setting)) {
		s := d.settings[level][id]
		change(&s)
		d.settings[level][id] = s
	}
	named("campaign", "campaign_1", func(s *daemon.Setting) { s.Name = "Gift cards" })
	named("campaign", "campaign_9", func(s *daemon.Setting) { s.Name = "Winter sale" })
	named("ad", "ad_7", func(s *daemon.Setting) {
		look := *s.Look
		look.Title, look.Body = "BOOTS!! NOW!!", "Buy them before they are gone."
		look.Image = "https://cdn.example/boots.png"
		s.Look = &look
	})
	s := &d.accounts[0]
	s.Paced = &overspend.Paced{Currency: "USD", Day: "2026-11-21", Days: 7, Until: noon.Add(12 * time.Hour),
		Spent: 331_940_000, Due: 560_000_000, Known: 5, Delivering: 5}
	s.Drafts = s.Drafts[:1] // the other has a hostile name
	if name == "files" {
		d.files = map[string]string{"spring.xlsx": "x", "winter.xlsx": "x", "always-on.yaml": "x"}
	}
	if strings.HasSuffix(name, "kinds") {
		d.raises("shoes", 12, 3)
	}
	if name == "spend" {
		s.Passed = []overspend.Passing{
			{Rule: "daily", ID: "campaign_0", Name: "Hiking Boots", Day: "2026-11-22", Currency: "USD",
				Spent: 83_100_000, Allowed: 80_000_000, SoFar: true, Since: noon.Add(-time.Hour)},
			{Rule: "pace", ID: "campaign_1", Name: "Gift cards", Day: "2026-11-22", Currency: "USD",
				Spent: 912_400_000, Allowed: 725_000_000, Percent: 20, SoFar: true, Since: noon.Add(-3 * time.Hour)}}
	}
	if !strings.HasSuffix(name, "comments") {
		return
	}
	for i, c := range []comments.Comment{
		{By: "Bob Example", Text: "Is this for the sale on Friday? Then it may as well start today."},
		{By: "Ann Example", Text: "Yes. Stock arrives tomorrow, so not before 9:00."}} {
		c.Address, c.About = ofSpring, "Raise the daily budget of “Spring launch” from 50 to 120 USD"
		c.Time = noon.Add(time.Duration(i-9) * 10 * time.Minute)
		if _, err := d.comments.Add(c); err != nil {
			panic(err)
		}
	}
}
