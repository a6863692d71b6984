package bulk

import (
	"encoding/json"
	"fmt"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// submission is a job's body, read. What is wrong with one operation's input is
// kept with it; what is wrong with the job's shape refuses the job.
type submission struct {
	validateOnly   bool
	partialFailure bool
	operations     []*operation
}

// operation is one operation, read.
type operation struct {
	index  int
	id     string // operation_id
	kind   string // its type, such as ad.create
	key    string // idempotency_key, of creates
	target string // target_resource_id, of updates
	hash   string // of the input

	campaignKey, adGroupKey string // parents named in the input
	parent                  int    // index of the parent's create in the job; -1: none
	campaign                *world.Campaign
	bidsBy                  string // billing event that its bid goes with; "": no bid
	imageURL                string // to fetch before it runs

	problem error  // of its input or its dependencies
	effect  effect // what it does; nil when there is a problem
}

func (op *operation) isCreate() bool { return kinds[op.kind].create }

// readSubmission checks the shape of a job (part 4, limits of part 8).
func readSubmission(body []byte, points *openpoint.Settings) (*submission, error) {
	o, werr := wire.ParseObject(body)
	if werr != nil {
		return nil, werr
	}
	o.Require("operations")
	s := &submission{validateOnly: o.Bool("validate_only").V, partialFailure: o.Bool("partial_failure").Or(true)}
	raws := o.Raws("operations", 1, maxOperations).V
	if err := o.Err(); err != nil {
		return nil, err
	}
	for i, raw := range raws {
		op, err := readOperation(i, raw, points)
		if err != nil {
			return nil, err
		}
		s.operations = append(s.operations, op)
	}
	if err := s.checkUnique(); err != nil {
		return nil, err
	}
	s.link()
	return s, nil
}

// refusedWhole is the first problem of an input, where such a problem refuses the submission.
func (s *submission) refusedWhole(points *openpoint.Settings) error {
	if points.Is(openpoint.BulkFieldErrors, "operation") {
		return nil
	}
	for _, op := range s.operations {
		if op.problem != nil {
			return op.problem
		}
	}
	return nil
}

func readOperation(i int, raw json.RawMessage, points *openpoint.Settings) (*operation, error) {
	at := fmt.Sprintf("operations[%d]", i)
	if len(raw) > maxOperation {
		return nil, wire.Invalidf(at, "operation_too_large",
			"Invalid '%s': the operation is %d bytes long; want at most %d.", at, len(raw), maxOperation)
	}
	o, werr := wire.ParseAt(at, raw)
	if werr != nil {
		return nil, werr
	}
	o.Require("operation_id", "type", "input")
	op := &operation{index: i, parent: -1, id: o.Name("operation_id", 1, maxID).V}
	op.kind = o.Choice("type", kindNames...).V
	if op.isCreate() {
		o.Require("idempotency_key")
		op.key = o.Name("idempotency_key", 1, maxID).V
	} else {
		o.Require("target_resource_id")
		op.target = o.Text("target_resource_id", 1, maxID).V
	}
	input := o.Raw("input")
	if err := o.Err(); err != nil {
		return nil, err
	}
	op.readInput(at+".input", input.V, points)
	return op, nil
}

// readInput reads the input by the table of its type.
func (op *operation) readInput(at string, raw json.RawMessage, points *openpoint.Settings) {
	op.hash = world.HashKey(string(raw))
	o, werr := wire.ParseAt(at, raw)
	if werr != nil {
		op.problem = werr
		return
	}
	op.effect = kinds[op.kind].read(op, o, points)
	op.problem = o.Err()
}

// checkUnique: operation ids and create keys are unique in a job, and each
// resource is updated at most once (bulk rule 3).
func (s *submission) checkUnique() error {
	seen := map[string]int{}
	for _, op := range s.operations {
		for _, one := range []struct{ name, value string }{
			{"operation_id", op.id}, {"idempotency_key", op.key}, {"target_resource_id", op.target},
		} {
			if one.value == "" {
				continue
			}
			at := fmt.Sprintf("operations[%d].%s", op.index, one.name)
			if first, ok := seen[one.name+" "+one.value]; ok {
				return wire.Invalidf(at, "duplicate_value",
					"Invalid '%s': '%s' is used by operations[%d] already.", at, one.value, first)
			}
			seen[one.name+" "+one.value] = op.index
		}
	}
	return nil
}

// link finds the parents of creates in the job and checks them (bulk rules 2 and 6).
func (s *submission) link() {
	byKey := map[string]*operation{}
	for _, op := range s.operations {
		if op.isCreate() {
			byKey[op.key] = op
		}
	}
	for _, op := range s.operations {
		var err error
		switch op.kind {
		case "ad_group.create":
			err = op.linkTo(byKey[op.campaignKey], "campaign.create", "campaign_idempotency_key", op.campaignKey)
		case "ad.create":
			err = op.linkTo(byKey[op.adGroupKey], "ad_group.create", "ad_group_idempotency_key", op.adGroupKey)
		}
		if err == nil && op.parent >= 0 {
			err = op.checkParent(s.operations[op.parent])
		}
		if op.problem == nil {
			op.problem = err
		}
	}
}

func (op *operation) linkTo(parent *operation, kind, name, key string) error {
	if parent == nil || parent.kind != kind {
		return wire.Invalidf(name, "dependency_not_found",
			"No %s operation in this job has the idempotency_key '%s'.", kind, key)
	}
	op.parent = parent.index
	return nil
}

func (op *operation) checkParent(parent *operation) error {
	if op.kind == "ad.create" && op.campaignKey != parent.campaignKey {
		return wire.Invalidf("campaign_idempotency_key", "dependency_mismatch",
			"The campaign reference '%s' is not that of the parent ad group, '%s'.", op.campaignKey, parent.campaignKey)
	}
	if parent.campaign != nil && op.bidsBy != "" && op.bidsBy != parent.campaign.BillingEvent() {
		return wire.Invalidf("max_bid_micros", "billing_event_mismatch",
			"The campaign is billed by %s; a bid by %s does not go with it.", parent.campaign.BillingEvent(), op.bidsBy)
	}
	return nil
}
