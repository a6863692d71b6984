package apply

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/people"
	"adsync/reconcile/wire"
	"adsync/state"
)

// Where an account takes no files of people, its lists go in the requests themselves
// (interface, part 4: "uploaded or inline identifiers"), one after the other. The
// journal holds of each which people of which list it is for, and a hash of its bytes;
// the bytes are made again from the members file.

// inlineMost is how many people one request has: as many as the service takes as a
// small change (service facts, 8.2). Of 130 bytes at most each, they are far below the
// 16 MiB a body may have.
const inlineMost = 10_000

// takesNoFiles reports whether the failure of an upload says that there is no such
// call: the interface itself has none (interface, part 4).
func takesNoFiles(err error) bool {
	failed, refused := errors.AsType[*adsapi.Error](err)
	return refused && slices.Contains([]int{404, 405, 410, 501}, failed.Status)
}

// membershipPart is the part of a change that says who is in it. What its list does is part
// of what is sent and recorded, though it may be no edit: without it a list is to be all.
func membershipPart(m *resource.Membership, c *plan.Change) wire.Part {
	p := wire.Part{Change: c}
	for _, f := range c.Fields {
		if m.Has(f.Name) {
			if f.Cause == plan.SentAlong {
				f.Cause = plan.Edit
			}
			p.Fields = append(p.Fields, f)
		}
	}
	return p
}

// inlineList is a list on its way, and how far it is.
type inlineList struct {
	digest    string
	as        string // the sort of identifier that was hashed
	hashes    [][]byte
	operation resource.MembershipOperation // add or remove: those that can be said inline
	fills     bool                         // it is to be all, in an audience that nobody else has filled
	done      int                          // of the hashes, by earlier requests
	known     int64                        // the most people known to be in it before the next request
}

// inlineMembers sends a list in as many requests as it takes, each followed to its end
// before the next: one that was cut off between two goes on where it stood.
func (r *memberWaves) inlineMembers(ctx context.Context, p wire.Part, file *plan.Field, seen people.Progressed) error {
	schema := r.Schemas.Of(p.Change.Address.Kind)
	list, obstacle, err := r.inlineListOf(p, file, seen)
	switch {
	case err != nil:
		r.failOnFile(p, *file, err)
		return nil
	case obstacle != "":
		r.skip(p.Change.Address, obstacle)
		return nil
	}
	for revision := seen.Revision; ; {
		step, mutation, err := r.inlineStep(ctx, p, list, revision)
		if err != nil {
			return err
		}
		o, err := r.SendMembers(ctx, &step, mutation)
		if o.Outcome == "" && err == nil {
			o, err = r.FollowMembers(ctx, step)
		}
		list = list.after()
		if ended := o.Outcome != "" && (o.Outcome != state.OutcomeApplied || list.done == len(list.hashes)); ended {
			r.setOutcome(p, o)
			return err
		}
		if err != nil {
			return err
		}
		revision, _ = step.Operations[0].Set.Value(schema.Membership.Revision).Number()
		if on, err := r.inlineGoesOn(ctx, p, revision); err != nil || !on {
			return err
		}
	}
}

// inlineGoesOn reports whether the next request of a list may go. Where somebody else has
// changed who is in it, or newer files say otherwise, the part is left out.
func (r *memberWaves) inlineGoesOn(ctx context.Context, p wire.Part, revision int64) (bool, error) {
	address := p.Change.Address
	seen, err := r.AwaitReady(ctx, r.Schemas.Of(address.Kind), r.ids[address])
	switch {
	case err != nil:
		return false, err
	case seen.Making:
		r.skip(address, fmt.Sprintf("waits: it is still %q at the service after %s",
			diag.Printable(seen.State), people.MembersPatience))
		return false, nil
	case seen.Revision > revision:
		r.skip(address, fmt.Sprintf("somebody changed "+
			"who is in it while its list was sent: its revision was %d and is %d; plan again", revision, seen.Revision))
		return false, nil
	}
	return len(r.withoutSuperseded([]wire.Part{p})) > 0, nil
}

// inlineListOf returns the list of a part and how far it is, or what keeps it from going.
func (r *memberWaves) inlineListOf(p wire.Part, file *plan.Field,
	seen people.Progressed) (list inlineList, obstacle string, err error) {
	m := r.Schemas.Of(p.Change.Address.Kind).Membership
	wanted := m.Operation(p.Set().Value(m.Do))
	list = inlineList{digest: file.Desired.Text(), operation: wanted}
	people, err := r.People(list.digest)
	if err != nil {
		return list, "", err
	}
	list.as, list.hashes = people.As, bytes.Fields(people.Content)
	if wanted.Whole {
		list.operation, list.fills = m.Adding(), true
	}
	last := r.view.Last.Get(p.Change.Address)
	var recorded int64
	if last != nil && !wire.IsNew(p.Change) {
		list.known, _ = last.Value(m.Known).Number()
		recorded, _ = last.Value(m.Revision).Number()
		if recorded == seen.Revision {
			list.done = m.SentOf(last.Value(m.Sent), list.digest, list.operation.Name)
		}
	}
	if wanted.Whole && list.done == 0 && seen.Revision != 0 && !wire.IsNew(p.Change) {
		return list, "waits: " + plan.NoInlineReplace(), nil
	}
	return list, "", nil
}

// after is the list once a request of it was carried out.
func (l inlineList) after() inlineList {
	to := min(l.done+inlineMost, len(l.hashes))
	if l.operation.Adds {
		l.known += int64(to - l.done)
	}
	l.done = to
	return l
}

// inlineStep makes the next request of a list. What it records is how far the list is
// then; of the last one, that it was sent.
func (r *memberWaves) inlineStep(ctx context.Context, p wire.Part,
	list inlineList, revision int64) (step state.Step, m adsapi.Mutation, err error) {
	schema, next := r.Schemas.Of(p.Change.Address.Kind), list.after()
	if m.Body, err = people.InlineBody(list.as, list.hashes[list.done:next.done]); err != nil {
		return step, m, err
	}
	of := people.InlineNote{People: list.digest, From: list.done, To: next.done, Sum: people.SumOfBody(m.Body)}
	if list.fills {
		of.Fills = &revision
	}
	note, err := json.Marshal(of)
	if err != nil {
		return step, m, err
	}
	if m.Path, err = adsapi.JoinPath(schema.Collection, r.ids[p.Change.Address], list.operation.Name); err != nil {
		return step, m, err
	}
	if m.Key, err = r.JobKey(ctx, "members"); err != nil {
		return step, m, err
	}
	m.ContentType = people.InlineSent
	step = r.withOperation(r.step("members", state.Membership, m.Path, m.Key, note), p, "")
	step.ContentType = people.InlineType
	step.Operations[0].Set = next.record(schema.Membership, step.Operations[0].Set, revision)
	return step, m, nil
}

// record is what is recorded once the last request of a list was carried out: how far it
// is, and at its end what was sent.
func (l inlineList) record(m *resource.Membership, sent resource.Attributes, revision int64) resource.Attributes {
	var set resource.Attributes
	if l.done < len(l.hashes) {
		set.Set(m.Sent, m.SentSoFar(l.digest, l.operation.Name, l.done))
	} else {
		set = sent
		set.Set(m.Do, resource.Text(m.Operation(sent.Value(m.Do)).Name))
		set.Set(m.Sent, resource.Null())
	}
	set.Set(m.Known, resource.Number(l.known))
	set.Set(m.Revision, resource.Number(revision))
	return set
}
