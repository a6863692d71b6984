package figures_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/big"
	"net/url"
	"slices"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/testing/emulatortest"
	"adsync/state/kv"

	"github.com/google/go-cmp/cmp"
)

// shop is an account in New York whose ads run.
type shop struct {
	*emulatortest.Service
	t     *testing.T
	kept  figures.Kept
	asked int // questions to the service
	now   time.Time
	zone  *time.Location

	currency string
}

// open starts two campaigns of two ads each on 2 November, 00:00 in New York, and lets them run.
func open(t *testing.T, days float64) *shop {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{t: t, zone: zone, currency: "USD", kept: figures.Kept{Store: kv.Folder{Dir: t.TempDir()}},
		now: time.Date(2026, 11, 2, 0, 0, 0, 0, zone)}
	first := s.now
	s.Service = emulatortest.Start(t, func(o *emulator.Options) { o.Now = func() time.Time { return first } })
	for i := range 2 {
		body := emulatortest.CampaignBody(fmt.Sprintf("Campaign %d", i))
		body["status"] = "active"
		body["targeting"] = map[string]any{"locations": map[string]any{"countries": []string{"US"}}}
		c := s.Must(t, "POST", "/campaigns", body).ID(t)
		group := emulatortest.AdGroupBody(c, "Group of "+c)
		group["status"] = "active"
		g := s.Must(t, "POST", "/ad_groups", group).ID(t)
		for j := range 2 {
			ad := emulatortest.AdBody(g, fmt.Sprintf("Ad %d.%d", i, j), s.File(t))
			ad["status"] = "active"
			s.Must(t, "POST", "/ads", ad)
		}
	}
	s.passes(days)
	return s
}

func (s *shop) passes(days float64) {
	s.Advance(s.t, days*86_400)
	s.now = s.now.Add(time.Duration(days * 86_400 * float64(time.Second)))
}

