package verbs

import (
	"context"
	"errors"
	"fmt"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/newkey"
)

// NewKey is a key that a verb makes.
type NewKey struct {
	Sort    string // such as "conversion API key"
	Name    string // what the service calls it
	Out     string // the file it goes to
	Replace bool   // of what is in that file

	// Ask asks the service for it, and Try tries it before it takes its place; nil tries nothing.
	Ask func(context.Context) (adsapi.Record, error)
	Try func(newkey.Made) error
}

// MakeKey asks for a key and keeps it beside its place, then tries it and puts it there.
func (d *Direct) MakeKey(ctx context.Context, k NewKey) (made newkey.Made, err error) {
	file, err := newkey.Ahead(k.Out)
	if err != nil {
		return made, console.Configuration("%v", err)
	}
	kept := false
	err = d.Do(ctx, fmt.Sprintf("%q", k.Name), func(ctx context.Context) (string, error) {
		answer, err := k.Ask(ctx)
		if err != nil {
			return "", err
		}
		if made, err = newkey.Decode(answer.JSON); err != nil {
			return "", err
		}
		if d.env.OnSecret != nil {
			d.env.OnSecret(made.Key.Reveal())
		}
		if err := file.Keep(made.Key); err != nil {
			return "", err
		}
		kept = true
		return made.ID, nil
	})
	if err != nil && !kept {
		return made, errors.Join(k.lost(err), file.Drop())
	}
	if err == nil && k.Try != nil {
		err = k.Try(made)
	}
	if err == nil {
		err = file.Place(k.Replace)
	}
	if err != nil {
		inUse := ""
		if k.Replace {
			inUse = "; what was in use stays so"
		}
		return made, fmt.Errorf("the new key was made and is in %s%s: %w", diag.Printable(file.Beside()), inUse, err)
	}
	return made, nil
}

// lost says that a key may exist which nobody holds.
func (k NewKey) lost(err error) error {
	if console.ExitCode(context.Background(), err) != console.ExitUnknown {
		return err
	}
	return console.ExitWith(console.ExitUnknown, fmt.Sprintf("%v\n"+
		"a %s called %q may exist, which nobody holds; revoke it by hand where keys are managed, then make another",
		err, k.Sort, diag.Printable(k.Name)))
}
