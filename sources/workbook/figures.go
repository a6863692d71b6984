package workbook

import (
	"adsync/internal/resource"
	"adsync/sources/catalog"
)

// figuresShown are the figures of an export; none where there are no Figures.
type figuresShown struct{ *resource.Figures }

// figureColumns are the columns of a kind whose resources have figures, window
// by window. A metric that is zero throughout and may be is left out.
func (f *figuresShown) figureColumns(s *resource.Schema) []catalog.Column {
	if f.Figures == nil || s.Insights == "" {
		return nil
	}
	var columns []catalog.Column
	for window := range f.Windows {
		for metric := range resource.Metrics {
			if f.showsMetric(metric) {
				columns = append(columns, f.figureColumn(window, metric))
			}
		}
	}
	return columns
}

func (f *figuresShown) showsMetric(metric int) bool {
	return !resource.Metrics[metric].Rare || f.Has(metric)
}

func (f *figuresShown) figureColumn(window, metric int) catalog.Column {
	w, m := f.Windows[window].Window, resource.Metrics[metric]
	return catalog.Column{
		Title: m.Header + " " + w.Name, Role: catalog.RoleOurs,
		Ours: catalog.OursFigure, Figure: &catalog.FigureColumn{Window: window, Metric: metric},
		Help: m.Help + "\n" + catalog.WindowHelp(w) +
			"\nThe service's own figures; not read.\nBlank: the service has none.",
	}
}

func (f *figuresShown) figureDigits(c *catalog.FigureColumn, id string) string {
	return f.Windows[c.Window].ByID[id][c.Metric]
}
