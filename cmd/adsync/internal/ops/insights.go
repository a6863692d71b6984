package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/insights"

	"github.com/spf13/cobra"
)

// insightsFlags say which figures insights shows.
type insightsFlags struct {
	figuresFlags
	q       insights.Question
	filters []string
	sort    []string
	zone    string
}

// Insights returns the command adsync insights.
func Insights(env *session.Env) *cobra.Command {
	var f insightsFlags
	c := &cobra.Command{
		Use:   "insights [FOLDER] [ADDRESS...]",
		Short: "Show what the account, campaigns, ad groups or ads did, in figures",
		Long: `Show what the service says that the account, campaigns, ad groups or ads did:
impressions, clicks, spend and what follows from them, with totals and the change
against the span before. Addresses narrow it. Days are of the account's time zone;
figures of its current day are marked, as they still change. Nothing is changed.`,
		Example: `  adsync insights --span 30d --by day --chart
  adsync insights --level ad --segment device --sort spend:desc -o csv --out ads.csv
  adsync insights campaign/spring-launch --span last-month --filter 'clicks>10'`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(env, c, args) },
	}
	f.registerCompared(c, env, "hour", "day", "week", "month")
	c.Flags().StringVar(&f.q.Level, "level", "campaign", "what rows are of: "+console.OrList(insights.Levels))
	console.Completes(c, "level", insights.Levels...)
	c.Flags().StringSliceVar(&f.q.Segments, "segment", nil,
		"break figures down by "+console.OrList(insights.Segments)+"; each of several on its own")
	console.Completes(c, "segment", insights.Segments...)
	c.Flags().IntVar(&f.q.Attribution, "attribution", 0, "days after a click in which conversions count: 7, 14 or 30")
	c.Flags().IntVar(&f.q.ViewThrough, "view-through", -1, "days after a view in which conversions count: 0 or 1")
	c.Flags().StringVar(&f.q.Basis, "basis", "", "when conversions count: ad_event_time or conversion_time")
	c.Flags().StringArrayVar(&f.filters, "filter",
		nil, "only what this holds for: campaign.name=Spring,Winter or spend>10")
	c.Flags().StringSliceVar(&f.q.Fields, "fields", nil, "figures and fields, such as spend,cpa,campaign.status")
	c.Flags().StringSliceVar(&f.sort, "sort", nil, "order of rows: spend:desc, campaign.name:asc")
	c.Flags().BoolVar(&f.q.Zero, "zero", false, "rows of what was not shown, too")
	c.Flags().BoolVar(&f.q.SegmentFirst, "segment-first", false, "group by the segment before the level")
	c.Flags().StringVar(&f.zone, "timezone", "", "zone of the days (default: the account's)")
	return c
}

func (f *insightsFlags) run(env *session.Env, c *cobra.Command, args []string) error {
	dir, picks, err := session.Addressed(c, args)
	if err != nil {
		return err
	}
	if err := f.parse(); err != nil {
		return console.Usage(c, err)
	}
	s, err := f.begin(env, c, dir)
	if err != nil {
		return err
	}
	defer s.End()
	about, err := f.about(c, s, f.zone)
	if err != nil {
		return err
	}
	q := f.q
	q.By, q.Span, q.Zone, q.CompareRows = f.by, about.Span, about.Zone, f.compareRows
	ids, err := idsOf(picks, about.Addresses)
	if err != nil {
		return err
	}
	if len(ids) > 1 {
		return console.Usage(c, fmt.Errorf("the addresses are of several kinds; want those of one"))
	}
	for level, of := range ids {
		q.Of = &insights.Scope{Level: level, IDs: of}
	}
	if err := q.Check(); err != nil {
		return console.Usage(c, err)
	}
	about.Title, about.Level, about.Segments = "Figures by "+strings.ReplaceAll(q.Level, "_", " "), q.Level, q.Segments
	if q.Level == insights.Levels[0] {
		about.Title = "Figures of the account"
	}
	about.Notes, about.Settings = q.Notes(about.Now), changedFlags(c, questionFlags...)
	return f.show(env, c, func(ctx context.Context) (*insights.Report, error) {
		return insights.Insights(ctx, s.Agent.Service, q, about, f.compare)
	})
}

// questionFlags are those that a reader of the figures has to know.
var questionFlags = []string{"attribution", "view-through", "basis", "filter", "zero", "segment-first"}

// parse reads the flags that are texts of several parts.
func (f *insightsFlags) parse() error {
	if err := f.together(); err != nil {
		return err
	}
	for _, text := range f.filters {
		condition, err := insights.ParseCondition(text)
		if err != nil {
			return err
		}
		f.q.Conditions = append(f.q.Conditions, condition)
	}
	for _, text := range f.sort {
		order, err := insights.ParseOrder(text)
		if err != nil {
			return err
		}
		f.q.Sort = append(f.q.Sort, order)
	}
	// What needs no account is refused before it is asked.
	q := f.q
	q.By = f.by
	q.Span, _ = insights.Between("2026-01-01", "2026-01-02", time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
	if strings.Contains(f.from+f.to, "T") {
		return nil
	}
	return q.Check()
}

// changedFlags are flags that were given, as they were typed.
func changedFlags(c *cobra.Command, names ...string) []string {
	var given []string
	for _, name := range names {
		flag := c.Flags().Lookup(name)
		if flag == nil || !flag.Changed {
			continue
		}
		if values, err := c.Flags().GetStringArray(name); err == nil {
			for _, value := range values {
				given = append(given, name+" "+value)
			}
			continue
		}
		given = append(given, strings.TrimSuffix(name+" "+flag.Value.String(), " true"))
	}
	return slices.Clip(given)
}
