package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/diag"
	"adsync/internal/ready"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/sources/config"
	"adsync/state"
)

// formerRuns is how many runs are looked through for what resources were called before.
const formerRuns = 20

// former finds what resources were called before, in the record and in the reports of the
// last runs. It is asked only where a row names what no file has; where there is no record,
// or it cannot be read, nothing is known, and what needs it says so.
func former(ctx context.Context, env *Env, project config.Project, schemas resource.Schemas) func() []config.Former {
	return func() []config.Former {
		store, err := OpenState(ctx, env, project, true)
		if err != nil {
			return nil
		}
		defer func() { Closed(env, "state", store.Close()) }()
		last, err := store.Last(ctx)
		if err != nil {
			return nil
		}
		var former []config.Former
		for r := range last.All() {
			if s := schemas.Of(r.Address.Kind); s != nil {
				former = append(former, config.Former{Address: r.Address, ID: r.ID, Name: s.NameOf(r)})
			}
		}
		return append(former, formerOfRuns(ctx, store, schemas)...)
	}
}

// unused reports whether nothing was applied from the files so far: their record is
// there, or was never made, and names nothing.
func unused(ctx context.Context, env *Env, project config.Project) func() bool {
	return func() bool {
		store, err := OpenState(ctx, env, project, true)
		if err != nil {
			return false
		}
		defer func() { Closed(env, "state", store.Close()) }()
		last, err := store.Last(ctx)
		return err == nil && last.Len() == 0
	}
}

// formerOfRuns finds the names that runs have changed.
func formerOfRuns(ctx context.Context, store state.Store, schemas resource.Schemas) (former []config.Former) {
	runs, err := store.Runs(ctx, formerRuns)
	if err != nil {
		return nil
	}
	for _, run := range runs {
		content, err := store.Report(ctx, run.ID)
		if err != nil {
			continue // none was kept
		}
		report, err := runview.Decode(content)
		if err != nil {
			continue
		}
		for _, o := range report.Outcomes {
			address, ok := resource.ParseAddress(o.Address)
			s := schemas.Of(address.Kind)
			if !ok || s == nil {
				continue
			}
			for _, f := range o.Fields {
				if f.Applied && f.Before.IsSet() && slices.Contains(s.NameFrom, f.Name) {
					former = append(former, config.Former{Address: address, ID: o.ID, Name: f.Before.Text()})
				}
			}
		}
	}
	return former
}

// KeptOf has the last ready versions of the workbooks of a project.
func KeptOf(env *Env, p config.Project) config.Kept { return ready.Kept{Store: BesideOf(env, p)} }

// NoteReady keeps the workbooks that are ready, for the time in which they are drafts, and what drafts pause. It comes
// before anything of the files is carried out.
func NoteReady(env *Env, l Loaded) error {
	if l.Project.Kept == nil {
		return nil
	}
	seen := ready.Seen{Ready: map[string]string{}, Paused: map[string][]string{}}
	for _, s := range l.Desired.Ready {
		seen.Ready[s.File] = s.Hash
	}
	for _, i := range l.Desired.Drafts {
		seen.Paused[i.File] = i.Paused
	}
	tooLarge, err := ready.Kept{Store: BesideOf(env, l.Project)}.Note(seen, env.Clock.OrSystem().Now(),
		func(file string) ([]byte, error) {
			return os.ReadFile(filepath.Join(l.Project.Folder(), filepath.FromSlash(file)))
		})
	for _, file := range tooLarge {
		env.Note("%s: too large to be kept beside the state; as a draft it would count as if it never was ready",
			diag.Printable(file))
	}
	if errors.Is(err, ready.ErrMoved) {
		return console.ExitWith(console.ExitUnavailable, err.Error()+"; run again")
	}
	return err
}
