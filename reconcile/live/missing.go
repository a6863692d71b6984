package live

import (
	"context"
	"errors"
	"fmt"
	"math"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"

	"golang.org/x/sync/errgroup"
)

// readers is how many resources are read by id side by side: enough to use up
// the limits of the service at half a second a read.
const readers = 8

// OneByOne is a kind the service has no list of.
type OneByOne struct {
	Kind  resource.Kind
	Known int // resources adsync knows of, read by their ids
}

// absent is a bound resource that no list showed.
type absent struct {
	schema *resource.Schema
	bound  *resource.Resource
}

// lookFor notes what is to be asked for by its id, once the lists are read.
func (r *refresher) lookFor(schema *resource.Schema, listed bool) {
	if schema.Listing.NoRead || !schema.Paged() {
		return
	}
	missing := r.absentOf(schema)
	r.missing = append(r.missing, missing)
	if !listed {
		r.live.OneByOne = append(r.live.OneByOne, OneByOne{schema.Kind, len(missing)})
	}
}

// absentOf returns what is bound of a kind and was not read.
func (r *refresher) absentOf(schema *resource.Schema) (missing []absent) {
	for _, bound := range r.bound[schema.Kind] {
		if r.byID[bound.ID] == nil {
			missing = append(missing, absent{schema, bound})
		}
	}
	return missing
}

// readMissing asks for what the lists did not show. Only what the service does
// not have under its id is gone. The kinds take turns, so that each has its own
// limit of the service to use.
func (r *refresher) readMissing(ctx context.Context) error {
	missing := inTurn(r.missing)
	r.missing = nil
	records := make([]adsapi.Record, len(missing))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(min(readers, 1+len(missing)/readers)) // a handful is no crowd
	for i, m := range missing {
		g.Go(func() (err error) {
			defer r.agent.Catch()
			records[i], err = r.readOne(gctx, m)
			return err
		})
		r.agent.ShowProgress("refresh", len(r.live.Resources)+i, 0)
	}
	err := g.Wait()
	r.agent.Waited()
	if err != nil {
		return err
	}
	for i, m := range missing {
		if records[i].ID == "" {
			continue
		}
		if err := r.Add(m.schema, records[i], m.bound.ParentID); err != nil {
			return err
		}
		r.useOwnForm(m.bound)
	}
	return nil
}

// readOne returns no record where the service has none.
func (r *refresher) readOne(ctx context.Context, m absent) (adsapi.Record, error) {
	record, err := r.agent.Service.Read(ctx, m.schema.Collection, m.bound.ID, r.including(m.schema, nil))
	// what is no id is refused in other ways, too
	if errors.Is(err, adsapi.ErrNotFound) || r.byGuess && listMissing(err) {
		return adsapi.Record{}, nil
	}
	if err != nil {
		return record, fmt.Errorf("read %s %s: %w", m.schema.Kind, m.bound.ID, err)
	}
	return record, nil
}

func inTurn[T any](rows [][]T) []T {
	var turns []T
	for i, left := 0, true; left; i++ {
		left = false
		for _, row := range rows {
			if i < len(row) {
				turns, left = append(turns, row[i]), true
			}
		}
	}
	return turns
}

// OneByOneProblems returns what a service without lists costs, and hides.
func (a *refreshing) OneByOneProblems(live *Live) []diag.Problem {
	endpoint, overall := a.Service.PerMinute()
	total := 0
	for _, kind := range live.OneByOne {
		total += kind.Known
	}
	var problems []diag.Problem
	for _, kind := range live.OneByOne {
		collection := everyday(a.Schemas.Of(kind.Kind))
		if kind.Known == 0 {
			problems = append(problems, diag.Problem{
				Severity: diag.Warning, Code: diag.ReadOneByOne,
				Message: fmt.Sprintf("the service has no "+
					"list of %s, and adsync knows none: what the account has of them cannot be seen", collection),
			})
			continue
		}
		minutes := math.Ceil(max(float64(kind.Known)/float64(endpoint), float64(total)/float64(overall)))
		problems = append(problems, diag.Problem{
			Severity: diag.Warning, Code: diag.ReadOneByOne,
			Message: fmt.Sprintf("the service has no list of %s: the %d that adsync "+
				"knows are read one by one, in at most %.0f min under the service's limits, and others cannot be seen",
				collection, kind.Known, minutes),
		})
	}
	return problems
}

// UnlistedNotes returns a note for each kind that the last export or import found no list
// of: what it wrote has only those that adsync knows.
func (a *refreshing) UnlistedNotes() []string {
	var notes []string
	for _, kind := range a.unlisted {
		notes = append(notes, fmt.Sprintf("the service has no list of "+
			"%s: those that adsync does not know cannot be seen, and are left out", everyday(a.Schemas.Of(kind.Kind))))
	}
	return notes
}

// PausedProblems returns a problem where the ad account itself is paused.
func (a *refreshing) PausedProblems() []diag.Problem {
	if !a.Paused {
		return nil
	}
	return []diag.Problem{{Severity: diag.Warning, Code: diag.AccountPaused,
		Message: "the ad account is paused at the service: nothing is delivered until somebody activates it"}}
}
