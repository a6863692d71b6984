package report_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/insights"
	"adsync/internal/report"
	"adsync/internal/testing/figurestest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// A report that a daemon sends leads to the account's page, and says that it is late where it is.
func TestWhatASentReportSays(t *testing.T) {
	for _, row := range []struct {
		name string
		late time.Duration
		note bool
	}{
		{"at its hour", 0, false},
		{"some minutes late, as its figures were read", 9 * time.Minute, false},
		{"late, as the daemon was down", 3 * time.Hour, true},
	} {
		f := facts(t, []string{"Spring"})
		f.Page, f.Due = `https://ads.example.com/accounts/shop?a=1&b="2`, f.Now.Add(-row.late)
		r := made(t, f)
		late := "Late: this report of 2026-11-16 to 2026-11-22 was due at " + f.Due.Format("2006-01-02 15:04 MST") + "."
		for name, link := range map[string]string{
			"html":     `<a href="https://ads.example.com/accounts/shop?a=1&amp;b=%222">Open the account</a>`,
			"markdown": `[Open the account](<https://ads.example.com/accounts/shop?a=1&b="2>)`,
		} {
			text := string(form(t, r, name))
			if !strings.Contains(text, link) {
				t.Errorf("%s: the %s has no link to the page", row.name, name)
			}
			if has := strings.Contains(text, late); has != row.note && name == "html" {
				t.Errorf("%s: the %s says that it is late: %t; want %t", row.name, name, has, row.note)
			}
		}
	}
}

// What a chat shows fits there, and names the days that lack.
func TestShort(t *testing.T) {
	names := []string{"Spring", hostile, "c", "d", "e", "f", "g"}
	var have []string
	for _, part := range made(t, facts(t, names)).Short() {
		have = append(have, part.Title)
		for _, l := range part.Lines {
			have = append(have, "  "+l)
		}
		if part.More > 0 {
			have = append(have, fmt.Sprintf("  and %d more", part.More))
		}
	}
	if diff := cmp.Diff([]string{
		"2026-11-16 to 2026-11-22",
		"  Spend: 1,984.50 (+24.6%)", "  Impressions: 196,000 (0.0%)", "  Clicks: 4,900 (0.0%)", "  CTR: 2.50% (0.0%)",
		"  CPC: 0.4050 (+24.6%)", "  CPM: 10.13 (+24.6%)", "  Conversions: 182 (0.0%)", "  CPA: 10.90 (+24.6%)",
		"Campaigns that spent the most",
		"  g: 493.50, 587.5% of its budget of 12.00 a day", "  f: 423.50, 504.2% of its budget of 12.00 a day",
		"  e: 353.50, 420.8% of its budget of 12.00 a day", "  d: 283.50, 337.5% of its budget of 12.00 a day",
		"  c: 213.50, 254.2% of its budget of 12.00 a day", "  and 2 more",
		"Ads that were rejected or limited, as of 2026-11-23 08:00 EST",
		"  “Spring” in Spring › Runners: rejected · The landing page could not be read · " +
			"Open the Target URL in a private window, mend the page or the address, …",
		"What was changed, and by whom",
		"  2026-11-19 09:00 EST, ann@desk · Changed: campaign “Spring”; Daily budget: 10.00 → 12.00 (+2.00, ×1.20) " +
			"· Created: campaign “c1”",
		"What waits for somebody, as of 2026-11-23 08:50 EST",
		"  1 change waiting; campaign “Spring”: Daily budget rises, from 20.00 to 80.00",
		`  Campaign “=1+1|<b>*x*</b>\n[a](http://x)” · The service refused it: no`,
	}, have); diff != "" {
		t.Error(diff)
	}
	f := facts(t, names)
	f.Span = insights.Span{From: "2025-11-16", To: "2025-11-22"}
	parts := made(t, f).Short()
	if parts[0].Title != "Mind" || parts[0].Lines[0] != "No figures of these days were read." {
		t.Errorf("of days that were not read a chat shows %+v; want that first", parts[0])
	}
}

// A mail names each picture once, by its part, and says whose it is. Without pictures the page is as it was.
func TestPicturesOfAMail(t *testing.T) {
	var mail bytes.Buffer
	all, err := made(t, pictured(t, facts(t, []string{"Spring", "Second"}), `A "new" <b>`)).Mail(&mail)
	if err != nil || len(all) != 2 {
		t.Fatalf("the mail has %d pictures, %v; want 2", len(all), err)
	}
	for _, e := range all {
		if n := strings.Count(mail.String(), `<img src="cid:`+e.Name+`@adsync" alt="A &#34;new&#34; &lt;b&gt; of ad_`); n != 1 {
			t.Errorf("the mail names the picture %s %d times", e.Name, n)
		}
	}
	if strings.Contains(mail.String(), "data:") {
		t.Error("the mail has a picture in its page, which programs for mail do not show")
	}
	f := facts(t, []string{"Spring", "Second"})
	f.Picture = func(string) *report.Picture { return nil }
	mail.Reset()
	all, err = made(t, f).Mail(&mail)
	if err != nil || len(all) != 0 || strings.Contains(mail.String(), "<img") {
		t.Errorf("without pictures the mail has %d of them, %v:\n%s", len(all), err, mail.String())
	}
}

