package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
	"adsync/state"
)

// lateReads is how long after an apply reads may still not show what it made.
const lateReads = 2 * time.Minute

// overlay shows what the last apply left where the service does not show it yet,
// neither in a list nor under its id: it is taken to be as it was sent, and is
// neither gone nor made again (fault N23). The plan says so of each.
func (a *refreshing) overlay(ctx context.Context, last *resource.Snapshot, live *Live) error {
	run, there, err := lastApply(ctx, a.Store)
	if err != nil || !there {
		return err
	}
	ended := run.Finished
	if ended.Before(run.Started) {
		ended = run.Started
	}
	if age := a.Now().Sub(ended); age < 0 || age >= lateReads {
		return nil
	}
	shown := map[string]bool{}
	for _, r := range live.Resources {
		shown[r.ID] = true
	}
	for r := range last.All() {
		if r.ID == "" || shown[r.ID] || !Mirrors(a.Schemas.Of(r.Address.Kind)) {
			continue
		}
		live.Resources = append(live.Resources, &resource.Resource{
			Address: resource.Address{Kind: r.Address.Kind},
			ID:      r.ID, ParentID: r.ParentID, Attributes: r.Attributes, AsSent: true,
		})
		live.Late = append(live.Late, r.Address)
	}
	return nil
}

// LateProblems returns what is taken to be as it was sent.
func LateProblems(live *Live) []diag.Problem {
	var problems []diag.Problem
	for _, address := range live.Late {
		problems = append(problems, diag.Problem{
			Severity: diag.Warning, Code: diag.NotVerified, Address: address.String(),
			Message: fmt.Sprintf("%s does not show at the service, and the last apply ended less "+
				"than %.0f min ago: it is taken to be as it was sent; plan again later to see whether it is gone",
				address, lateReads.Minutes()),
		})
	}
	return problems
}

// Changed is an attribute that is live as adsync has not recorded it.
type Changed struct {
	At    resource.Address
	ID    string
	Name  string
	Is    resource.Value
	Since time.Time // only what was set later counts
}

// OwnLate finds what is live as an earlier process sent it, of a step that recovery had found open, where the audit
// log has it set by adsync's key since: it came late, over what adsync has sent since, and nobody else wants it so. It
// counts as applied last, so that the files are followed. A pause is left as somebody's: it starts nothing by itself.
func (a *Actors) OwnLate(ctx context.Context,
	last, desired, live *resource.Snapshot) ([]state.Applied, []diag.Problem, error) {
	late, err := a.Store.Late(ctx)
	if err != nil || len(late) == 0 {
		return nil, nil, err
	}
	var all []Changed
	for _, one := range late {
		for _, o := range one.Operations {
			all = append(all, a.arrived(o, one.Since, last, live)...)
		}
	}
	ours, err := a.SetByUs(ctx, all)
	if err != nil {
		return nil, nil, err
	}
	var applied []state.Applied
	var problems []diag.Problem
	for _, c := range ours {
		problems = append(problems, diag.Problem{
			Severity: diag.Warning, Code: diag.CameLate, Address: c.At.String(),
			Message: a.cameLate(c, last.Get(c.At).Value(c.Name), desired.Get(c.At)),
		})
		applied = append(applied, TakeIn(last, c))
	}
	return applied, problems, nil
}

// cameLate says what came late, over what, and what becomes of it.
func (a *Actors) cameLate(c Changed, over resource.Value, files *resource.Resource) string {
	attribute, _ := a.Schemas.Of(c.At.Kind).Attribute(c.Name)
	instead, then := "in place of "+attribute.Show(over), "the files are followed, as nobody else set it"
	if over.IsAbsent() { // whatever it was, it was not adsync's
		instead = "where nothing is recorded"
	}
	if files == nil || files.Value(c.Name).IsAbsent() {
		then = "the files do not say what it is to be, and it stays"
	}
	return fmt.Sprintf("%s is %s %s: an adsync that was killed or froze had sent that, and it came late; %s",
		c.Name, attribute.Show(c.Is), instead, then)
}

// arrived returns what of an operation is live, and is recorded otherwise.
func (a *Actors) arrived(o state.Operation, since time.Time, last, live *resource.Snapshot) (all []Changed) {
	was, is, schema := last.Get(o.Address), live.Get(o.Address), a.Schemas.Of(o.Address.Kind)
	if was == nil || is == nil || is.AsSent || schema == nil || was.ID != o.ResourceID {
		return nil
	}
	for _, sent := range o.Set {
		attribute, known := schema.Attribute(sent.Name)
		now, applied := is.Value(sent.Name), was.Value(sent.Name)
		stops := sent.Name == schema.Delivery() && now.Text() != wire.WordActive
		if known && plan.Readable(attribute) && !stops &&
			plan.Same(now, sent.Value) && !plan.Same(now, applied) {
			all = append(all, Changed{o.Address, o.ResourceID, sent.Name, now, since})
		}
	}
	return all
}

// TakeIn has the record say of an attribute what is live.
func TakeIn(last *resource.Snapshot, c Changed) state.Applied {
	was := *last.Get(c.At)
	was.Attributes = slices.Clone(was.Attributes)
	was.Set(c.Name, c.Is)
	last.Put(&was)
	return state.Applied{Address: c.At, ID: c.ID, Attributes: resource.Attributes{{Name: c.Name, Value: c.Is}}}
}

