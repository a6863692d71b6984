package plan

import "adsync/internal/resource"

// Diff compares three ways.
func Diff(in Input) *Plan { return &Plan{schemas: in.Schemas} }

// Simulate gives what would be live after the applicable part of a plan.
func Simulate(live *resource.Snapshot, p *Plan) *resource.Snapshot { return live }
