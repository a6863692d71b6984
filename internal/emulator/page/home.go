package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/world"
)

var top = link{"Emulator", "/"}

// homeView is the first page.
type homeView struct {
	Offset    string // how far the clock was moved
	Units     []string
	Accounts  []accountRow
	Faults    []Fault
	Points    []pointRow // that are not at their default
	AllPoints int
	Requests  []Request // newest first
}

type accountRow struct {
	world.Profile
	Address                  string
	Local                    time.Time
	Campaigns, AdGroups, Ads int
	Jobs, OpenJobs           int
}

const latestRequests = 12

func (p *Page) home(*http.Request) (view, bool, error) {
	h := homeView{Offset: offset(p.source.World.Clock.Offset()), Units: unitNames, Faults: p.source.Faults()}
	for _, a := range p.source.World.Accounts() {
		var row accountRow
		err := a.View(func() error {
			row = p.accountRow(a)
			return nil
		})
		if err != nil {
			return view{}, false, err
		}
		h.Accounts = append(h.Accounts, row)
	}
	all := pointRows(p.source.Points)
	h.AllPoints = len(all)
	h.Points = slices.DeleteFunc(all, func(row pointRow) bool { return row.Value == row.Default })
	h.Requests = p.source.Requests()
	slices.Reverse(h.Requests)
	h.Requests = h.Requests[:min(latestRequests, len(h.Requests))]
	return view{Template: "home", Title: "Emulator", Content: h}, true, nil
}

// accountRow is called inside View.
func (p *Page) accountRow(a *world.Account) accountRow {
	profile := a.Profile()
	row := accountRow{
		Profile: profile, Address: addressOf(a.ID), Local: p.source.World.Clock.Now().In(profile.Zone()),
		Campaigns: a.Campaigns.Len(), AdGroups: a.AdGroups.Len(), Ads: a.Ads.Len(), Jobs: a.Jobs.Len(),
	}
	for _, job := range a.Jobs.All() {
		if !job.Terminal() {
			row.OpenJobs++
		}
	}
	return row
}

// addressOf is the address of an account's page, or of one below it.
func addressOf(account string, parts ...string) string {
	address := Base + "/accounts/" + url.PathEscape(account)
	for _, part := range parts {
		address += "/" + url.PathEscape(part)
	}
	return address
}

type pointRow struct {
	openpoint.Point
	Value string
}

func pointRows(points *openpoint.Settings) []pointRow {
	chosen := points.Chosen()
	var rows []pointRow
	for _, point := range openpoint.Table() {
		rows = append(rows, pointRow{point, chosen[point.Name]})
	}
	return rows
}

func (p *Page) openPoints(*http.Request) (view, bool, error) {
	return view{Template: "open_points", Title: "Open points",
		Trail: []link{top}, Content: pointRows(p.source.Points)}, true, nil
}

// units of the form that advances the clock.
var (
	unitNames = []string{"minutes", "hours", "days"}
	units     = map[string]time.Duration{"minutes": time.Minute, "hours": time.Hour, "days": 24 * time.Hour}
)

const farthest = 3650 * 24 * time.Hour

// moveClock takes a form of amount and unit, and goes back to the first page.
func (p *Page) moveClock(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<10)
	amount, err := strconv.ParseInt(r.PostFormValue("amount"), 10, 64)
	unit := units[r.PostFormValue("unit")]
	if err != nil || unit == 0 || amount < 1 || amount > int64(farthest/unit) {
		p.refuse(w, http.StatusBadRequest,
			"The clock moves by a whole number of minutes, hours or days, up to ten years.")
		return
	}
	if err := p.source.World.MoveClock(time.Duration(amount) * unit); err != nil {
		p.refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
