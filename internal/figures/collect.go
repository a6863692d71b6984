package figures

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"adsync/internal/insights"
)

// Collector reads the days of an account that are due.
type Collector struct {
	Kept     Kept
	Service  insights.Service
	Currency string
	Brand    string    // what people see as who advertises
	Now      time.Time // of the account, in its zone, by the service's clock
}

// How old what was read of a young day may grow until it is read anew, how long a day stays young after its end because
// late figures change it, and how many days one question is about.
const (
	every    = time.Hour
	young    = 3
	atOnce   = 28
	dateForm = time.DateOnly
)

// Pass reads the days that are due the most, the newest first. It reports false where none is.
func (c *Collector) Pass(ctx context.Context) (read bool, err error) {
	kept, err := c.Kept.Index()
	if err != nil {
		return false, err
	}
	kept.Brand = c.Brand
	if zone := c.Now.Location().String(); kept.Currency != c.Currency || kept.Zone != zone { // its days are others
		kept = Index{Currency: c.Currency, Brand: c.Brand, Zone: zone, Taken: map[string]int64{}}
	}
	due := c.due(kept.Taken)
	if len(due) == 0 {
		return false, c.forget(kept)
	}
	return true, c.read(ctx, due[:min(len(due), atOnce)], kept)
}

// Span reads days whatever is kept of them, the newest first. Days that have not come are left out.
func (c *Collector) Span(ctx context.Context, span insights.Span) error {
	kept := Index{Currency: c.Currency, Zone: c.Now.Location().String(), Taken: map[string]int64{}}
	from, err := time.ParseInLocation(dateForm, span.From, c.Now.Location())
	if err != nil {
		return fmt.Errorf("figures from %q; want a day such as 2026-11-01", span.From)
	}
	day, err := time.ParseInLocation(dateForm, min(span.To, c.Now.Format(dateForm)), c.Now.Location())
	if err != nil {
		return fmt.Errorf("figures to %q; want a day such as 2026-11-01", span.To)
	}
	var days []string
	for ; !day.Before(from); day = day.AddDate(0, 0, -1) {
		days = append(days, day.Format(dateForm))
	}
	for part := range slices.Chunk(days, atOnce) {
		if err := c.read(ctx, part, kept); err != nil {
			return err
		}
	}
	return nil
}

// due returns the days that have to be read, the newest first, without a day between them that has not: one question
// is about days that follow each other.
func (c *Collector) due(taken map[string]int64) (days []string) {
	today := midnight(c.Now)
	for back := range serviceDays {
		day := today.AddDate(0, 0, -back)
		at, known := taken[day.Format(dateForm)]
		settled := day.AddDate(0, 0, 1+young).Unix()
		switch {
		case !known, at < settled && c.Now.Unix()-at >= int64(every/time.Second):
			days = append(days, day.Format(dateForm))
		case len(days) > 0:
			return days
		}
	}
	return days
}

// read asks the service for days that follow each other, the newest first, and keeps them.
func (c *Collector) read(ctx context.Context, days []string, kept Index) error {
	read := map[string]*dayRead{}
	for _, day := range days {
		read[day] = &dayRead{Taken: c.Now}
	}
	resources, err := c.Kept.Resources()
	if err != nil {
		return err
	}
	renamed := false
	for at, level := range Levels {
		moved, err := c.ask(ctx, at, insights.Span{From: days[len(days)-1], To: days[0]}, read, resources[at])
		if err != nil {
			return fmt.Errorf("figures by %s from %s to %s: %w", level, days[len(days)-1], days[0], err)
		}
		renamed = renamed || moved
	}
	if renamed {
		if err := c.Kept.put(namesName, &resources); err != nil {
			return err
		}
	}
	for _, day := range days {
		if err := c.Kept.putDay(day, read[day]); err != nil {
			return err
		}
		kept.Taken[day] = c.Now.Unix()
	}
	return c.Kept.putIndex(kept)
}

// parents are the fields that name where a resource belongs, by level.
var parents = [len(Levels)]string{"", "campaign.id", "ad_group.id"}

// ask adds the rows of a level to their days, and reports whether a resource has another name than before.
func (c *Collector) ask(ctx context.Context, at int, span insights.Span,
	days map[string]*dayRead, resources map[string]Resource) (renamed bool, failed error) {
	q := insights.Question{
		Level: Levels[at], Span: span, Zone: c.Now.Location(), By: "day", ViewThrough: -1,
		Fields: metrics[:],
	}
	if parents[at] != "" {
		q.Fields = append(slices.Clone(q.Fields), parents[at])
	}
	report, err := insights.Insights(ctx, c.Service, q, insights.About{
		Currency: c.Currency, Zone: q.Zone, Now: c.Now, Level: q.Level, By: q.By, Span: span,
	}, false)
	defer func() {
		if err := report.Close(); failed == nil {
			failed = err
		}
	}()
	if err != nil {
		return false, err
	}
	columns := map[string]int{}
	for i := range report.Columns {
		columns[report.Columns[i].Name] = i
	}
	for row, err := range report.Rows() {
		if err != nil {
			return renamed, err
		}
		day := days[row.Cells[columns["time"]]]
		id := row.Cells[columns["id"]]
		if day == nil || id == "" || strings.Contains(id, "\n") {
			return renamed, fmt.Errorf("a row is of %q on %q; want an id, and a day that was asked for",
				id, row.Cells[columns["time"]])
		}
		kept := dayRow{ID: id}
		for m, metric := range metrics {
			kept.Values[m], kept.Known[m] = insights.Millionths(row.Cells[columns[metric]])
		}
		day.Levels[at] = append(day.Levels[at], kept)
		r := Resource{Name: row.Cells[columns["name"]]}
		if parents[at] != "" {
			r.Parent = row.Cells[columns[parents[at]]]
		}
		if r.Name != "" && resources[id] != r { // rows are in the order of days: the last name stays
			resources[id], renamed = r, true
		}
	}
	return renamed, nil
}

// forget takes days away that are older than what is kept.
func (c *Collector) forget(kept Index) error {
	oldest := c.Now.AddDate(0, 0, 1-KeptDays).Format(dateForm)
	before := len(kept.Taken)
	for _, day := range slices.Sorted(maps.Keys(kept.Taken)) {
		if day >= oldest {
			break
		}
		if err := c.Kept.Store.Delete(dayName(day)); err != nil {
			return err
		}
		delete(kept.Taken, day)
	}
	if len(kept.Taken) == before {
		return nil
	}
	return c.Kept.putIndex(kept)
}
