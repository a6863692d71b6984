// Package insights is the room of reporting: what the account's ads had, from
// the delivery simulation, as insights, conversion insights and hotel insights
// (interface, part 4). It changes nothing. Money is written from integer micros,
// never through a float. Its invariant: rows of one request add up to what
// delivery recorded in its time, whatever its level, granularity or segment.
//
// room.go has the routes, request.go reads what is asked, report.go adds up, span.go and
// segment.go cut by time and by part, attribute.go and conversions.go count conversions,
// hotel.go hotels, filter.go and order.go select, view.go answers.
package insights

import (
	"net/http"

	"adsync/internal/emulator/delivery"
	"adsync/internal/emulator/ledger"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Room serves reports.
type Room struct {
	ledger *ledger.Ledger
	review world.Review
	seed   uint64
}

// NewRoom is the room over a ledger. The reviewer and seed are those of the emulator.
func NewRoom(l *ledger.Ledger, review world.Review, seed uint64) *Room {
	return &Room{ledger: l, review: review, seed: seed}
}

// Routes of the room. Those of a campaign, an ad group and an ad, and conversion
// insights, are published and not in the interface.
func (r *Room) Routes() []service.Route {
	scoped := func(pattern string, l level, name string) service.Route {
		return service.Route{
			Method: http.MethodGet, Pattern: pattern, Auth: service.Read, Point: openpoint.ScopedInsights,
			Handle: func(c *service.Call) (any, error) { return r.insights(c, l, c.Path(name)) },
		}
	}
	return []service.Route{
		{Method: http.MethodGet, Pattern: "/ad_account/insights",
			Auth: service.Read, Handle: func(c *service.Call) (any, error) {
				return r.insights(c, account, c.Account.ID)
			}},
		scoped("/campaigns/{campaign_id}/insights", campaign, "campaign_id"),
		scoped("/ad_groups/{ad_group_id}/insights", adGroup, "ad_group_id"),
		scoped("/ads/{ad_id}/insights", ad, "ad_id"),
		{Method: http.MethodGet, Pattern: "/ad_account/hotel_insights", Auth: service.Read, Handle: r.hotelInsights},
		{Method: http.MethodPost, Pattern: "/conversions/insights", Auth: service.Read,
			Body: service.JSONBody, Point: openpoint.ConversionInsights, Handle: r.conversionInsights},
	}
}

// facts is called inside View.
func (r *Room) facts(c *service.Call) *facts {
	return &facts{tree: newTree(c.Account), review: r.review, points: c.Points, seed: r.seed, now: c.Now()}
}

func newReport(c *service.Call, of *facts, q *request) *report {
	return &report{facts: of, request: q, newestFirst: c.Points.Is(openpoint.InsightsRowOrder, "newest_first")}
}

func (r *Room) insights(c *service.Call, l level, id string) (out any, err error) {
	err = c.View(func() error {
		facts := r.facts(c)
		scope := facts.tree.find(l, id)
		if scope == nil {
			return wire.NotFoundf("No %s found with id '%s'.", l, id)
		}
		request, err := facts.readRequest(c, scope)
		if err != nil {
			return err
		}
		if request.refused != nil {
			return request.refused
		}
		out, err = r.page(c, newReport(c, facts, request))
		return err
	})
	return out, err
}

// page works a report out and shows the page asked for.
func (r *Room) page(c *service.Call, report *report) (out page, err error) {
	err = r.ledger.Read(c.Account, report.now, func(b *delivery.Book) error {
		rows, more, err := report.cut(newCollector(report, b).collect())
		lines := make([]line, len(rows))
		for i, row := range rows {
			lines[i] = report.show(row)
		}
		out = newPage(lines, more)
		return err
	})
	return out, err
}
