// Package verbs runs the direct verbs of internal/direct for commands: it opens what a verb needs,
// asks, and records. A command of a verb is a file in a room of its own and calls this one:
//
//	d, err := verbs.Open(ctx, env, project, direct.Named("keys create"))
//	if err != nil { return err }
//	defer d.End()
//	if err := d.Consent(ctx, yes, "Create a key?"); err != nil { return err }
//	err = d.Do(ctx, `"daemon"`, func(ctx context.Context) (string, error) { … d.Client.Send … })
//
// It refuses to send anything itself. Its invariant: orders to stop hold for a verb as they do for
// an apply.
package verbs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/direct"
	"adsync/sources/config"
	"adsync/state"
)

// Direct is a verb of one account, opened.
type Direct struct {
	Verb   direct.Verb
	Client *direct.Client // nil where the verb is sent elsewhere
	Store  state.Store

	env     *session.Env
	project config.Project
	session *session.Session
	owner   string // whose allowance it goes on
}

// Open opens the state, which no other adsync may hold then, and the client of the verb. What opens
// stays open until End.
func Open(ctx context.Context, env *session.Env, p config.Project, v direct.Verb) (*Direct, error) {
	d := &Direct{Verb: v, env: env, project: p, session: &session.Session{}}
	if err := d.open(ctx); err != nil {
		d.End()
		return nil, err
	}
	return d, nil
}

func (d *Direct) open(ctx context.Context) (err error) {
	if err := d.Halted(); err != nil {
		return fmt.Errorf("nothing was sent: %w: %w", adsapi.ErrHalted, err)
	}
	if err := d.admitted(); err != nil {
		return err
	}
	if d.Store, err = session.OpenState(ctx, d.env, d.project, false); err != nil || d.Verb.Elsewhere {
		return err
	}
	d.Client, err = d.Verb.Dial(func(cfg adsapi.Config) (*adsapi.Client, error) {
		cfg.Halt = d.Halted
		if d.Verb.Takes == direct.OAuthOnly {
			return session.DialAny(d.env, d.session, d.project, cfg)
		}
		return session.Dial(d.env, d.session, d.project, cfg)
	})
	return err
}

// admitted refuses a credential that the service does not take for the verb (interface, part 5).
func (d *Direct) admitted() error {
	byLogin := session.UsesLogin(d.env, d.project)
	if d.Verb.Elsewhere || byLogin && d.Verb.Takes != direct.KeyOnly || !byLogin && d.Verb.Takes != direct.OAuthOnly {
		return nil
	}
	have := "an API key is in use"
	if byLogin {
		have = "a login is in use"
	}
	return console.ExitWith(console.ExitPermission, fmt.Sprintf("nothing was sent: adsync %s takes %s, and %s (%s)",
		d.Verb.Name, d.Verb.Takes, have, session.KeyPlace(d.env, d.project)))
}

// Halted is the order that stands against sending anything, nil where none does. A verb that is sent
// elsewhere asks it before each request.
func (d *Direct) Halted() error { return session.Halt(d.env, d.project)() }

// End closes what is open.
func (d *Direct) End() {
	d.session.End()
	if d.Store != nil {
		session.Closed(d.env, "state", d.Store.Close())
	}
}

// Consent asks on the terminal, takes --yes, or an allowance of the operator's file.
func (d *Direct) Consent(ctx context.Context, yes bool, question string) (err error) {
	a := direct.Attendance{Yes: yes, Allowed: func(word string) string {
		return session.Allowed(d.env, d.project, word, time.Now())
	}}
	if console.IsTerminal(d.env.In) {
		a.Ask = func(ctx context.Context, question string) error {
			fmt.Fprintf(d.env.Err, "%s Only yes goes on: ", question)
			return console.Confirmed(ctx, d.env.In)
		}
	}
	d.owner, err = d.Verb.Consent(ctx, a, question)
	if unattended, is := errors.AsType[*direct.UnattendedError](err); is {
		return console.Configuration("%v", unattended)
	}
	return err
}

// Do sends by send, recorded in the history: what it is for, and what send returns.
func (d *Direct) Do(ctx context.Context, what string, send func(ctx context.Context) (string, error)) error {
	by := session.Person(d.env)
	if d.owner != "" {
		by += ", allowed by " + d.owner
	}
	h := direct.History{Store: d.Store, Now: time.Now, By: by}
	err := h.Do(ctx, d.Verb, what, send)
	if unknown, is := errors.AsType[*direct.UnknownError](err); is {
		return console.ExitWith(console.ExitUnknown, unknown.Error())
	}
	if direct.RefusesInput(err) {
		return console.ExitWith(console.ExitInvalid, err.Error())
	}
	return err
}
