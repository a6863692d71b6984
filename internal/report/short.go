package report

import (
	"fmt"

	"adsync/internal/insights"
)

// Part is a part of a report as a chat shows it.
type Part struct {
	Title string
	Lines []string
	More  int // lines that are left out
}

// shortCampaigns is how many campaigns a chat shows.
const shortCampaigns = 5

// Short returns the report in a few lines, for a chat.
func (r *Report) Short() (parts []Part) {
	if notes := r.notes(); len(notes) > 0 {
		parts = append(parts, Part{Title: "Mind", Lines: notes})
	}
	if len(r.Gaps) < len(r.Days) {
		figures := Part{Title: r.span()}
		for i := range r.Totals {
			f := &r.Totals[i]
			text := f.Header + ": " + shown(f.Name, f.Value)
			if r.Compared && f.Change != "" {
				text += fmt.Sprintf(" (%s)", insights.Signed(f.Change))
			}
			figures.Lines = append(figures.Lines, text)
		}
		most := Part{Title: "Campaigns that spent the most"}
		for i := range r.Campaigns[:min(len(r.Campaigns), shortCampaigns)] {
			c := &r.Campaigns[i]
			text := cut(c.Name, pageName) + ": " + money(c.Figures["spend"])
			if share := c.Budget.share(); share != "" {
				text += fmt.Sprintf(", %s of its budget of %s", share, c.Budget.words())
			}
			most.Lines = append(most.Lines, text)
		}
		most.More = max(0, len(r.Campaigns)-shortCampaigns)
		parts = append(parts, figures, most)
	}
	for _, l := range r.lists(0) {
		part := Part{Title: l.Title, More: max(0, len(l.Lines)-pageLines)}
		for _, one := range l.Lines[:min(len(l.Lines), pageLines)] {
			text := one.What
			for _, said := range one.Said {
				text += " · " + said
			}
			part.Lines = append(part.Lines, cut(text, pageSaid))
		}
		if len(l.Lines) == 0 {
			part.Lines = []string{l.None}
		}
		parts = append(parts, part)
	}
	return parts
}
