package emulator

import (
	"net/http"

	"adsync/internal/emulator/feed"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/tracking"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// adControls are the addresses of what people see of an ad beside the service: the
// address it leads to, and a click on it.
type adControls struct {
	world  *world.World
	points *openpoint.Settings
}

func (c *adControls) all() []control {
	return []control{
		{"POST /_emulator/clicks", controlled(c.makeClick)},
		{"GET /_emulator/events", controlled(c.countEvents)},
		{"GET /_emulator/final_url", controlled(c.showFinalURL)},
		{"POST /_emulator/tracking", controlled(c.setTracking)},
	}
}

// finalURL is how an ad's final URL comes about.
type finalURL struct {
	AdID string `json:"ad_id"`
	tracking.Result
}

// showFinalURL shows the tracking parameters of an ad, level by level (interface,
// part 2): ?ad_id=…, with &feed_url=… for a product's address, &mode=new or
// legacy in place of the account's, &oppref=… for the placeholder.
func (c *adControls) showFinalURL(r *http.Request) (any, error) {
	q := wire.NewQuery(r.URL.RawQuery, false)
	id, address := q.Text("ad_id", 1, 255), q.Text("feed_url", 1, 2048)
	mode, oppref := q.Choice("mode", "", "new", "legacy"), q.Text("oppref", 1, 1000)
	if id == "" {
		q.Fail("ad_id", "missing_required_parameter", "Missing required parameter: 'ad_id'.")
	}
	if err := q.Err(); err != nil {
		return nil, err
	}
	in, err := c.findTracking(id, address)
	if err != nil {
		return nil, err
	}
	if mode != "" {
		in.Mode = tracking.Mode(mode)
	}
	if oppref != "" {
		in.Values["oppref"] = oppref
	}
	result, err := tracking.Combine(in)
	if err != nil {
		return nil, wire.Invalidf("feed_url", "invalid_value", "%v", err)
	}
	return finalURL{id, result}, nil
}

// findTracking looks for the ad in every account.
func (c *adControls) findTracking(id, address string) (in tracking.Input, err error) {
	for _, a := range c.world.Accounts() {
		found := false
		err := a.View(func() error {
			var d world.Ad
			if d, found = a.Ads.Get(id); found {
				in = c.trackingOf(a, d, address)
			}
			return nil
		})
		if err != nil || found {
			return in, err
		}
	}
	return in, wire.NotFoundf("No ad found with id '%s'.", id)
}

// trackingOf gathers what an ad's final URL is made of. An ad of a product feed
// leads to the product at address, or to the first of the feed. It is called
// inside View.
func (c *adControls) trackingOf(a *world.Account, d world.Ad, address string) tracking.Input {
	g, _ := a.AdGroups.Get(d.AdGroupID)
	above, _ := a.Campaigns.Get(d.CampaignID)
	own, _ := a.Trackings.Get(a.ID)
	in := tracking.Input{
		Destination: d.Creative.TargetURL, Mode: c.trackingMode(a.Profile()),
		Templates: map[tracking.Level]string{
			tracking.Account: own.QueryStringTemplate, tracking.Campaign: templateOf(above.LandingPage),
			tracking.AdGroup: templateOf(g.LandingPage), tracking.Ad: templateOf(d.LandingPage),
		},
		Values: map[string]string{"campaign_id": above.ID, "ad_id": d.ID, "oppref": "oppref_example"},
	}
	if above.ProductFeedID != nil {
		in.Destination, in.FromFeed = feed.Products(*above.ProductFeedID)[0].TargetURL, true
	}
	if address != "" {
		in.Destination, in.FromFeed = address, true
	}
	return in
}

func templateOf(l *world.LandingPage) string {
	if l == nil || l.QueryStringTemplate == nil {
		return ""
	}
	return *l.QueryStringTemplate
}

// lastLegacyDay is the day by which Legacy accounts must migrate (rule 6).
const lastLegacyDay = world.Date("2026-11-05")

// trackingMode is the account's order of precedence. What happens to a Legacy
// account that has not migrated is an open point.
func (c *adControls) trackingMode(p world.Profile) tracking.Mode {
	late := world.DateOf(c.world.Clock.Now(), p.Zone()) > lastLegacyDay
	if !p.Features.LegacyTracking || late && c.points.Is(openpoint.LegacyDeadline, "migrated") {
		return tracking.New
	}
	return tracking.Legacy
}

// trackingState is an account's own tracking settings.
type trackingState struct {
	world.Tracking
	Mode tracking.Mode `json:"mode"` // the account's choice
}

// setTracking stands for the web interface in which an account admin sets the
// account's tracking defaults and opts in to the new mode (rule 6):
// {"account_id": …, "query_string_template": …, "mode": "new" or "legacy"}.
func (c *adControls) setTracking(r *http.Request) (any, error) {
	o, err := controlObject(r)
	if err != nil {
		return nil, err
	}
	o.Require("account_id")
	id, text := o.Text("account_id", 1, 255), o.Text("query_string_template", 0, 2048)
	mode := o.Choice("mode", string(tracking.New), string(tracking.Legacy))
	if err := o.Err(); err != nil {
		return nil, err
	}
	a := c.world.Account(id.V)
	if a == nil {
		return nil, wire.NotFoundf("No ad account found with id '%s'.", id.V)
	}
	var after trackingState
	err = a.Update(world.Cause{Actor: "emulator", Endpoint: "POST /_emulator/tracking"}, func(tx *world.Tx) error {
		p := a.Profile()
		before := trackingNow(a, p)
		p.Features.LegacyTracking = mode.Or(string(before.Mode)) == string(tracking.Legacy)
		a.Profiles.Put(tx, p)
		a.Trackings.Put(tx, world.Tracking{AccountID: a.ID, QueryStringTemplate: text.Or(before.QueryStringTemplate)})
		after = trackingNow(a, p)
		tx.Record(world.Mutation{Action: "update", Resource: "ad_account_tracking", ResourceID: a.ID}, before, after)
		return nil
	})
	return after, err
}

func trackingNow(a *world.Account, p world.Profile) trackingState {
	own, _ := a.Trackings.Get(a.ID)
	own.AccountID = a.ID
	if p.Features.LegacyTracking {
		return trackingState{own, tracking.Legacy}
	}
	return trackingState{own, tracking.New}
}
