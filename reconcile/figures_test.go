package reconcile_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/resource"
)

// A month of delivery: the figures of each level are the service's own, every
// kind and window takes one list, and the days of the shortest window add up to it.
func TestFiguresAreTheServicesOwn(t *testing.T) {
	w := newWorld(t)
	campaign := w.service.Campaign(t, "Spring")
	group := w.service.AdGroup(t, campaign, "Runners")
	ad := w.service.Ad(t, group, "Hero")
	for _, path := range []string{"/campaigns/" + campaign, "/ad_groups/" + group, "/ads/" + ad} {
		w.service.Must(t, "POST", path+"/activate", nil)
	}
	w.pass(30 * 24 * time.Hour)
	now, err := w.agent.Present(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	windows, err := resource.ParseWindows("30d,7d", now)
	if err != nil {
		t.Fatal(err)
	}
	before := len(w.asked(t))
	figures, err := w.agent.Figures(context.Background(), windows)
	if err != nil {
		t.Fatal(err)
	}
	if asked := w.asked(t)[before:]; len(asked) != 7 {
		t.Errorf("asked %d times: %v; want 3 kinds in 2 windows, and the days", len(asked), asked)
	}
	impressions := slices.IndexFunc(resource.Metrics[:], func(m resource.Metric) bool {
		return m.Name == "impressions"
	})
	weekly := figures.Windows[1].ByID
	if weekly[campaign] != weekly[ad] || weekly[campaign] != weekly[group] || weekly[ad][impressions] == "" {
		t.Errorf("figures of 7d: campaign %v, ad group %v, ad %v; want the same, and some",
			weekly[campaign], weekly[group], weekly[ad])
	}
	sum := 0
	for _, row := range figures.Daily.Rows {
		n, err := strconv.Atoi(row.Measured[impressions])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
		if got := strings.Join(row.Path, "/"); got != "Spring/Runners/Hero" ||
			row.ID != ad || row.Day < windows[1].Since || row.Day > windows[1].Until {
			t.Errorf("row of %s for %s (%s), want the ad's, inside %v", row.Day, got, row.ID, windows[1])
		}
	}
	if got := strconv.Itoa(sum); len(figures.Daily.Rows) != 7 || got != weekly[ad][impressions] {
		t.Errorf("%d days with %s impressions, want 7 days with %s",
			len(figures.Daily.Rows), got, weekly[ad][impressions])
	}
}

// A service whose clock is a year ahead has its figures of that year.
func TestThePresentIsThatOfTheService(t *testing.T) {
	w := newWorld(t)
	w.service.Advance(t, (365 * 24 * time.Hour).Seconds())
	present, err := w.agent.Present(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if ahead := present.Sub(w.agent.Now()); ahead < 364*24*time.Hour || ahead > 366*24*time.Hour {
		t.Errorf("Present() = %v, which is %v ahead of this machine; want a year", present, ahead)
	}
}

// pass lets time go by for the service and the agent alike.
func (w *world) pass(d time.Duration) {
	if err := w.sleep(context.Background(), d); err != nil {
		w.t.Fatal(err)
	}
}

// asked are the figures the service was asked for.
func (w *world) asked(t *testing.T) []string {
	t.Helper()
	var paths []string
	answer := w.service.Must(t, "GET", "/_emulator/requests?limit=1000", nil).Map(t)
	for _, r := range answer["data"].([]any) {
		if path := r.(map[string]any)["path"].(string); strings.Contains(path, "/insights") {
			paths = append(paths, path)
		}
	}
	return paths
}
