package events

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/conversions"
	"adsync/internal/diag"

	"github.com/spf13/cobra"
)

// mostRecent is how many events the service gives (interface, part 8).
const mostRecent = 50

// lookEvery is how long --follow waits before it asks again.
const lookEvery = 5 * time.Second

func recent(env *session.Env) *cobra.Command {
	var dir string
	var most int
	var follow bool
	c := &cobra.Command{
		Use:   "recent PIXEL",
		Short: "Show the last events that a pixel's pages sent",
		Long: `Show what the browser pixel sent in the last 15 minutes, the oldest first: at most 50
events. It is an aid for trying a pixel, not a report. PIXEL is the pixel's id or the address of
one that was applied. With --follow it goes on, and shows each event once, until it is
interrupted. Nothing is changed.`,
		Example: "  adsync conversions recent pixel/web-shop\n  adsync conversions recent pixel/web-shop --follow",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if most < 1 || most > mostRecent {
				return console.Usage(c, fmt.Errorf("--most is %d; want 1 to %d", most, mostRecent))
			}
			if follow && env.Flags.Output == "json" {
				return console.Usage(c, fmt.Errorf("-o json is one document, and --follow has no end; want -o ndjson"))
			}
			return runRecent(c.Context(), env, dir, args[0], most, follow)
		},
	}
	c.Flags().IntVar(&most, "most", mostRecent, "how many events at the most")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on, until interrupted")
	dirFlag(c, &dir)
	env.Outputs(c, "text", "json", "ndjson")
	return c
}

func runRecent(ctx context.Context, env *session.Env, dir, text string, most int, follow bool) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	s := &session.Session{}
	defer s.End()
	client, err := session.Dial(env, s, project, adsapi.Config{ReadOnly: true})
	if err != nil {
		return err
	}
	pixel, err := pixelOf(ctx, env, project, client, text)
	if err != nil {
		return err
	}
	var shown []conversions.Recent
	for {
		events, err := recentOf(ctx, client, pixel, most)
		env.ClearLine()
		if err != nil {
			return err
		}
		fresh := slices.DeleteFunc(slices.Clone(events), func(e conversions.Recent) bool {
			return slices.Contains(shown, e)
		})
		if err := showRecent(env, pixel, fresh); err != nil {
			return err
		}
		if !follow {
			if len(fresh) == 0 && env.Flags.Output == "text" {
				env.Note("pixel %s sent no event in the last 15 minutes", diag.Printable(pixel))
			}
			return nil
		}
		if shown = events; len(fresh) == most {
			env.Note("%d new events came at once, which is all that are shown; others may be between them", most)
		}
		if err := env.Clock.OrSystem().Sleep(ctx, lookEvery); err != nil {
			return err
		}
	}
}

// recentOf reads the last events, the oldest first.
func recentOf(ctx context.Context, client *adsapi.Client, pixel string, most int) ([]conversions.Recent, error) {
	answer, err := client.Get(ctx, "/conversions/events",
		url.Values{"pid": {pixel}, "limit": {strconv.Itoa(most)}})
	if err != nil {
		return nil, fmt.Errorf("the last events of pixel %s: %w", diag.Printable(pixel), err)
	}
	events, err := conversions.DecodeRecent(answer)
	if err != nil {
		return nil, fmt.Errorf("the last events of pixel %s: %w", diag.Printable(pixel), err)
	}
	return events, nil
}

func showRecent(env *session.Env, pixel string, events []conversions.Recent) error {
	switch env.Flags.Output {
	case "json":
		return env.PrintJSON(conversions.RecentDocument{FormatVersion: console.FormatVersion, Pixel: pixel,
			Events: append([]conversions.Recent{}, events...)})
	case "ndjson":
		encoder := json.NewEncoder(&console.VisibleLines{To: env.Out})
		encoder.SetEscapeHTML(false)
		for _, e := range events {
			if err := encoder.Encode(e); err != nil {
				return err
			}
		}
		return nil
	}
	for _, e := range events {
		at := "no time said           " // as wide as a time
		if e.ReceivedAt != 0 {
			at = time.UnixMilli(e.ReceivedAt).UTC().Format("2006-01-02 15:04:05.000")
		}
		if _, err := fmt.Fprintf(env.Out, "%s  %s  %s  %s  %s\n", at, diag.Printable(e.Name()),
			diag.Printable(e.ActionSource), diag.Printable(e.Channel), diag.Printable(e.Data)); err != nil {
			return err
		}
	}
	return nil
}