// arrivedBefore is how much earlier than recovery an entry may say that it is: the log knows whole seconds.
const arrivedBefore = 2 * time.Second

// SetByUs returns what of all the audit log has set by adsync's own key: the newest entry that names it is of that key,
// not before its time, and shows no other value. A log that does not tell proves nothing.
func (a *Actors) SetByUs(ctx context.Context, all []Changed) (ours []Changed, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	own, err := a.OwnActor(ctx)
	if err != nil || own == "" {
		return nil, err
	}
	since := all[0].Since
	open := map[string][]Changed{} // by id
	for _, c := range all {
		if c.Since.Before(since) {
			since = c.Since
		}
		open[c.ID] = append(open[c.ID], c)
	}
	seen := 0
	query := url.Values{"order": {"desc"}, "limit": {strconv.Itoa(EntriesAPage)}, "start_time": {a.LogTime(since)}}
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return nil, env.UnlessStopped(err)
		}
		var e LogEntry
		if json.Unmarshal(row, &e) == nil {
			open[e.Object] = slices.DeleteFunc(open[e.Object], func(c Changed) bool {
				change, names := e.Changes[RootOf(a.Schemas, c.At, c.Name)]
				attribute, _ := a.Schemas.Of(c.At.Kind).Attribute(c.Name)
				since := atService(a.Env, c.Since).Add(-arrivedBefore)
				if names && e.ActorID != "" && e.Actor() == own && !time.Unix(e.At, 0).Before(since) &&
					!Contradicts(change, attribute.Wire.Path, c.Is) {
					ours = append(ours, c)
				}
				return names
			})
			if len(open[e.Object]) == 0 {
				delete(open, e.Object)
			}
		}
		if seen++; len(open) == 0 || seen >= MaxLogged+10*len(all) {
			break
		}
	}
	return ours, nil
}

// Unrecorded returns what is live of what adsync made as the record does not have it. A pause is left out: what stopped
// delivery is not undone by itself.
func (a *Actors) Unrecorded(last, live *resource.Snapshot, since time.Time) (all []Changed) {
	for was := range last.All() {
		is, schema := live.Get(was.Address), a.Schemas.Of(was.Address.Kind)
		if is == nil || is.AsSent || schema == nil || was.ID == "" || is.ID != was.ID {
			continue
		}
		for _, n := range was.Attributes {
			attribute, known := schema.Attribute(n.Name)
			now := is.Value(n.Name)
			stops := n.Name == schema.Delivery() && now.Text() != wire.WordActive
			if known && plan.Readable(attribute) && !stops && !plan.Same(now, n.Value) {
				all = append(all, Changed{was.Address, was.ID, n.Name, now, since})
			}
		}
	}
	return all
}

// Made is what the audit log says of a resource since a moment.
type Made struct {
	ByUs  bool // by adsync's own key
	Moved bool // its status may have changed since it was made
}

// MadeByUs returns what the audit log says of some resources since a moment.
func (a *Actors) MadeByUs(ctx context.Context, of []*resource.Resource, since time.Time) (map[string]Made, error) {
	made := map[string]Made{}
	if len(of) == 0 {
		return made, nil
	}
	own, err := a.OwnActor(ctx)
	if err != nil || own == "" {
		return made, err
	}
	status := map[string]string{} // how the log names it, by id; "" where there is none
	for _, r := range of {
		status[r.ID] = ""
		if name := a.Schemas.Of(r.Address.Kind).Delivery(); name != "" {
			status[r.ID] = RootOf(a.Schemas, r.Address, name)
		}
	}
	seen := 0
	query := url.Values{"order": {"desc"}, "limit": {strconv.Itoa(EntriesAPage)}, "start_time": {a.LogTime(since)}}
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return map[string]Made{}, env.UnlessStopped(err)
		}
		var create createEntry
		var e LogEntry
		unread := errors.Join(json.Unmarshal(row, &create), json.Unmarshal(row, &e))
		if name, asked := status[e.Object]; asked && unread == nil {
			is := made[e.Object]
			if strings.HasPrefix(create.Type, "create") {
				is.ByUs = e.ActorID != "" && e.Actor() == own
			} else if _, names := e.Changes[name]; names || len(e.Changes) == 0 {
				is.Moved = true
			}
			made[e.Object] = is
		}
		if seen++; seen >= MaxLogged+10*len(of) {
			break
		}
	}
	return made, nil
}

// RootOf is how a log names the field that holds an attribute.
func RootOf(schemas resource.Schemas, at resource.Address, name string) string {
	attribute, _ := schemas.Of(at.Kind).Attribute(name)
	root, _, _ := strings.Cut(attribute.Wire.Path, ".")
	return root
}

// Contradicts reports whether a change of a log ends in another value than one that was
// sent. What it does not show contradicts nothing.
func Contradicts(change json.RawMessage, path string, sent resource.Value) bool {
	var values struct{ After any }
	exact := json.NewDecoder(bytes.NewReader(change))
	exact.UseNumber() // an amount is never a float
	if exact.Decode(&values) != nil {
		return false
	}
	after := values.After
	for _, part := range strings.Split(path, ".")[1:] {
		inner, holds := after.(map[string]any)
		if !holds {
			return false
		}
		after = inner[part]
	}
	switch is := after.(type) {
	case json.Number:
		number, counts := sent.Number()
		logged, err := is.Int64()
		return counts && (err != nil || logged != number)
	case string:
		_, counts := sent.Number()
		return !counts && sent.Text() != is
	}
	return false
}