// asShown is the page as a strict program for mail shows it: without drawings and without any style.
func asShown(t *testing.T, mail []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(mail))
	if err != nil {
		t.Fatal(err)
	}
	var out []*html.Node
	for n := range root.Descendants() {
		if n.Data == "svg" || n.Data == "style" {
			out = append(out, n)
		}
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "style" || a.Key == "class" })
	}
	for _, n := range out {
		n.Parent.RemoveChild(n)
	}
	return root
}

// barsIn are the rows of a page that have a bar: what the row says, and how wide its bar is.
func barsIn(root *html.Node) (rows []string, wide []int) {
	for n := range root.Descendants() {
		if n.Data != "tr" || n.Parent.Parent.Parent.Data == "td" {
			continue
		}
		var texts []string
		bar := -1
		for c := range n.Descendants() {
			at := slices.IndexFunc(c.Attr, func(a html.Attribute) bool { return a.Key == "bgcolor" })
			if c.Data == "td" && at >= 0 {
				i := slices.IndexFunc(c.Attr, func(a html.Attribute) bool { return a.Key == "width" })
				bar, _ = strconv.Atoi(c.Attr[i].Val)
			}
			if text := strings.TrimSpace(c.Data); c.Type == html.TextNode && text != "" && text != "\u00a0" {
				texts = append(texts, text)
			}
		}
		if bar >= 0 {
			rows, wide = append(rows, strings.Join(texts, " | ")), append(wide, bar)
		}
	}
	return rows, wide
}

// A mail has a chart where drawings and styles are taken out: a bar a day, with its figures beside it. A longer span
// has a bar a day up to a month, and then of seven days each, and they add up.
func TestTheChartOfAMail(t *testing.T) {
	mailed := func(span insights.Span, did func(n, daysAgo int) map[string]string) (rows []string, wide []int) {
		f := facts(t, []string{"Spring", "Second"})
		f.Span, f.Kept = span, figurestest.Kept(t, f.Now, []string{"Spring", "Second"}, did)
		var mail bytes.Buffer
		if _, err := made(t, f).Mail(&mail); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(mail.String(), "<svg") {
			t.Error("the mail has a drawing")
		}
		return barsIn(asShown(t, mail.Bytes()))
	}
	rising := func(_, daysAgo int) map[string]string {
		return map[string]string{"spend": fmt.Sprintf("%d.50", 40-daysAgo), "impressions": "1000", "clicks": "10"}
	}
	rows, wide := mailed(week, rising)
	if diff := cmp.Diff([]string{
		"2026-11-16 | 67.00 | 2,000 | 20", "2026-11-17 | 69.00 | 2,000 | 20", "2026-11-18 | 71.00 | 2,000 | 20",
		"2026-11-19 | 73.00 | 2,000 | 20", "2026-11-20 | 75.00 | 2,000 | 20", "2026-11-21 | 77.00 | 2,000 | 20",
		"2026-11-22 | 79.00 | 2,000 | 20",
	}, rows); diff != "" {
		t.Errorf("the bars of a week (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{152, 157, 161, 166, 170, 175, 180}, wide); diff != "" {
		t.Errorf("the bars of a week are as wide as (-want +got):\n%s", diff)
	}
	rows, _ = mailed(insights.Span{From: "2026-11-01", To: "2026-11-22"}, rising)
	if len(rows) != 22 || rows[21] != "2026-11-22 | 79.00" {
		t.Errorf("22 days have the bars %q; want one a day", rows)
	}
	rows, _ = mailed(insights.Span{From: "2026-10-14", To: "2026-11-22"}, rising) // of which 13 days were not read
	if diff := cmp.Diff([]string{
		"2026-10-21 to 2026-10-27, 6 days not read | 27.00", "2026-10-28 to 2026-11-03 | 245.00",
		"2026-11-04 to 2026-11-10 | 343.00", "2026-11-11 to 2026-11-17 | 441.00", "2026-11-18 to 2026-11-22 | 375.00",
	}, rows); diff != "" {
		t.Errorf("the bars of 40 days (-want +got):\n%s", diff)
	}
}
