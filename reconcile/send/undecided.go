package send

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
	"adsync/state"
)

// Undecided is an operation of an earlier run of which nobody knows whether the
// service has done it.
type Undecided struct {
	Step      state.Step
	Operation state.Operation
	What      string // what was sent, for people: "create", "decrease", "pause"
}

// Message returns what is unknown, and how to decide it.
func (u Undecided) Message() string {
	said := u.Operation.Message
	if said == "" {
		said = u.Step.Note
	}
	key := "guard.unknown"
	if said != "" {
		key = "guard.unknown-why"
	}
	return catalogue.Fill(key, "change", plan.SentWords(u.What),
		"time", u.Step.SentAt.UTC().Format("2006-01-02 15:04 MST"), "why", said)
}

// OpenSteps reads what earlier runs left undecided from the journal.
type OpenSteps struct {
	*env.Env
}

// Undecided returns what recovery has left open, oldest first.
func (a *OpenSteps) Undecided(ctx context.Context) ([]Undecided, error) {
	steps, err := a.Store.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return UndecidedOf(a.Schemas, steps), nil
}

// UndecidedOf returns the operations of open steps that may have had an effect,
// and whose outcome the journal does not hold.
func UndecidedOf(schemas resource.Schemas, steps []state.Step) []Undecided {
	var undecided []Undecided
	for _, step := range steps {
		switch step.Point {
		case state.Intent, state.Bound, state.Verified:
			continue
		}
		if step.Route == state.Upload {
			continue
		}
		for _, o := range step.Operations {
			if !wire.Decided(o) && o.Action != wire.ActionRepeat {
				undecided = append(undecided, Undecided{step, o, whatWasSent(schemas.Of(o.Address.Kind), step, o)})
			}
		}
	}
	return undecided
}

// Unsettled returns what a plan has to hold something for. A client that only reads
// leaves to the next apply what recovery has not looked at yet.
func (a *OpenSteps) Unsettled(ctx context.Context) ([]Undecided, error) {
	undecided, err := a.Undecided(ctx)
	if err != nil || !a.Service.ReadOnly() {
		return undecided, err
	}
	return slices.DeleteFunc(undecided, func(u Undecided) bool { return !u.SetAside() }), nil
}

// SetAside reports whether recovery has looked at it, and could not decide it.
func (u Undecided) SetAside() bool {
	return u.Step.Point == state.Unknown || u.Step.Point == state.BlockedStep
}

// UnsettledOf says of each what a plan has to know.
func (a *OpenSteps) UnsettledOf(undecided []Undecided, moves []plan.Move) []plan.Unsettled {
	var all []plan.Unsettled
	for _, u := range undecided {
		all = append(all, plan.Unsettled{
			Address: plan.KeyOfNow(a.Schemas, moves, u.Operation.Address), Then: u.Operation.Address,
			What: u.What, Message: u.Message(), Creates: u.Operation.ResourceID == "",
		})
	}
	return all
}

// whatWasSent names an operation as what it was to do.
func whatWasSent(schema *resource.Schema, step state.Step, o state.Operation) string {
	if o.ResourceID == "" || step.Route == state.Membership {
		return o.Action
	}
	return cmp.Or(WhatIsSent(schema, o.Set, waveOf(step)), o.Action)
}

// WhatIsSent names an update as what it does, and by the wave it goes in; "" where
// neither tells more than that it is one.
func WhatIsSent(schema *resource.Schema, set resource.Attributes, wave string) string {
	removal, status := schema.RemovalAttribute(), set.Value(schema.Delivery())
	removes := removal != nil && set.Value(removal.Name).Text() == schema.Removal
	switch {
	case removes && schema.Caps:
		return "end"
	case removes:
		return "archive"
	case status.Text() == wire.WordPaused:
		return "pause"
	case status.Text() == wire.WordActive:
		return "start"
	case wave == "lower":
		return "decrease"
	case wave == "raise":
		return "raise"
	}
	return ""
}

// waveOf is the wave a step belongs to: the middle of run/wave/index.
func waveOf(step state.Step) string {
	_, rest, _ := strings.Cut(step.ID, "/")
	wave, _, _ := strings.Cut(rest, "/")
	return wave
}
