package report

import (
	"slices"
	"time"

	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/resource"
)

// budgetsOf returns what finds the budget of a campaign, in the record of what was applied last.
func budgetsOf(f *Facts, now *figures.Table) (func(*figures.Line) *Budget, error) {
	record := map[string]*resource.Resource{}
	if f.Record != nil {
		for r := range f.Record.All() {
			if string(r.Address.Kind) == figures.Levels[0] {
				record[r.ID] = r
			}
		}
	}
	lives, err := livesOf(f, record)
	if err != nil {
		return nil, err
	}
	read := int64(len(now.Days) - len(now.Gaps()))
	return func(l *figures.Line) *Budget {
		r := record[l.ID]
		if r == nil {
			return nil
		}
		if daily, is := r.Value("budget.daily").Number(); is {
			b := &Budget{Kind: "daily", Amount: decimal(daily), Within: decimal(daily * read), Spent: l.Of("spend")}
			b.fill()
			return b
		}
		if whole, is := r.Value("budget.lifetime").Number(); is {
			b := &Budget{Kind: "lifetime", Amount: decimal(whole), Within: decimal(whole), Spent: lives.spent(r)}
			b.fill()
			return b
		}
		return nil
	}, nil
}

// fill works out which share of a budget was spent.
func (b *Budget) fill() {
	spent, known := insights.Millionths(b.Spent)
	within, is := insights.Millionths(b.Within)
	if known && is && b.Spent != "" {
		b.Share = insights.Share(spent, within)
	}
}

// lives are the days since the oldest of the campaigns that have a lifetime budget.
type lives struct {
	days  []figures.DayTotal
	spend map[string]string // by id
}

func livesOf(f *Facts, record map[string]*resource.Resource) (l lives, err error) {
	first := f.Span.To
	oldest := f.Now.AddDate(0, 0, 1-figures.KeptDays).Format(time.DateOnly)
	found := false
	for _, r := range record {
		start := r.Value("start").Text()
		if r.Value("budget.lifetime").IsSet() && start >= oldest && start <= first {
			first, found = start, true
		}
	}
	if !found {
		return l, nil
	}
	t, err := f.Kept.Table(figures.Levels[0], insights.Span{From: first, To: f.Span.To})
	if err != nil {
		return l, err
	}
	l = lives{days: t.Days, spend: map[string]string{}}
	for i := range t.Lines {
		l.spend[t.Lines[i].ID] = t.Lines[i].Of("spend")
	}
	return l, nil
}

// spent is what a campaign has spent since it began; "" where a day since then was not read.
func (l *lives) spent(r *resource.Resource) string {
	start := r.Value("start").Text()
	if start == "" || len(l.days) == 0 || start < l.days[0].Date ||
		slices.ContainsFunc(l.days, func(d figures.DayTotal) bool { return d.Gap && d.Date >= start }) {
		return ""
	}
	return l.spend[r.ID]
}

// decimal is an amount in micros as decimal text.
func decimal(micros int64) string {
	return insights.Figure("spend", func(string) (int64, bool) { return micros, true })
}
