package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"adsync/internal/cards"
	"adsync/internal/daemon"
	"adsync/internal/daemon/web/ads"
	"adsync/internal/daemon/web/campaigns"
	"adsync/internal/diag"
	"adsync/internal/figures"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/internal/testing/figurestest"
)

// thePicture is a square of many colours, and pictureSum that of its bytes.
var thePicture, pictureSum = func() (string, string) {
	m := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			m.Set(x, y, color.RGBA{uint8(4 * x), uint8(4 * y), 120, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	sum := sha256.Sum256(b.Bytes())
	return b.String(), hex.EncodeToString(sum[:])
}()

// drawn has the files of the first account have the picture.
func (d *fakeDesk) drawn() {
	d.pictures = map[string]string{"sha256:" + pictureSum: thePicture, "sha256:" + strings.Repeat("0", 64): "<script>"}
	other := *d.plans["shoes"]
	other.Pictures = map[string]string{"sha256:" + pictureSum: "images/boots.png"}
	other.Drawn = map[string]planview.Drawn{}
	for i := range other.Changes[:min(3, len(other.Changes))] { // of whatever kind: the page draws what it is given
		other.Drawn[other.Changes[i].Address] = planview.Drawn{
			Before: &cards.Card{Title: "Boots", Target: "https://shop.example/", Left: "no file has it"},
			After: &cards.Card{Title: "Boots that last", Body: "Light.", Target: "https://shop.example/",
				Picture: []byte(thePicture), Crop: `{"x":0.1,"y":0.2,"width":0.5,"height":0.5}`}}
	}
	d.plans["shoes"] = &other
}

// inOrder wants texts one after the other.
func inOrder(t *testing.T, name, body string, want ...string) {
	t.Helper()
	rest := body
	for _, one := range want {
		at := strings.Index(rest, one)
		if at < 0 {
			t.Errorf("%s: the page has no %q there:\n%s", name, one, body)
			return
		}
		rest = rest[at+len(one):]
	}
}

func TestThePageOfAds(t *testing.T) {
	a := ask(t, nil)
	a.desk.settings = threeSettings()
	a.desk.drawn()
	var row diag.Position
	if err := json.Unmarshal([]byte(`{"file": "spring.xlsx", "sheet": "Ads", "cell": "A3", "line": 3, "column": 1}`),
		&row); err != nil {
		t.Fatal(err)
	}
	a.desk.plans["shoes"].Rows = map[string]diag.Position{"ad_0": row}
	const page = "/accounts/shoes/ads"
	for _, row := range []struct {
		name, query string
		want, never []string
	}{
		{"rejected first, then the dearest of each", "", []string{"All 4 ads; of all, 1 rejected, 1 approved.",
			"<h2>Shouts</h2>", "Hiking boots › Runners",
			"it is at cdn.example, and this page loads nothing from elsewhere", "BOOTS!! &lt;b&gt;Now&lt;/b&gt;",
			`<span class="word">rejected</span> <span class="word">paused</span>`, "the title shouts",
			"<b>To do:</b> change the title.", "<h2>ad of Hiking boots</h2>", "<b>Live</b>",
			`<img src="/api/v1/accounts/shoes/pictures/` + pictureSum + `"`, "<strong>Boots that last</strong>",
			`<p class="price">from $89</p>`, "<small><b>Trail &amp; Shoes</b><br>shop.example</small>",
			`<span class="word">approved</span>`,
			"<dd>70.00</dd>", "<dd>7,000</dd>", "<dd>1.00%</dd>", "spring.xlsx:Ads!A3",
			"/accounts/shoes/campaigns?level=ad&amp;q=ad_0&amp;span=7d", "/accounts/shoes/activity?of=ad_0",
			"<h2>ad of Rain coats</h2>", "How it looks is not known"}, []string{"<b>Now", "\u202e", "cdn.example/"}},
		{"of one campaign", "campaign=campaign_2", []string{`value="campaign_2" selected>Rain coats`, "1 of 4 ads",
			"<h2>ad of Rain coats</h2>"}, []string{"Shouts"}},
		{"that the review approved", "review=approved", []string{"1 of 4 ads", "ad of Hiking boots"},
			[]string{"Shouts"}},
		{"that were not shown", "delivery=no", []string{"1 of 4 ads", "Shouts", "<dt>Impressions</dt><dd>0</dd>",
			"<dt>CTR</dt><dd>not shown</dd>"}, []string{"<h2>ad of", "not known</dd>"}},
		{"that were shown, the best first", "delivery=yes&order=best-ctr", []string{"3 of 4 ads", "ad of Rain coats",
			"ad of =HYPERLINK", "ad of Hiking boots"}, []string{"Shouts"}},
		{"the worst first", "order=worst-ctr", []string{"ad of Hiking boots", "ad of =HYPERLINK", "ad of Rain coats",
			"<h2>Shouts"}, nil},
		{"the dearest first", "order=most-spend", []string{"ad of =HYPERLINK", "ad of Rain coats", "ad of Hiking boots",
			"<h2>Shouts"}, nil},
		{"the cheapest first", "order=least-spend&span=30d", []string{"in no figure here: 3 of 30 days",
			"<h2>ad of Rain coats", "<h2>ad of Hiking boots", "<h2>ad of =HYPERLINK", "<h2>Shouts"}, nil},
		{"by name", "order=name", []string{"<h2>Shouts", "<h2>ad of =HYPERLINK", "<h2>ad of Hiking",
			"<h2>ad of Rain"}, nil},
		{"with a text of the ad", "q=OUTSIDE+ALL", []string{"1 of 4 ads", "Boots that last"}, nil},
		{"with the name of its group", "q=runners", []string{"1 of 4 ads", "Shouts"}, nil},
		{"none is so", "q=nothing+like+it", []string{"0 of 4 ads", "None is so."}, nil},
		{"no day was read", "span=2026-01-01..2026-01-05", []string{"No figures of these days have been read yet.",
			"<h2>Shouts</h2>", "<dt>Spend</dt><dd>not known</dd>"}, []string{"<dd>0"}},
		{"a page that is not there", "page=9223372036854775807", []string{"All 4 ads"}, []string{"<h2>"}},
	} {
		answer := a.get(page + "?" + row.query)
		wantStatus(t, answer, http.StatusOK)
		body := text(t, answer)
		inOrder(t, row.name, body, row.want...)
		for _, never := range row.never {
			if strings.Contains(body[strings.Index(body, `<ul class="cards`):], never) {
				t.Errorf("%s: the page has %q", row.name, never)
			}
		}
	}
	for query, said := range map[string]string{
		"order=reach": "order is reach; want review, best-ctr", "delivery=maybe": "delivery is maybe; want yes, no",
		"span=soon": "span is",
	} {
		answer := a.get(page + "?" + query)
		body := text(t, answer)
		if answer.StatusCode != http.StatusBadRequest || !strings.Contains(strings.ToLower(body), said) {
			t.Errorf("%s: %d, want 400 and %q:\n%s", query, answer.StatusCode, said, body)
		}
	}
	wantStatus(t, a.get("/accounts/nobody/ads"), http.StatusNotFound)
	if body := text(t, a.get("/accounts/shoes")); !strings.Contains(body, `<a href="/accounts/shoes/ads">Ads</a>`) {
		t.Error("nothing leads there from the account")
	}
}

// A picture is what a file has, shown as what its bytes are, and nothing else.
func TestAPictureIsOneOfTheFiles(t *testing.T) {
	a := ask(t, nil)
	a.desk.drawn()
	answer := a.get("/api/v1/accounts/shoes/pictures/" + pictureSum)
	wantStatus(t, answer, http.StatusOK)
	for name, want := range map[string]string{"Content-Type": "image/png", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": contentPolicy, "Cross-Origin-Resource-Policy": "same-origin"} {
		if is := answer.Header.Get(name); is != want {
			t.Errorf("%s is %q; want %q", name, is, want)
		}
	}
	if text(t, answer) != thePicture {
		t.Error("the bytes are others")
	}
	for _, of := range []string{
		"shoes/pictures/" + strings.Repeat("0", 64), "shoes/pictures/" + strings.Repeat("1", 64),
		"nobody/pictures/" + pictureSum} {
		wantStatus(t, a.get("/api/v1/accounts/"+of), http.StatusNotFound)
	}
}

// branded has the brand of the first account have an icon.
func (d *fakeDesk) branded(t *testing.T) (sum string) {
	t.Helper()
	small, err := cards.Icon([]byte(thePicture), 72)
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(map[string]any{"address": "that of the service", "tried": noon, "jpeg": small})
	if err != nil {
		t.Fatal(err)
	}
	d.icons.Store = orders.Folder(t.TempDir())
	if err := d.icons.Store.Put("icon.json", content); err != nil {
		t.Fatal(err)
	}
	_, sum, err = d.icons.Icon()
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// A card has the icon of the brand, which comes from the daemon; a browser shows it, under the policy of the page.
func TestACardHasTheIconOfTheBrand(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), nil)
	p.desk.settings = threeSettings()
	sum := p.desk.branded(t)
	p.visit("/accounts/shoes/ads")
	const icon = `document.querySelector(".ad .icon")`
	eval[bool](p, icon+`.scrollIntoView(), true`)
	p.wait(icon + `.complete && ` + icon + `.naturalWidth > 0`)
	if src := eval[string](p, icon+`.getAttribute("src")`); src != "/api/v1/accounts/shoes/icons/"+sum {
		t.Errorf("it comes from %q", src)
	}

	a := ask(t, nil)
	a.desk.settings = threeSettings()
	answer := a.get("/accounts/shoes/ads")
	if page := text(t, answer); strings.Contains(page, `class="icon"`) || !strings.Contains(page, "Trail &amp; Shoes") {
		t.Error("without an icon a card has no brand, or the icon of nobody")
	}
	if sum := a.desk.branded(t); a.get("/api/v1/accounts/shoes/icons/"+sum).StatusCode != http.StatusOK ||
		a.get("/api/v1/accounts/nobody/icons/"+sum).StatusCode != http.StatusNotFound ||
		a.get("/api/v1/accounts/shoes/icons/0123456789abcdef").StatusCode != http.StatusNotFound {
		t.Error("an icon is not found by what names its bytes, or another is")
	}
}

// So have the cards of changes, in the plan, of a look and of an undo. The plan that all share has no icon.
func TestCardsOfChangesHaveTheIconOfTheBrand(t *testing.T) {
	a := ask(t, nil)
	a.login("Ann Example")
	a.desk.settings = threeSettings()
	a.desk.drawn()
	if page := text(t, a.get("/accounts/shoes")); strings.Contains(page, `class="icon"`) ||
		!strings.Contains(page, "Boots that last") {
		t.Errorf("without an icon a card has that of nobody, or there is no card:\n%s", page)
	}
	icon := `src="/api/v1/accounts/shoes/icons/` + a.desk.branded(t) + `"`
	a.desk.upload = &daemon.Upload{Source: "spring.xlsx", Plan: a.desk.plans["shoes"]}
	a.desk.draft.Plan = a.desk.plans["shoes"]
	for name, page := range map[string]string{"Changes": text(t, a.get("/accounts/shoes")),
		"an undo": text(t, a.get(undoPath)), "a look at a file": text(t, a.upload("spring.xlsx", "Ann's")),
	} {
		if n := strings.Count(page, `<figure class="drawn">`); n == 0 || strings.Count(page, icon) != n ||
			strings.Count(page, "<b>Trail &amp; Shoes</b>") != n {
			t.Errorf("%s: %d icons on %d cards", name, strings.Count(page, icon), n)
		}
	}
	for _, drawn := range a.desk.plans["shoes"].Drawn {
		if drawn.After.Icon != "" {
			t.Error("the plan that all share has the icon")
		}
	}
}

// Pages have all ads, each once.
func TestAdsArePaged(t *testing.T) {
	a := ask(t, nil)
	a.desk.figures = manyAds(t, 60)
	seen, next := 0, "/accounts/shoes/ads?order=most-spend&delivery=yes"
	for next != "" {
		body := text(t, a.get(next))
		seen += strings.Count(body, `<li class="card`)
		next = ""
		if at := strings.Index(body, `rel="next"`); at > 0 {
			link := body[strings.LastIndex(body[:at], `href="`)+len(`href="`):]
			next = strings.ReplaceAll(link[:strings.Index(link, `"`)], "&amp;", "&")
		}
	}
	if seen != 60 {
		t.Errorf("pages have %d ads; want 60", seen)
	}
	var d struct {
		Total int
		More  bool
		Ads   []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(text(t, a.get("/api/v1/accounts/shoes/ads?order=most-spend"))), &d); err != nil {
		t.Fatal(err)
	}
	if d.Total != 60 || d.More || len(d.Ads) != 60 || d.Ads[0].ID != "ad_59" {
		t.Errorf("the document has %d of %d ads, more %t, first %v", len(d.Ads), d.Total, d.More, d.Ads[:1])
	}
}

func manyAds(t testing.TB, n int) figures.Kept {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("Campaign %05d", i))
	}
	return figurestest.Kept(t, noon.In(newYork), names, func(campaign, _ int) map[string]string {
		return map[string]string{"spend": fmt.Sprint(campaign), "impressions": "100", "clicks": "1"}
	})
}

// BenchmarkAds makes the first page of 15,000 ads.
func BenchmarkAds(b *testing.B) {
	desk := theDesk(b)
	desk.figures = manyAds(b, 15_000)
	desk.settings = map[string]map[string]daemon.Setting{"ad": {}}
	for i := range 15_000 {
		desk.settings["ad"][fmt.Sprintf("ad_%d", i)] = daemon.Setting{Name: "Ad", Status: "active", Review: "approved",
			Look: &daemon.Look{Title: "Boots that last", Body: strings.Repeat("text ", 20), Image: "file:1"}}
	}
	archive, err := desk.Archive(context.Background(), "shoes")
	if err != nil {
		b.Fatal(err)
	}
	a := campaigns.Account{Archive: archive, Plan: &planview.Document{}}
	for _, row := range []struct{ name, query string }{{"first", ""}, {"search", "q=last&order=best-ctr"}} {
		address, err := url.ParseQuery(row.query)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f, err := ads.Find(b.Context(), a, address, noon)
				if err != nil {
					b.Fatal(err)
				}
				v, err := f.View("shoes", "/accounts/shoes")
				if err != nil || len(v.Ads) != 24 || v.Matching != 15_000 {
					b.Fatal(v, err)
				}
			}
		})
	}
}
