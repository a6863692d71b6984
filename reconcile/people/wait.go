package people

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
	"adsync/state"
)

// Progressed is how far the service is with what people are sent to.
type Progressed struct {
	State    string
	Making   bool // nothing can be sent yet
	Revision int64
	fields   map[string]any
}

// invalid returns the range of identifiers the service could not read, where it
// says one.
func (s Progressed) invalid() string {
	if said, _ := s.fields["invalid_identifier_count_range"].(string); said != "" && said != "none" {
		return fmt.Sprintf(" (identifiers it cannot read: %s)", diag.Printable(said))
	}
	return ""
}

func (a *Members) readProgress(ctx context.Context, schema *resource.Schema, id string) (Progressed, error) {
	record, err := a.Service.Read(ctx, schema.Collection, id, nil)
	if err != nil {
		return Progressed{}, err
	}
	fields, err := wire.Object(record.JSON)
	if err != nil {
		return Progressed{}, fmt.Errorf("read %s %s: %w", schema.Kind, id, err)
	}
	m := schema.Membership
	s := Progressed{fields: fields}
	s.State, _ = fields[m.State].(string)
	s.Making = slices.Contains(m.Making, s.State)
	if noted, ok := schema.Attribute(m.Revision); ok {
		s.Revision, _ = wire.Decoder{}.Value(noted, wire.At(fields, noted.Wire.Path)).Number()
	}
	return s, nil
}

// AwaitReady reads until people can be sent, or until patience ends.
func (a *Members) AwaitReady(ctx context.Context, schema *resource.Schema, id string) (Progressed, error) {
	pause, until := env.FirstPoll, a.Now().Add(MembersPatience)
	for {
		seen, err := a.readProgress(ctx, schema, id)
		if err != nil || !seen.Making || a.Now().After(until) {
			return seen, err
		}
		if err := a.Sleep(ctx, pause); err != nil {
			return seen, err
		}
		pause = min(pause*3/2, slowestLook)
	}
}

// readRaised reads until the revision is another than before an operation, as
// reads may lag behind for seconds. Not every operation has to raise it.
func (a *Members) readRaised(ctx context.Context, schema *resource.Schema,
	id string, before int64, expected bool) (Progressed, error) {
	wait := env.FirstReadWait
	for try := 0; ; try++ {
		seen, err := a.readProgress(ctx, schema, id)
		if err != nil || seen.Revision != before || !expected || try == env.ReadAgain {
			return seen, err
		}
		if err := a.Sleep(ctx, wait); err != nil {
			return seen, err
		}
		wait *= 2
	}
}

// awaitOperation asks for an operation until it has ended or patience has. One
// that stands still is made to go on, where the service can: to one that is at
// work that does nothing (interface, part 4).
func (a *Members) awaitOperation(ctx context.Context,
	id, operationID string, resumes bool) (adsapi.MemberOperation, error) {
	pause, until, resume := env.FirstPoll, a.Now().Add(MembersPatience), a.Now().Add(membersStill)
	for {
		o, err := a.Service.MemberOperation(ctx, id, operationID)
		if err != nil || o.Ended() || a.Now().After(until) {
			return o, err
		}
		if resumes && a.Now().After(resume) {
			if _, err := a.Service.ResumeMembers(ctx, id, operationID); err != nil && env.Stops(err) {
				return o, err
			}
			resume = a.Now().Add(membersStill)
		}
		if err := a.Sleep(ctx, pause); err != nil {
			return o, err
		}
		pause = min(pause*3/2, slowestLook)
	}
}

// conflictStatuses are those a conflict may have (interface, part 7: not shown).
var conflictStatuses = []int{400, 409, 422}

// ResumeStopped makes what somebody left standing go on to its end, where a request
// on the same people was refused: nothing else can begin before. It says that there
// was something, so that the request may go again. A refusal need not say why
// (interface, part 7: the shape of an error is not shown).
func (a *Members) ResumeStopped(ctx context.Context, step state.Step, refusal error) (went bool, err error) {
	m := a.Schemas.Of(step.Operations[0].Address.Kind).Membership
	failed, refused := errors.AsType[*adsapi.Error](refusal)
	if m == nil || !refused || !slices.Contains(conflictStatuses, failed.Status) ||
		failed.Code != "" && failed.Code != recoveryRequired {
		return false, nil
	}
	ids := a.Merged(step)
	if ids == nil {
		ids = []string{step.Operations[0].ResourceID}
	}
	for _, id := range ids {
		stopped, err := a.ResumeStoppedOf(ctx, m, id)
		if err != nil {
			return false, err
		}
		for _, o := range stopped {
			if _, err := a.awaitOperation(ctx, id, o.ID, true); err != nil {
				return false, err
			}
			went = true
		}
	}
	return went, nil
}

// resumeSources makes what somebody left standing on the sources of a merge go on, where
// the merge was refused for it. The merge waits for the next plan: by then who is in
// them is seen.
func (a *Members) resumeSources(ctx context.Context, step state.Step, refusal error) error {
	failed, refused := errors.AsType[*adsapi.Error](refusal)
	if !refused || failed.Code != mutationConflict {
		return nil
	}
	for _, id := range a.Merged(step) {
		_, err := a.ResumeStoppedOf(ctx, a.Schemas.Of(step.Operations[0].Address.Kind).Membership, id)
		if err != nil && env.Stops(err) {
			return err
		}
	}
	return nil
}

// ResumeStoppedOf makes the operations on one audience go on that can: to one that
// is at work that does nothing.
func (a *Members) ResumeStoppedOf(ctx context.Context,
	m *resource.Membership, id string) (resumed []adsapi.MemberOperation, err error) {
	if id == "" {
		return nil, nil // it is not made yet
	}
	all, err := a.Service.MemberOperations(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, o := range all {
		if o.Ended() || !m.Operation(resource.Text(o.Kind)).Resumes {
			continue
		}
		if _, err := a.Service.ResumeMembers(ctx, id, o.ID); err != nil {
			return nil, fmt.Errorf("make operation %s go on: %w", diag.Printable(o.ID), err)
		}
		resumed = append(resumed, o)
	}
	return resumed, nil
}
