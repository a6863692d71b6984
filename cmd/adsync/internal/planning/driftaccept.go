package planning

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/tidy"
	"adsync/state"
)

// acceptance is what of the drift the files take over.
type acceptance struct {
	accepted []tidy.Accepted
	applied  []state.Applied
	problems []diag.Problem
}

// acceptDrift writes what is live into the files, and then the record. Killed
// between the two it leaves what the next apply records.
func acceptDrift(ctx context.Context, env *session.Env,
	l session.Loaded, s *session.Session, d DriftDocument, picked bool) error {
	take := takeOver(l, d, picked)
	rewrites, problems, err := tidy.AcceptAll(l.Project,
		ctx, session.Schemas(), allDesired(ctx, env, l), take.accepted)
	if err != nil {
		return console.Configuration("%v; nothing was written", err)
	}
	take.problems = append(take.problems, problems...)
	if len(take.problems) > 0 {
		session.ShowProblems(env, l.Project, take.problems)
		return console.ExitWith(console.ExitInvalid, console.Counted(take.problems)+"; nothing was written")
	}
	if _, err := tidy.SaveAll(l.Project, rewrites, time.Time{}); err != nil {
		return console.Configuration("not written: %v", err)
	}
	for _, r := range rewrites {
		d.Accepted = append(d.Accepted, console.Shorter(filepath.Join(l.Project.Root, filepath.FromSlash(r.File))))
	}
	if err := s.Store.Record(ctx, take.applied); err != nil {
		return fmt.Errorf("record what was accepted (the files are written; the next apply records it): %w", err)
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	for _, one := range take.accepted {
		attribute, _ := l.Schemas.Of(one.Address.Kind).Attribute(one.Attribute)
		fmt.Fprintf(env.Out, "%s: %s is %s now\n", diag.Printable(one.Address.String()),
			one.Attribute, diag.Printable(attribute.Show(one.Value)))
	}
	env.Note("accepted %s into %s; nothing was changed at the service",
		diag.Plural(len(take.accepted), "value"), diag.Plural(len(d.Accepted), "file"))
	return nil
}

// allDesired returns what the files say, with the kinds that have no route: they
// must stay as they are, too.
func allDesired(ctx context.Context, env *session.Env, l session.Loaded) *resource.Snapshot {
	return session.Load(ctx, env, l.Project.Root).Desired.Snapshot
}

// takeOver decides what is written. An edit of the files is given up only for
// an address that was given.
func takeOver(l session.Loaded, d DriftDocument, picked bool) acceptance {
	var take acceptance
	keys := addressesOf(l, d.live)
	for _, r := range d.Resources {
		address := r.change.Address
		schema := l.Schemas.Of(address.Kind)
		one := state.Applied{Address: address}
		put := func(name string, v resource.Value) {
			attribute, _ := schema.Attribute(name)
			take.accepted = append(take.accepted, tidy.Accepted{
				Address: address, Attribute: name, Value: attribute.ByKeys(v, func(id string) resource.Address {
					return keys[id]
				}),
			})
			if !v.IsSet() {
				v = resource.Null()
			}
			one.Attributes.Set(name, v)
		}
		switch r.Removed {
		case "gone":
			take.problems = append(take.problems,
				decide(r, r.Address+" is no longer at the service; want its row taken away by hand"))
		case "archived":
			put(schema.Delivery(), resource.Text(schema.Removal))
		}
		for _, f := range r.Fields {
			if f.Both && !picked {
				take.problems = append(take.problems, decide(r, fmt.Sprintf("%s of %s changed in the files and "+
					"at the service; want the file put right, or drift --accept %s", f.Name, r.Address, r.Address)))
				continue
			}
			put(f.Name, f.field.Live())
		}
		take.applied = append(take.applied, one)
	}
	return take
}

// addressesOf returns the addresses of what is live and in the files, by id: a file names
// them by their keys.
func addressesOf(l session.Loaded, live *resource.Snapshot) map[string]resource.Address {
	keys := map[string]resource.Address{}
	for r := range live.All() {
		if named := l.Desired.Snapshot.Get(r.Address); named != nil && !l.Schemas.Of(r.Address.Kind).Removed(named) {
			keys[r.ID] = r.Address
		}
	}
	return keys
}

func decide(r DriftResource, message string) diag.Problem {
	return diag.Problem{
		Severity: diag.Error, Code: diag.NeedsDecision, Position: r.Position, Address: r.Address, Message: message,
	}
}
