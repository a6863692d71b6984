package plan

import (
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
)

// OnDrift says what becomes of an attribute someone changed at the service.
type OnDrift string

// What becomes of drift. Status is never reverted by policy alone.
const (
	Report OnDrift = "report" // shown and held
	Revert OnDrift = "revert" // written back
)

// OnPrune says what becomes of a resource the files no longer name.
type OnPrune string

// What becomes of what was removed from the files.
const (
	PruneKeep    OnPrune = "keep"
	PrunePause   OnPrune = "pause"
	PruneArchive OnPrune = "archive" // held until allowed
)

// Guard bounds how far an amount may rise in a day, in percent of what it was.
type Guard struct {
	HoldAbove  int64 // above it a rise is held until allowed
	RefuseFrom int64 // from it on a rise is held until the exact amount is allowed
}

// Policy is the guards of design.md section 6 that a plan can decide alone. An
// amount of 0 is no ceiling.
type Policy struct {
	Drift   OnDrift
	DriftOf map[string]OnDrift // by attribute, before Drift

	Prune   OnPrune
	PruneOf map[resource.Kind]OnPrune // by kind, before Prune

	Budget   Guard // amounts that cap spend per day or in all
	Bid      Guard // other amounts
	BidShare int64 // a new or raised bid is refused above this percent of the daily budget

	MaxDailyBudget    int64 // micros; above it the exact amount must be allowed
	MaxLifetimeBudget int64
	MaxBid            int64

	ArchivePercent int64 // most of a kind to archive in a run; one always passes
	ArchiveCount   int64 // and never more than this

	UpdatePercent int64 // updates of more of a kind are held until allowed
	UpdateFrom    int64 // counted from this many managed resources up

	ExposurePercent  int64 // a larger rise of possible spend within a day is held until allowed
	MaxDailyExposure int64 // micros; nothing makes possible spend rise above it
	Unattended       bool  // nobody looks at the plan: without MaxDailyExposure nothing is raised
	// MaxDailyExposure stands in a watched file alone: it bounds, and lets no unattended run raise
	CeilingWatched bool `json:",omitempty"`

	StartsHeld bool `json:",omitempty"` // what is paused starts only where that is allowed: for a revert

	Windows bool     `json:",omitempty"` // there are freeze windows, open or not
	Frozen  []Freeze // the freeze windows that are open now

	ShrinkPercent int64 // nothing is pruned from a kind the files name this much less of
	ShrinkFrom    int64 // counted from this many resources up

	ApprovalExpires int64 `json:",omitempty"` // minutes an approval is good for; no plan looks at it

	NotAuthor []Hazard `json:",omitempty"` // nobody approves these who wrote the change; no plan looks at it

	PeoplePercent int64 // most of the people of an audience to take out without an allowance
	PeopleFrom    int64 // counted from this many people up
}

// Freeze is an open window in which only pauses and decreases pass.
type Freeze struct {
	Name   string // what people call it; "" where none is known to be open, and Reason says why none may be closed
	Until  string // when it ends, for people
	Reason string // "" where none is given
}

// DefaultPolicy is the table of design.md section 6.
func DefaultPolicy() Policy {
	return Policy{
		Drift: Report, Prune: PruneKeep,
		Budget: Guard{HoldAbove: 150, RefuseFrom: 500},
		Bid:    Guard{HoldAbove: 130, RefuseFrom: 300}, BidShare: 10,
		ArchivePercent: 10, ArchiveCount: 5,
		UpdatePercent: 30, UpdateFrom: 10,
		ExposurePercent: 25,
		ShrinkPercent:   30, ShrinkFrom: 10,
		PeoplePercent: 30, PeopleFrom: 10,
		ApprovalExpires: 24 * 60,
	}
}

func (p *Policy) DriftFor(attribute string) OnDrift {
	if d, ok := p.DriftOf[attribute]; ok {
		return d
	}
	return p.Drift
}

func (p *Policy) PruneFor(kind resource.Kind) OnPrune {
	if d, ok := p.PruneOf[kind]; ok {
		return d
	}
	return p.Prune
}

// archiveLimit is how many of a kind with n managed resources a run may
// archive: one is always possible, or small accounts could archive nothing.
func (p *Policy) ArchiveLimit(n int64) int64 {
	return min(max(n*p.ArchivePercent/100, 1), p.ArchiveCount)
}

// limitsOf are how far an amount may rise.
func (p *Policy) LimitsOf(a *resource.Attribute) Guard {
	if a.Per == "" {
		return p.Bid
	}
	return p.Budget
}

func (f Freeze) Words() string {
	if f.Name == "" {
		return f.Reason
	}
	open := catalogue.Fill("guard.window", "name", Quote(f.Name), "until", f.Until)
	if f.Reason != "" {
		open = catalogue.Fill("guard.window-why", "open", open, "why", f.Reason)
	}
	return open
}
