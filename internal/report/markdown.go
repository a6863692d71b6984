package report

import (
	"fmt"
	"io"
	"strings"

	"adsync/internal/insights"
)

// mostNamed is how many campaigns Markdown lists.
const mostNamed = 25

// markdown writes tables and lists whose texts cannot end them.
func (r *Report) markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", insights.Markdown(r.Title()), insights.Markdown(r.about()))
	if r.page != "" {
		fmt.Fprintf(&b, "\n[Open the account](<%s>)\n", r.page)
	}
	for _, note := range r.notes() {
		fmt.Fprintf(&b, "\n> %s\n", insights.Markdown(note))
	}
	if len(r.Gaps) < len(r.Days) {
		r.markdownFigures(&b)
	}
	for _, l := range r.lists(0) {
		fmt.Fprintf(&b, "\n## %s\n\n", insights.Markdown(l.Title))
		if len(l.Lines) == 0 {
			fmt.Fprintln(&b, insights.Markdown(l.None))
		}
		for _, one := range l.Lines {
			fmt.Fprintf(&b, "- **%s**\n", insights.Markdown(one.What))
			for _, said := range one.Said {
				fmt.Fprintf(&b, "  - %s\n", insights.Markdown(said))
			}
		}
		if l.More != "" {
			fmt.Fprintf(&b, "\n%s\n", insights.Markdown(l.More))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) markdownFigures(b *strings.Builder) {
	rows := [][]string{{""}, {r.span()}}
	if r.Compared {
		rows = append(rows, []string{r.Before.String()}, []string{"Change"})
	}
	for i := range r.Totals {
		f := &r.Totals[i]
		for n, text := range []string{f.Header, shown(f.Name, f.Value), shown(f.Name, f.Before),
			insights.Signed(f.Change)}[:len(rows)] {
			rows[n] = append(rows[n], text)
		}
	}
	table(b, "Figures", rows)
	rows = [][]string{append([]string{"Day"}, headers(r.of(dayMetrics))...)}
	for _, d := range r.Days {
		switch {
		case d.Gap:
			rows = append(rows, []string{d.Date, "not read"})
		case d.Preliminary:
			rows = append(rows, append([]string{d.Date + " *"}, cells(d.Figures, r.of(dayMetrics))...))
		default:
			rows = append(rows, append([]string{d.Date}, cells(d.Figures, r.of(dayMetrics))...))
		}
	}
	table(b, "Days", rows)
	rows = [][]string{append([]string{"Campaign", "Spend", "Change", "Budget now", "Spent of it"},
		headers(r.of(campaignMetrics))...)}
	for i := range r.Campaigns[:min(len(r.Campaigns), mostNamed)] {
		c := &r.Campaigns[i]
		rows = append(rows, append([]string{c.Name, money(c.Figures["spend"]), insights.Signed(c.SpendChange),
			c.Budget.words(), c.Budget.share()}, cells(c.Figures, r.of(campaignMetrics))...))
	}
	table(b, "Campaigns: spend against budget", rows)
	if more := r.moreCampaigns(mostNamed); more != "" {
		fmt.Fprintf(b, "\n%s\n", insights.Markdown(more))
	}
	for _, of := range r.ranks() {
		rows = [][]string{append([]string{"Ad", "In"}, headers(r.of(adMetrics))...)}
		for i := range of.ads {
			rows = append(rows, append([]string{of.ads[i].Name, of.ads[i].In},
				cells(of.ads[i].Figures, r.of(adMetrics))...))
		}
		table(b, of.title, rows)
	}
}

// table writes a table; the first row is its head.
func table(b *strings.Builder, title string, rows [][]string) {
	fmt.Fprintf(b, "\n## %s\n\n", title)
	if len(rows) == 1 {
		fmt.Fprintln(b, "None.")
		return
	}
	for n, row := range rows {
		for i := range rows[0] {
			cell := ""
			if i < len(row) {
				cell = insights.Markdown(row[i])
			}
			fmt.Fprintf(b, "| %s ", cell)
		}
		b.WriteString("|\n")
		if n == 0 {
			b.WriteString("|---" + strings.Repeat("|--:", len(rows[0])-1) + "|\n")
		}
	}
}
