package main

import (
	"context"
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// loadForService loads what a plan can carry to the service.
func (a *app) loadForService(ctx context.Context, dir string) loaded { return routed(a.load(ctx, dir)) }

// routed leaves out the kinds without a route; a warning at the first of each
// says so.
func routed(l loaded) loaded {
	schemas := l.schemas.Routed()
	kept := &resource.Snapshot{}
	aside := map[resource.Kind][]*resource.Resource{}
	for r := range l.desired.Snapshot.All() {
		if schemas.Of(r.Address.Kind) != nil {
			kept.Add(r)
			continue
		}
		aside[r.Address.Kind] = append(aside[r.Address.Kind], r)
	}
	var all diag.List
	all.AddAll(l.desired.Problems)
	for _, resources := range aside {
		all.Add(setAside(resources))
	}
	l.schemas, l.desired.Snapshot, l.desired.Problems = schemas, kept, all.Sorted()
	return l
}

func setAside(resources []*resource.Resource) diag.Problem {
	first := resources[0]
	what := first.Address.String()
	if others := len(resources) - 1; others > 0 {
		what += fmt.Sprintf(" and %d more of its kind", others)
	}
	return diag.Problem{
		Severity: diag.Warning, Code: diag.NotApplied, Position: first.Position, Address: first.Address.String(),
		Message: what + " is checked and not applied; want it set up at the service by hand, as this version has no route for it",
	}
}
