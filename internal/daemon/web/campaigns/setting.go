package campaigns

import (
	"cmp"
	"context"
	"slices"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/internal/words/catalogue"
)

// settings are the columns of what a resource is set to. A level has those that one of its resources has.
var settings = []string{"status", "review", "daily_budget", "lifetime_budget"}

// columns are all that the page may show behind the name.
var columns = slices.Concat(settings, []string{pacedColumn}, metrics, []string{cellColumn})

// ours are the columns that the page calls by a name of its own.
var ours = append(slices.Clone(settings), pacedColumn, cellColumn)

// isWord reports whether a column has words, and not figures or money.
func isWord(column string) bool {
	return column == "status" || column == "review" || column == cellColumn
}

// settingText is a setting as programs get it; "" where there is none.
func settingText(s daemon.Setting, column string) string {
	switch column {
	case "status":
		return s.Status
	case "review":
		return s.Review
	case "daily_budget":
		return amountText(s.Daily)
	case "lifetime_budget":
		return amountText(s.Lifetime)
	}
	return ""
}

func amountText(micros int64) string {
	if micros == 0 {
		return ""
	}
	return resource.FormatMoney(micros)
}

// of is what a column has of a line, as programs get it.
func (f *Found) of(l *figures.Line, column string) string {
	switch {
	case slices.Contains(settings, column):
		return settingText(f.settings[l.ID], column)
	case column == pacedColumn:
		return f.paced[l.ID].percent()
	case column == cellColumn:
		return f.files[l.ID].cell
	}
	return l.Of(column)
}

// inWords is what the page shows of a column that has a text.
func inWords(column, text string) string {
	switch {
	case column == "review":
		return shown.Name(review.State(text).Words())
	case isWord(column):
		return shown.Name(text)
	case column == pacedColumn:
		return text
	case slices.Contains(settings, column):
		column = "spend" // it is money
	}
	words, _ := insights.Shown(column, text)
	return words
}

// headOf is what the page calls a column.
func headOf(column string) string {
	if slices.Contains(ours, column) {
		return catalogue.Say("column." + column)
	}
	_, head := insights.Shown(column, "")
	return head
}

// readSettings reads what the lines are set to, and adds a line for each resource that did nothing on these days. One
// that is removed, and did nothing, is there for who asks for its status.
func (f *Found) readSettings(ctx context.Context, archive daemon.Archive) {
	at := slices.Index(figures.Levels[:], f.asked.Level)
	read, err := archive.Settings(ctx, figures.Levels[:at+1])
	if err != nil {
		f.unset = true
		return
	}
	f.settings = read[f.asked.Level]
	for id := range f.settings {
		s := f.settings[id]
		for _, column := range settings {
			f.has[column] = f.has[column] || settingText(s, column) != ""
		}
	}
	acted := map[string]bool{}
	for i := range f.now.Lines {
		acted[f.now.Lines[i].ID] = true
	}
	for id, s := range f.settings {
		if acted[id] || s.Removed && f.asked.Status != s.Status && !f.changed[id] {
			continue
		}
		l := figures.Line{ID: id, Resource: figures.Resource{Name: s.Name, Parent: s.Parent}}
		for up, parent := at-1, s.Parent; up >= 0; up-- {
			above := read[figures.Levels[up]][parent]
			l.Above = append(l.Above, figures.Resource{Name: cmp.Or(above.Name, parent), Parent: above.Parent})
			parent = above.Parent
		}
		slices.Reverse(l.Above)
		if !f.now.Read() {
			l.Sums = figures.Unknown()
		}
		f.now.Lines = append(f.now.Lines, l)
	}
	slices.SortFunc(f.now.Lines, func(a, b figures.Line) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
}

// values are those of a column of words that a line of the level has, in the order of their letters.
func (f *Found) values(column string) (all []string) {
	for _, s := range f.settings {
		if text := settingText(s, column); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
}
