package workbook

import (
	"adsync/internal/resource"
	"adsync/sources/catalog"
)

// figureColumns are the columns of a kind whose resources have figures, window
// by window. A metric that is zero throughout and may be is left out.
func (b *bookWriter) figureColumns(s *resource.Schema) []catalog.Column {
	if b.Figures == nil || s.Insights == "" {
		return nil
	}
	var columns []catalog.Column
	for window := range b.Figures.Windows {
		for metric := range resource.Metrics {
			if b.showsMetric(metric) {
				columns = append(columns, b.figureColumn(window, metric))
			}
		}
	}
	return columns
}

func (b *bookWriter) showsMetric(metric int) bool {
	return !resource.Metrics[metric].Rare || b.Figures.Has(metric)
}

func (b *bookWriter) figureColumn(window, metric int) catalog.Column {
	w, m := b.Figures.Windows[window].Window, resource.Metrics[metric]
	return catalog.Column{
		Title: m.Header + " " + w.Name, Role: catalog.RoleOurs,
		Ours: catalog.OursFigure, Figure: &catalog.FigureColumn{Window: window, Metric: metric},
		Help: m.Help + "\n" + catalog.WindowHelp(w) +
			"\nThe service's own figures; not read.\nBlank: the service has none.",
	}
}

func (b *bookWriter) figureDigits(f *catalog.FigureColumn, id string) string {
	return b.Figures.Windows[f.Window].ByID[id][f.Metric]
}
