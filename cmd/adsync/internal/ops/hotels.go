package ops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/insights"

	"github.com/spf13/cobra"
)

// hotelsFlags say which properties hotels shows.
type hotelsFlags struct {
	figuresFlags
	q       insights.HotelQuestion
	filters []string
	items   []string
	sort    []string
}

// Hotels returns the command adsync hotels.
func Hotels(env *session.Env) *cobra.Command {
	var f hotelsFlags
	c := &cobra.Command{
		Use:   "hotels [FOLDER] [ADDRESS...]",
		Short: "Show what properties of hotel feeds did, in figures",
		Long: `Show what the service says that properties of the account's hotel feeds did, with
totals and the change against the span before. Addresses of campaigns, ad groups and
ads narrow it. It is for accounts that the service has enrolled in hotel reporting.
Impressions and clicks are settled and estimated; spend, CPC and CPM settled only.`,
		Example: `  adsync hotels --span 30d --filter hotel_city=Lisbon --sort spend:desc
  adsync hotels --by month --span last-month --zero -o xlsx --chart --out hotels.xlsx`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(env, c, args) },
	}
	f.registerCompared(c, env, "day", "week", "month")
	c.Flags().StringArrayVar(&f.filters, "filter", nil, "only what this holds for: hotel_city=Lisbon,Porto or spend>10")
	c.Flags().StringArrayVar(&f.items, "item", nil, "only this property, as FEED/ITEM; may be repeated")
	c.Flags().StringSliceVar(&f.sort, "sort", nil, "order of rows: spend:desc, name:asc")
	c.Flags().BoolVar(&f.q.Zero, "zero", false, "current properties without activity, too")
	return c
}

func (f *hotelsFlags) run(env *session.Env, c *cobra.Command, args []string) error {
	dir, picks, err := session.Addressed(c, args)
	if err != nil {
		return err
	}
	orders, err := f.parse()
	if err != nil {
		return console.Usage(c, err)
	}
	s, err := f.begin(env, c, dir)
	if err != nil {
		return err
	}
	defer s.End()
	about, err := f.about(c, s, "")
	if err != nil {
		return err
	}
	ids, err := idsOf(picks, about.Addresses)
	if err != nil {
		return err
	}
	q := f.q
	q.By, q.Span, q.CompareRows = f.by, about.Span, f.compareRows
	into := map[string]*[]string{"campaign": &q.Campaigns, "ad_group": &q.AdGroups, "ad": &q.Ads}
	for _, kind := range slices.Sorted(maps.Keys(ids)) {
		if into[kind] == nil {
			return console.Usage(c, fmt.Errorf("an address is of %s; want campaign, ad_group or ad", kind))
		}
		*into[kind] = ids[kind]
	}
	if err := q.Check(); err != nil {
		return console.Usage(c, err)
	}
	about.Title, about.Level = "Figures by property", "property"
	about.Notes, about.Settings = q.Notes(about.Now), changedFlags(c, "filter", "item", "zero")
	err = f.show(env, c, func(ctx context.Context) (*insights.Report, error) {
		return insights.Hotels(ctx, s.Agent.Service, q, about, orders, f.compare)
	})
	if notEnrolled(err) {
		return console.ExitWith(console.ExitPermission,
			"the service has not enrolled this account in hotel reporting; "+
				"ask your contact there for it, or use adsync insights")
	}
	return err
}

// parse reads the flags that are texts of several parts.
func (f *hotelsFlags) parse() (orders []insights.Order, err error) {
	if err := f.together(); err != nil {
		return nil, err
	}
	for _, text := range f.filters {
		condition, err := insights.ParseCondition(text)
		if err != nil {
			return nil, err
		}
		f.q.Conditions = append(f.q.Conditions, condition)
	}
	for _, text := range f.items {
		feed, item, ok := strings.Cut(text, "/")
		if !ok || feed == "" || item == "" {
			return nil, fmt.Errorf("--item is %q; want FEED/ITEM, such as fd_rooms/h1", text)
		}
		f.q.Items = append(f.q.Items, insights.Item{FeedID: feed, ItemID: item})
	}
	for _, text := range f.sort {
		order, err := insights.ParseOrder(text)
		if err != nil {
			return nil, err
		}
		orders = append(orders, order)
	}
	return orders, nil
}

// notEnrolled reports whether an account has no hotel reporting. assumption: the service says
// so as it does of other features, with 403 or 404.
func notEnrolled(err error) bool {
	failed, ok := errors.AsType[*adsapi.Error](err)
	return ok && strings.HasSuffix(failed.Path, "/hotel_insights") &&
		(failed.Status == 403 || failed.Status == 404)
}
