package audience

import (
	"cmp"
	"slices"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// The states and kinds of operations (service facts 5 and 8.2). create is the
// first publication of an audience, which no list shows.
const (
	processing = "processing"
	succeeded  = "succeeded"

	kindAdd     = "add"
	kindRemove  = "remove"
	kindReplace = "replace"
	kindMerge   = "merge"
	kindCreate  = "create"
)

// settle ends every operation of the account whose time has come, and stops the
// ones that are to stall. It writes only when there is something to do.
func settle(c *service.Call) error {
	waiting := false
	err := c.View(func() error {
		waiting = len(due(c.Account, c.Now())) > 0
		return nil
	})
	if err != nil || !waiting {
		return err
	}
	cause := world.Cause{Actor: "service", Endpoint: "custom audience processing"}
	return c.Account.Update(cause, func(tx *world.Tx) error {
		for _, op := range due(tx.Account, tx.Now) {
			if stallsAt(op, tx.Now) {
				stall(tx, op)
				continue
			}
			end(tx, op)
		}
		return nil
	})
}

// due are the operations that something is to be done about, the first to end first.
func due(a *world.Account, now time.Time) []world.AudienceOperation {
	open := slices.DeleteFunc(a.OpenOperations.Of(processing), func(op world.AudienceOperation) bool {
		return op.Stalled || (now.UnixMilli() < op.EndsAt && !stallsAt(op, now))
	})
	slices.SortStableFunc(open, func(x, y world.AudienceOperation) int { return cmp.Compare(x.EndsAt, y.EndsAt) })
	return open
}

func stallsAt(op world.AudienceOperation, now time.Time) bool {
	return op.Stalls && now.UnixMilli() >= op.BeginsAt
}

// stall stops an operation after half of its identifiers, until it is resumed.
func stall(tx *world.Tx, op world.AudienceOperation) {
	before := op
	in, _ := tx.Account.AudienceInputs.Get(op.ID)
	op.Stalled, op.Stalls, op.Checkpoint = true, false, int64(len(in.Cells)/cellSize/2)
	putOperation(tx, "stall", before, op)
}

// accept takes an operation on. Changes begin half way through its time.
func accept(tx *world.Tx, op world.AudienceOperation, in world.AudienceInput) world.AudienceOperation {
	points := tx.Account.Points()
	took := points.Duration(openpoint.AudienceDuration)
	op.ID, op.Status = tx.NewID("caudop_"), processing
	op.AcceptedAt = tx.Now.UnixMilli()
	op.BeginsAt, op.EndsAt = tx.Now.Add(took/2).UnixMilli(), tx.Now.Add(took).UnixMilli()
	op.Stalls = points.Is(openpoint.AudienceStall, "half_way") && (op.Kind == kindAdd || op.Kind == kindRemove)
	in.OperationID = op.ID
	tx.Account.AudienceInputs.Put(tx, in)
	tx.Account.AudienceOperations.Put(tx, op)
	tx.Record(world.Mutation{Action: op.Kind, Resource: "custom_audience_operation", ResourceID: op.ID}, nil, op)
	return op
}

func putOperation(tx *world.Tx, action string, before, after world.AudienceOperation) {
	tx.Account.AudienceOperations.Put(tx, after)
	tx.Record(world.Mutation{Action: action, Resource: "custom_audience_operation", ResourceID: after.ID},
		before, after)
}

// end applies an operation to the membership and publishes the result, or fails it.
func end(tx *world.Tx, op world.AudienceOperation) {
	before := op
	in, _ := tx.Account.AudienceInputs.Get(op.ID)
	d, _ := tx.Account.Audiences.Get(op.AudienceID)
	op.Checkpoint = int64(len(in.Cells) / cellSize)
	op.Status, op.Reason = succeeded, in.Problem
	if in.Problem != "" {
		op.Status, op.Checkpoint = failed, 0
	}
	putOperation(tx, op.Status, before, op)
	tx.Account.AudienceInputs.Delete(tx, op.ID)
	switch {
	case in.Problem == "":
		publish(tx, d, op, in)
	case d.Status == making:
		after := d
		after.Status, after.UpdatedAt = failed, op.EndsAt/1000
		putAudience(tx, failed, d, after)
	}
}

// publish makes what an operation leads to the audience's membership. The
// counts of matched people and identifiers are those of the membership.
// assumption: the counts of uploaded and invalid identifiers grow with what is
// added, begin anew with a replacement, and do not shrink with a removal.
func publish(tx *world.Tx, before world.Audience, op world.AudienceOperation, in world.AudienceInput) {
	after := before
	m := membersOf(tx.Account, before.ID)
	given := int64(len(in.Cells) / cellSize)
	switch op.Kind {
	case kindRemove:
		m.remove(in.Cells)
	case kindAdd:
		m.add(in.Cells)
		after.Uploaded, after.Invalid = before.Uploaded+given, before.Invalid+in.Invalid
	default:
		m = members{}
		m.add(in.Cells)
		after.Uploaded, after.Invalid = given, in.Invalid
	}
	after.Published, after.Users, after.Matched = true, int64(len(m)), m.identifiers()
	after.Status, after.UpdatedAt = stateOf(tx.Account, after.Users), op.EndsAt/1000
	if op.Kind != kindCreate || given > 0 {
		after.Revision++
	}
	tx.Account.AudienceMembers.Put(tx, world.AudienceMembers{AudienceID: before.ID, Packed: m.pack()})
	putAudience(tx, "publish", before, after)
}

func putAudience(tx *world.Tx, action string, before, after world.Audience) {
	tx.Account.Audiences.Put(tx, after)
	tx.Record(world.Mutation{Action: action, Resource: "custom_audience", ResourceID: after.ID}, before, after)
}

// minUsers is how many matched people it takes to be shown ads, or bid on, as an
// audience; there is no minimum to be kept from ads (service facts 8.2).
const minUsers = 25_000

// stateOf is the state of a published membership. assumption: accounts with
// small audiences have no minimum.
func stateOf(a *world.Account, users int64) string {
	if users >= minUsers || a.Profile().Features.SmallAudiences || a.Points().Is(openpoint.AudienceSmall, ready) {
		return ready
	}
	return tooSmall
}

// underWay is the operation that is changing an audience.
func underWay(a *world.Account, audienceID string) (world.AudienceOperation, bool) {
	for _, op := range a.OpenOperations.Of(processing) {
		if op.AudienceID == audienceID {
			return op, true
		}
	}
	return world.AudienceOperation{}, false
}
