package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/insights"

	"github.com/spf13/cobra"
)

// convertedFlags say which figures of conversions are shown.
type convertedFlags struct {
	figuresFlags
	q insights.ConversionQuestion
}

// Converted returns the command adsync conversions insights.
func Converted(env *session.Env) *cobra.Command {
	var f convertedFlags
	c := &cobra.Command{
		Use:   "insights [FOLDER] [ADDRESS...]",
		Short: "Show what came of conversions: after clicks, after views, by event",
		Long: `Show the conversions that the service credits to campaigns, ad groups or ads: after clicks
and after views, with the sales of orders, or by event with --events. Addresses narrow it; without
them it is all that adsync manages of the level. Days are of the account's time zone. Nothing is
changed.`,
		Example: `  adsync conversions insights --span 30d --by day
  adsync conversions insights --level ad --events --event order_created -o csv --out sales.csv`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(env, c, args) },
	}
	f.register(c, env, "day")
	c.Flags().Lookup("chart").NoOptDefVal = "conversions"
	c.Flags().StringVar(&f.q.Level, "level", "campaign", "what rows are of: "+console.OrList(insights.Levels))
	console.Completes(c, "level", insights.Levels...)
	c.Flags().StringVar(&f.q.Breakdown, "breakdown", "", "break figures down by "+console.OrList(insights.Breakdowns))
	console.Completes(c, "breakdown", insights.Breakdowns...)
	c.Flags().IntVar(&f.q.Attribution, "attribution", 0, "days after a click in which conversions count: 7, 14 or 30")
	c.Flags().IntVar(&f.q.ViewThrough, "view-through", -1, "days after a view in which conversions count: 0 or 1")
	c.Flags().StringVar(&f.q.Basis, "basis", "", "when conversions count: ad_event_time or conversion_time")
	c.Flags().StringSliceVar(&f.q.Names, "event", nil, "only events of these names, such as order_created")
	c.Flags().BoolVar(&f.q.Events, "events", false, "a row an event, with its value and the settings that count it")
	c.Flags().BoolVar(&f.q.Zero, "zero", false, "rows without conversions, too")
	c.Flags().BoolVar(&f.q.Sum, "sum", false, "all of the level in one row")
	return c
}

func (f *convertedFlags) run(env *session.Env, c *cobra.Command, args []string) error {
	dir, picks, err := session.Addressed(c, args)
	if err != nil {
		return err
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
	q := f.q
	q.By, q.Span, q.Zone = f.by, about.Span, about.Zone
	if err := q.Check(); err != nil {
		return console.Usage(c, err)
	}
	ids, err := idsOf(picks, about.Addresses)
	if err != nil {
		return err
	}
	for kind := range ids {
		if kind != q.Level {
			return console.Usage(c, fmt.Errorf("an address is of %s; want those of one %s, or --level %s",
				kind, q.Level, kind))
		}
	}
	if q.IDs = ids[q.Level]; len(picks) == 0 && !q.Sum {
		q.IDs = managed(about.Addresses, q.Level)
	}
	if len(picks) == 0 && len(q.IDs) > 0 && q.Level != insights.Levels[0] {
		about.Notes = []string{fmt.Sprintf("of the %s that adsync manages; --level account counts all of the account",
			console.Plural(len(q.IDs), strings.ReplaceAll(q.Level, "_", " ")))}
	}
	if len(q.IDs) == 0 && !q.Sum && q.Level != insights.Levels[0] {
		return console.Configuration("adsync has applied nothing of the level %s here; want --sum, or --level account",
			q.Level)
	}
	about.Title, about.Level = "Conversions by "+strings.ReplaceAll(q.Level, "_", " "), q.Level
	about.Settings = changedFlags(c, "attribution", "view-through", "basis", "breakdown", "event", "zero", "sum")
	return f.show(env, c, func(ctx context.Context) (*insights.Report, error) {
		report, err := insights.Conversions(ctx, s.Agent.Service, q, about)
		if errors.Is(err, adsapi.ErrNotFound) && len(q.IDs) == 0 { // nothing was named that could be missing
			err = console.Configuration("this service has no figures of conversions: %s", err)
		}
		return report, err
	})
}

// managed are the ids of what adsync applied of a kind.
func managed(addresses map[string]string, kind string) (ids []string) {
	for id, address := range addresses {
		if strings.HasPrefix(address, kind+"/") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
