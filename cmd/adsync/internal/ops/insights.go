package ops

import (
	"cmp"
	"fmt"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"

	"github.com/spf13/cobra"
)

// insightsFlags say which figures insights shows.
type insightsFlags struct {
	figures string
	level   string
}

// Insights returns the command adsync insights.
func Insights(env *session.Env) *cobra.Command {
	var f insightsFlags
	var levels []string
	for _, schema := range session.Schemas() {
		if schema.Insights != "" {
			levels = append(levels, string(schema.Kind))
		}
	}
	c := &cobra.Command{
		Use:   "insights [FOLDER]",
		Short: "Show what campaigns, ad groups or ads did: impressions, clicks, spend",
		Long: `Show what the service says that campaigns, ad groups or ads did, in whole days of the
account's time zone up to yesterday: figures of today are preliminary. Nothing is
changed. export -o xlsx --figures puts the same beside the rows of a workbook.`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			schema := session.Schemas().Of(resource.Kind(f.level))
			if schema == nil || schema.Insights == "" {
				return console.Usage(c, fmt.Errorf("--level is %q; want %s", f.level, console.OrList(levels)))
			}
			return runInsights(env, c, dir, schema, f)
		},
	}
	c.Flags().StringVar(&f.figures, "figures", "7d", "days, such as 7d,30d, yesterday or 2026-11-01..2026-11-15")
	c.Flags().StringVar(&f.level, "level", levels[0], "what the figures are of: "+console.OrList(levels))
	console.Completes(c, "level", levels...)
	env.Outputs(c, "text", "json")
	return c
}

// insightsDocument is the JSON form of insights.
type insightsDocument struct {
	FormatVersion int           `json:"format_version"`
	Currency      string        `json:"currency"`
	Level         string        `json:"level"`
	Rows          []insightsRow `json:"rows"`
}

// insightsRow is what one resource did in one window. Figures are decimal text by
// the service's words for them.
type insightsRow struct {
	Window  string            `json:"window"`
	Since   string            `json:"since"`
	Until   string            `json:"until"`
	Address string            `json:"address"` // "" where adsync does not manage it
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Figures map[string]string `json:"figures"`

	measured resource.Measured
}

func runInsights(env *session.Env, c *cobra.Command, dir string, schema *resource.Schema, f insightsFlags) error {
	project, problems := session.ReadProject(env, dir)
	l := session.Loaded{Project: project, Schemas: session.Schemas()}
	if err := session.Invalid(env, l, problems); err != nil {
		return err
	}
	s, err := session.Connect(c.Context(), env, l, true)
	if err != nil {
		return err
	}
	defer s.End()
	live, about, err := runs.Exported(c, s, f.figures)
	env.ClearLine()
	if err != nil {
		return err
	}
	last, err := s.Store.Last(c.Context())
	if err != nil {
		return err
	}
	d := insightsDocument{console.FormatVersion, about.Account.Currency, f.level, []insightsRow{}}
	managed := map[string]string{}
	for r := range last.All() {
		managed[r.ID] = r.Address.String()
	}
	for _, w := range about.Figures.Windows {
		for r := range live.All() {
			if m, has := w.ByID[r.ID]; has && r.Address.Kind == schema.Kind {
				d.Rows = append(d.Rows, rowOf(w.Window, r, managed[r.ID], m))
			}
		}
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	return insightsText(env, d)
}

func rowOf(w resource.Window, r *resource.Resource, address string, m resource.Measured) insightsRow {
	row := insightsRow{
		Window: w.Name, Since: w.Since, Until: w.Until,
		Address: address, ID: r.ID, Name: r.Value("name").Text(), Figures: map[string]string{}, measured: m,
	}
	for i, metric := range resource.Metrics {
		if m[i] != "" {
			row.Figures[metric.Name] = m[i]
		}
	}
	return row
}

func insightsText(env *session.Env, d insightsDocument) error {
	window := ""
	for _, row := range d.Rows {
		if row.Window != window {
			window = row.Window
			heads := make([]string, 0, len(resource.Metrics))
			for _, metric := range resource.Metrics {
				heads = append(heads, fmt.Sprintf("%12s", metric.Header))
			}
			if _, err := fmt.Fprintf(env.Out, "%s to %s, money in %s\n%s  %s\n",
				row.Since, row.Until, d.Currency, strings.Join(heads, ""), d.Level); err != nil {
				return err
			}
		}
		var line strings.Builder
		for _, figure := range row.measured {
			fmt.Fprintf(&line, "%12s", clipped(figure))
		}
		name := cmp.Or(row.Name, row.ID)
		if row.Address != "" {
			name += " (" + row.Address + ")"
		}
		if _, err := fmt.Fprintf(env.Out, "%s  %s\n", &line, diag.Printable(name)); err != nil {
			return err
		}
	}
	if len(d.Rows) == 0 {
		env.Note("the service has no figures for these days")
	}
	return nil
}

// clipped is a figure with at most four decimals, cut and not rounded.
func clipped(figure string) string {
	if whole, decimals, has := strings.Cut(figure, "."); has && len(decimals) > 4 {
		return whole + "." + decimals[:4]
	}
	return figure
}
