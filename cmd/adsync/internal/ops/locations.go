package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/diag"

	"github.com/spf13/cobra"
)

// Locations returns the command adsync locations.
func Locations(env *session.Env) *cobra.Command {
	var dir string
	var most int
	c := &cobra.Command{
		Use:   "locations NAME...",
		Short: "Find the ids of places for targeting.locations, by name",
		Long: `Ask the service for places whose name has these words, and show the id of each: what the
columns Locations and Excluded locations, and targeting.locations of YAML, want. Nothing is changed.`,
		Example: `  adsync locations New York`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			words := strings.TrimSpace(strings.Join(args, " "))
			switch {
			case words == "":
				return console.Usage(c, errors.New("the name is blank; want the name of a place"))
			case most < 1 || most > mostLocations:
				return console.Usage(c, fmt.Errorf("--most is %d; want 1 to %d", most, mostLocations))
			}
			return runLocations(c.Context(), env, dir, words, most)
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "folder of the account's files")
	c.Flags().IntVar(&most, "most", 20, "how many places at the most")
	env.Outputs(c, "text", "json")
	return c
}

// mostLocations is what one request gives (service facts, section 12).
const mostLocations = 100

// location is a place as the service lists it.
type location struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	CanonicalName string `json:"canonical_name"`
	Type          string `json:"type"`
	CountryCode   string `json:"country_code"`
}

// LocationsDocument is the JSON form of locations.
type LocationsDocument struct {
	FormatVersion int        `json:"format_version"`
	Query         string     `json:"query"`
	Locations     []location `json:"locations"`
}

func runLocations(ctx context.Context, env *session.Env, dir, words string, most int) error {
	project, problems := session.ReadProject(env, dir)
	l := session.Loaded{Project: project, Schemas: session.Schemas()}
	if err := session.Invalid(env, l, problems); err != nil {
		return err
	}
	s, err := session.Connect(ctx, env, l, true)
	if err != nil {
		return err
	}
	defer s.End()
	answer, err := s.Agent.Service.Get(ctx, "/geo_lookup/search",
		url.Values{"q": {words}, "limit": {strconv.Itoa(most)}})
	env.ClearLine()
	switch {
	case errors.Is(err, adsapi.ErrNotFound):
		return console.Configuration("this service finds no places by name; "+
			"want their ids from whoever runs it: %s", err)
	case err != nil:
		return fmt.Errorf("look for %q: %w", words, err)
	}
	var found struct{ Results []location }
	if err := json.Unmarshal(answer, &found); err != nil {
		return fmt.Errorf("look for %q: the service's answer: %w", words, err)
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(LocationsDocument{console.FormatVersion, words, append([]location{}, found.Results...)})
	}
	if len(found.Results) == 0 {
		env.Note("the service knows no place named %q", words)
		return nil
	}
	return printLocations(env, found.Results)
}

func printLocations(env *session.Env, found []location) error {
	table := tabwriter.NewWriter(env.Out, 0, 8, 2, ' ', 0)
	for _, each := range found {
		name := each.CanonicalName
		if name == "" {
			name = each.Name
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", diag.Printable(each.ID), diag.Printable(each.Type),
			diag.Printable(each.CountryCode), diag.Printable(name))
	}
	return table.Flush()
}