// Figures counts the questions.
func (s *shop) Figures(ctx context.Context, path string, q url.Values) iter.Seq2[adsapi.InsightsRow, error] {
	s.asked++
	client, err := adsapi.New(adsapi.Config{
		BaseURL: s.BaseURL, Key: adsapi.NewSecret(s.Key), UserAgent: "test", ReadOnly: true,
		Limits: adsapi.Limits{PerEndpoint: 1e6, Overall: 1e6, Bulk: 1e6},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return client.Figures(ctx, path, q)
}

// pass reads once: the last 28 days, where none was read before.
func (s *shop) pass() {
	s.t.Helper()
	c := figures.Collector{Kept: s.kept, Service: s, Currency: s.currency, Now: s.now.In(s.zone)}
	if _, err := c.Pass(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// collect reads until nothing is due, and returns how many questions that took.
func (s *shop) collect() int {
	s.t.Helper()
	s.asked = 0
	for {
		c := figures.Collector{Kept: s.kept, Service: s, Currency: s.currency, Now: s.now.In(s.zone)}
		read, err := c.Pass(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		if !read {
			return s.asked
		}
	}
}

func (s *shop) table(level, from, to string) *figures.Table {
	s.t.Helper()
	table, err := s.kept.Table(level, insights.Span{From: from, To: to})
	if err != nil {
		s.t.Fatal(err)
	}
	return table
}

// total asks the service itself, in another way than adsync: one sum of the account over the whole span.
func (s *shop) total(metric, from, to string) string {
	s.t.Helper()
	span, err := json.Marshal(map[string]string{"type": "date_range", "since": from, "until": to,
		"timezone": "America/New_York"})
	if err != nil {
		s.t.Fatal(err)
	}
	q := url.Values{"aggregation_level": {"ad_account"}, "time_granularity": {"none"}, "time_ranges": {string(span)},
		"fields": {metric}}
	answer := s.Must(s.t, "GET", "/ad_account/insights?"+q.Encode(), nil)
	var page struct{ Data []map[string]json.RawMessage }
	if err := json.Unmarshal(answer.Body, &page); err != nil || len(page.Data) != 1 {
		s.t.Fatalf("%s: %v", answer.Body, err)
	}
	exact, is := new(big.Rat).SetString(string(page.Data[0][metric]))
	if !is {
		s.t.Fatalf("%s has no %s", answer.Body, metric)
	}
	return exact.FloatString(6)
}

func TestDaysAddUpToWhatTheServiceSaysOfTheSpan(t *testing.T) {
	s := open(t, 9.5)
	s.pass()
	for _, level := range figures.Levels {
		for _, metric := range []string{"impressions", "clicks", "spend"} {
			kept, ok := new(big.Rat).SetString(s.table(level, "2026-11-03", "2026-11-11").Total.Of(metric))
			if want := s.total(metric, "2026-11-03", "2026-11-11"); !ok || kept.FloatString(6) != want {
				t.Errorf("%s by %s is %v; the service says %s", metric, level, kept, want)
			}
		}
	}
	ads := s.table("ad", "2026-11-03", "2026-11-11")
	if names := []string{ads.Lines[0].Name, ads.Lines[0].Above[0].Name, ads.Lines[3].Name}; !slices.Equal(names,
		[]string{"Ad 0.0", "Campaign 0", "Ad 1.1"}) {
		t.Errorf("lines are called %q", names)
	}
	if spend, ok := ads.Lines[0].Micros(); !ok || spend == 0 || spend != sum(ads.Lines[0].Spend) {
		t.Errorf("spend of %v adds up to %d", ads.Lines[0].Spend, spend)
	}
}

func sum(all []int64) (n int64) {
	for _, one := range all {
		n += one
	}
	return n
}

// The day that has not ended is preliminary, one that was not read is a gap, and neither is taken for the other.
func TestGapsAndTheDayThatHasNotEnded(t *testing.T) {
	s := open(t, 3.5)
	s.pass()
	if err := s.kept.Store.Delete("figures/days/2026-11-03"); err != nil {
		t.Fatal(err)
	}
	table := s.table("campaign", "2026-11-02", "2026-11-05")
	var said []string
	for _, d := range table.Days {
		said = append(said, fmt.Sprintf("%s gap=%v preliminary=%v spent=%v", d.Date, d.Gap, d.Preliminary,
			d.Of("spend") != "0"))
	}
	if diff := cmp.Diff([]string{
		"2026-11-02 gap=false preliminary=false spent=true",
		"2026-11-03 gap=true preliminary=false spent=false",
		"2026-11-04 gap=false preliminary=false spent=true",
		"2026-11-05 gap=false preliminary=true spent=true",
	}, said); diff != "" {
		t.Error(diff)
	}
	if gaps := table.Gaps(); !slices.Equal(gaps, []string{"2026-11-03"}) || !table.Preliminary() {
		t.Errorf("gaps are %v", gaps)
	}
}

// A year is read in pieces, and then an hour costs three questions: today and the three days before.
func TestWhatIsDue(t *testing.T) {
	s := open(t, 1.5)
	for _, row := range []struct {
		name  string
		after time.Duration
		asks  int
	}{
		{"the first time: 365 days in pieces of 28", 0, 3 * 14},
		{"at once again", 0, 0},
		{"half an hour later", 30 * time.Minute, 0},
		{"an hour later", 30 * time.Minute, 3},
		{"after a weekend without adsync", 60 * time.Hour, 3},
	} {
		s.passes(row.after.Hours() / 24)
		if asks := s.collect(); asks != row.asks {
			t.Errorf("%s: %d questions; want %d", row.name, asks, row.asks)
		}
	}
	if gaps := s.table("ad", "2026-11-02", "2026-11-05").Gaps(); len(gaps) > 0 {
		t.Errorf("days without adsync are gaps for good: %v", gaps)
	}
	s.passes(10)
	s.collect()
	late := s.total("clicks", "2026-11-02", "2026-11-14")
	if kept, ok := new(big.Rat).SetString(s.table("campaign", "2026-11-02", "2026-11-14").Total.Of("clicks")); !ok ||
		kept.FloatString(6) != late {
		t.Errorf("clicks are %v; the service says %s", kept, late)
	}
}

// What was read is damaged or gone: it is a gap, and read anew; no figure is made up.
func TestWhatIsDamagedIsReadAnew(t *testing.T) {
	for _, name := range []string{"figures/index.json", "figures/names", "figures/days/2026-11-03"} {
		s := open(t, 3.5)
		s.pass()
		whole := s.table("ad", "2026-11-02", "2026-11-05")
		if err := s.kept.Store.Put(name, []byte("\x1f\x8b damaged")); err != nil {
			t.Fatal(err)
		}
		s.passes(1.0 / 24)
		s.pass()
		again := s.table("ad", "2026-11-02", "2026-11-05")
		if len(again.Gaps()) > 0 || len(again.Lines) != len(whole.Lines) || again.Lines[0].Name != whole.Lines[0].Name {
			t.Errorf("%s: gaps %v, lines %d, named %q", name, again.Gaps(), len(again.Lines), again.Lines[0].Name)
		}
	}
}

// An account whose currency or zone becomes another has no days that can be added to those of before: they are gaps
// until they are read anew.
func TestDaysOfAnotherCurrencyOrZoneAreNotAdded(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name   string
		change func(*shop)
	}{
		{"currency", func(s *shop) { s.currency = "EUR" }},
		{"zone", func(s *shop) { s.zone = berlin }},
	} {
		s := open(t, 3.5)
		s.collect()
		if gaps := s.table("campaign", "2026-09-01", "2026-09-02").Gaps(); len(gaps) > 0 {
			t.Fatalf("gaps before: %v", gaps)
		}
		row.change(s)
		s.pass()
		if gaps := s.table("campaign", "2026-09-01", "2026-09-02").Gaps(); len(gaps) != 2 {
			t.Errorf("another %s: gaps are %v; want both days", row.name, gaps)
		}
		s.collect()
		table := s.table("campaign", "2026-09-01", "2026-11-05")
		if len(table.Gaps()) > 0 || table.Currency != s.currency {
			t.Errorf("another %s: gaps are %v in %s", row.name, table.Gaps(), table.Currency)
		}
	}
}

// What resources spent since a day of their own is what the service says of those days.
func TestSpentSinceADay(t *testing.T) {
	s := open(t, 9.5)
	s.pass()
	lines := s.table("campaign", "2026-11-02", "2026-11-11").Lines
	first, second := lines[0].ID, lines[1].ID
	began := time.Date(2026, 11, 4, 18, 0, 0, 0, s.zone)
	spent, until, err := s.kept.Spent("campaign", map[string]time.Time{first: s.now.AddDate(0, 0, -400), second: began,
		"campaign_of_later": s.now.Add(time.Hour), "one_that_did_nothing": began}, s.now.In(s.zone))
	if err != nil || !until.Equal(s.now) {
		t.Fatalf("until %s, %v; want %s, when it was read", until, err, s.now)
	}
	want := map[string]int64{second: 0, "one_that_did_nothing": 0}
	for _, l := range s.table("campaign", "2026-11-04", "2026-11-11").Lines {
		if n, known := l.Micros(); known && l.ID == second {
			want[second] = n
		}
	}
	if diff := cmp.Diff(want, spent); diff != "" || spent[second] == 0 {
		t.Errorf("spent since %s, of what there is, is another than the table has:\n%s", began, diff)
	}
	if err := s.kept.Store.Delete("figures/days/2026-11-06"); err != nil {
		t.Fatal(err)
	}
	since := map[string]time.Time{first: time.Date(2026, 11, 7, 0, 0, 0, 0, s.zone), second: began}
	spent, _, err = s.kept.Spent("campaign", since, s.now.In(s.zone))
	if _, known := spent[second]; known || err != nil || spent[first] == 0 {
		t.Errorf("with a day that cannot be read: %v, %v; want the other campaign alone", spent, err)
	}
}

// What was added up before is the same as if all days were read, until one of them is read anew.
func TestSpentIsAddedUpOnce(t *testing.T) {
	s := open(t, 9.5)
	s.pass()
	s.kept.Earlier = &figures.Earlier{}
	since := map[string]time.Time{}
	for _, l := range s.table("campaign", "2026-11-02", "2026-11-11").Lines {
		since[l.ID] = time.Date(2026, 11, 3, 0, 0, 0, 0, s.zone)
	}
	spent := func(kept figures.Kept) map[string]int64 {
		t.Helper()
		all, _, err := kept.Spent("campaign", since, s.now.In(s.zone))
		if err != nil || len(all) != len(since) {
			t.Fatalf("%v, %v; want %d campaigns", all, err, len(since))
		}
		return all
	}
	for _, row := range []struct {
		name string
		then func()
	}{
		{"the first time", func() {}},
		{"again", func() {}},
		{"six days later", func() { s.passes(6); s.collect() }},
		{"from another day", func() {
			for id := range since {
				since[id] = since[id].AddDate(0, 0, 2)
			}
		}},
	} {
		row.then()
		if diff := cmp.Diff(spent(figures.Kept{Store: s.kept.Store}), spent(s.kept)); diff != "" {
			t.Errorf("%s: what was added up before is not what all days have:\n%s", row.name, diff)
		}
	}
	before := spent(s.kept)
	if err := s.kept.Store.Delete("figures/days/2026-11-06"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, spent(s.kept)); diff != "" {
		t.Errorf("a day that was added up is read again:\n%s", diff)
	}
	index, err := s.kept.Index()
	if err != nil {
		t.Fatal(err)
	}
	index.Taken["2026-11-06"]++
	content, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.kept.Store.Put("figures/index.json", content); err != nil {
		t.Fatal(err)
	}
	if all, _, err := s.kept.Spent("campaign", since, s.now.In(s.zone)); err != nil || len(all) > 0 {
		t.Errorf("after a day was read anew: %v, %v; want it not to be known without that day", all, err)
	}
}
