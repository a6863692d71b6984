package live

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/reconcile/env"
)

// insights asks the service for figures of what was delivered.
type insights struct {
	*env.Env
}

// Present checks the account and returns the present in its time zone, by the service's
// clock: its figures are of its days.
func (a *insights) Present(ctx context.Context) (time.Time, error) {
	if err := a.CheckAccount(ctx); err != nil {
		return time.Time{}, err
	}
	return a.Now().Add(-a.Service.Ahead()).In(a.Zone), nil
}

// Figures asks the service what the account's resources did in each window, and
// on each day of the shortest: one list a kind and window, whatever the size of
// the account. The figures are the service's own at every level, not sums.
func (a *insights) Figures(ctx context.Context, windows []resource.Window) (*resource.Figures, error) {
	measured := slices.DeleteFunc(slices.Clone(a.Schemas), func(s *resource.Schema) bool { return s.Insights == "" })
	figures := &resource.Figures{}
	for _, w := range windows {
		of := resource.WindowFigures{Window: w, ByID: map[string]resource.Measured{}}
		for i := range measured {
			if err := a.windowFigures(ctx, measured[:i+1], &of); err != nil {
				return nil, fmt.Errorf("read figures %s of %s: %w", w.Name, measured[i].Kind, err)
			}
		}
		figures.Windows = append(figures.Windows, of)
	}
	figures.Daily.Window = resource.Shortest(windows)
	rows, err := a.dailyFigures(ctx, measured, figures.Daily.Window)
	if err != nil {
		return nil, fmt.Errorf("read daily figures: %w", err)
	}
	figures.Daily.Rows = rows
	return figures, nil
}

// windowFigures adds those of the last of the kinds, with the names of what is above.
func (a *insights) windowFigures(ctx context.Context, kinds resource.Schemas, of *resource.WindowFigures) error {
	schema := kinds[len(kinds)-1]
	q := a.insightsQuery(schema.Insights, "none", of.Window)
	q.Fields = append(append(q.Fields, schema.Insights+".id"), namesOf(kinds)...)
	for row, err := range a.Service.Insights(ctx, q) {
		if err != nil {
			return err
		}
		id := row.Fields[schema.Insights+"_id"]
		of.ByID[id] = measuredIn(row)
		of.Rows = append(of.Rows, resource.FigureRow{Kind: schema.Kind, Path: pathIn(row, kinds), ID: id})
	}
	return nil
}

// namesOf are the fields with the name of each kind.
func namesOf(kinds resource.Schemas) (fields []string) {
	for _, s := range kinds {
		fields = append(fields, s.Insights+".name")
	}
	return fields
}

func pathIn(row adsapi.InsightsRow, kinds resource.Schemas) (path []string) {
	for _, s := range kinds {
		path = append(path, row.Fields[s.Insights+"_name"])
	}
	return path
}

// dailyFigures are rows of the deepest kind that has figures: they add up to
// those above.
func (a *insights) dailyFigures(ctx context.Context, measured resource.Schemas,
	w resource.Window) ([]resource.DayRow, error) {
	deepest := measured[len(measured)-1].Insights
	q := a.insightsQuery(deepest, "daily", w)
	q.Fields = append(append(q.Fields, deepest+".id"), namesOf(measured)...)
	var rows []resource.DayRow
	for row, err := range a.Service.Insights(ctx, q) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, resource.DayRow{
			Day: time.Unix(row.Start, 0).In(a.Zone).Format(time.DateOnly), Path: pathIn(row, measured),
			ID: row.Fields[deepest+"_id"], Measured: measuredIn(row),
		})
	}
	slices.SortFunc(rows, func(a, b resource.DayRow) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), slices.Compare(a.Path, b.Path), cmp.Compare(a.ID, b.ID))
	})
	return rows, nil
}

func (a *insights) insightsQuery(level, granularity string, w resource.Window) adsapi.InsightsQuery {
	q := adsapi.InsightsQuery{
		Level: level, Granularity: granularity, Since: w.Since, Until: w.Until, TimeZone: a.Zone.String(),
	}
	for _, m := range resource.Metrics {
		q.Fields = append(q.Fields, m.Name)
	}
	return q
}

func measuredIn(row adsapi.InsightsRow) resource.Measured {
	var m resource.Measured
	for i, metric := range resource.Metrics {
		m[i] = row.Fields[metric.Name]
	}
	return m
}
