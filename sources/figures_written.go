package sources

import "adsync/internal/resource"

// figureColumns are the columns of a kind whose resources have figures, window
// by window. A metric that is zero throughout and may be is left out.
func (b *bookWriter) figureColumns(s *resource.Schema) []column {
	if b.Figures == nil || s.Insights == "" {
		return nil
	}
	var columns []column
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

func (b *bookWriter) figureColumn(window, metric int) column {
	w, m := b.Figures.Windows[window].Window, resource.Metrics[metric]
	return column{
		title: m.Header + " " + w.Name, role: roleOurs, ours: oursFigure, figure: &figureColumn{window, metric},
		help: m.Help + "\n" + windowHelp(w) + "\nThe service's own figures; not read.\nBlank: the service has none.",
	}
}

func (b *bookWriter) figureDigits(f *figureColumn, id string) string {
	return b.Figures.Windows[f.window].ByID[id][f.metric]
}
