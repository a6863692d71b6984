package fault

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// match says what a fault strikes, and when. The zero value strikes everything.
type match struct {
	method string
	path   string
	opType string
	actor  string

	nth         int     // only the nth that meets the conditions, from 1
	every       int     // every nth of them
	times       int     // at most that often
	probability float64 // 0: always
}

// operationTypes are the six of bulk jobs.
var operationTypes = []string{"campaign.create", "campaign.update",
	"ad_group.create", "ad_group.update", "ad.create", "ad.update"}

func readMatch(o *wire.Object, a action) match {
	m := match{
		method: o.Choice("method", "GET", "POST").V,
		path:   o.Text("path", 1, 2048).V,
		opType: o.Choice("op_type", operationTypes...).V,
		actor:  o.Text("actor", 1, 255).V,
		nth:    int(o.Int("nth", 1, 1<<31).V),
		every:  int(o.Int("every", 1, 1<<31).V),
		times:  int(o.Int("times", 1, 1<<31).V),
	}
	if p := o.Number("probability"); p.Given() {
		m.probability = readProbability(o, p.V)
	}
	m.refuse(o, a)
	return m
}

func readProbability(o *wire.Object, text json.Number) float64 {
	p, err := text.Float64()
	if err != nil || p <= 0 || p > 1 {
		o.Fail("probability", "invalid_value", "'%s' is %s; want a number above 0 and not above 1.",
			o.At("probability"), text)
	}
	return p
}

// refuse keeps conditions that the action can never meet.
func (m match) refuse(o *wire.Object, a action) {
	if m.nth > 0 && m.every > 0 {
		o.Fail("every", "invalid_value", "Only one of 'nth' and 'every' can be given.")
	}
	if a.request == nil && (m.method != "" || m.path != "") {
		o.Fail("path", "invalid_value",
			"This fault strikes bulk jobs and their operations, not requests; leave out 'method' and 'path'.")
	}
	if a.request == nil && a.operation == nil && m.opType != "" {
		o.Fail("op_type", "invalid_value", "This fault strikes whole bulk jobs; leave out 'op_type'.")
	}
	if _, err := path.Match(m.path, "/"); err != nil || m.path != "" && m.path[0] != '/' {
		o.Fail("path", "invalid_value", "'%s' is %q; "+
			"want a path below /v1 such as /campaigns, /campaigns/{campaign_id} or /campaigns/*.", o.At("path"), m.path)
	}
}

// meetsRequest: the path is that of a route, with its names in braces, or that
// of requests, where * is one segment.
func (m match) meetsRequest(c *service.Call) bool {
	if m.method != "" && m.method != c.Route.Method || m.actor != "" && m.actor != c.Principal.Actor {
		return false
	}
	if m.path != "" && m.path != c.Route.Pattern {
		if ok, _ := path.Match(m.path, below(c)); !ok {
			return false
		}
	}
	return m.opType == "" || slices.Contains(submittedTypes(c), m.opType)
}

func (m match) meetsOperation(op service.Operation) bool {
	return (m.actor == "" || m.actor == op.Actor) && (m.opType == "" || m.opType == op.Type)
}

// below is the request's path below /v1.
func below(c *service.Call) string { return strings.TrimPrefix(c.Request.URL.Path, "/v1") }

const submission = "POST /bulk_mutation_jobs"

// submittedTypes are the types of the operations in a submission of a bulk job.
func submittedTypes(c *service.Call) []string {
	var types []string
	for _, op := range submittedOperations(c) {
		types = append(types, op.Type)
	}
	return types
}

type submittedOperation struct {
	Type string `json:"type"`
	Key  string `json:"idempotency_key"`
}

// submittedOperations reads what it can: whether the body is right is the room's business.
func submittedOperations(c *service.Call) []submittedOperation {
	var body struct {
		Operations []submittedOperation `json:"operations"`
	}
	if c.Route.Method+" "+c.Route.Pattern != submission || json.Unmarshal(c.Body, &body) != nil {
		return nil
	}
	return body.Operations
}
