package campaigns

import (
	"context"
	"time"

	"adsync/internal/planview"
)

const cellColumn = "cell"

// lately is the word of an address for latelyDays.
const (
	lately     = "7d"
	latelyDays = 7
)

// inFiles is where the files write a resource: the cell or line of its row, and the anchor of what the plan changes of
// it; "" where it changes nothing.
type inFiles struct{ cell, anchor string }

// readFiles finds the lines in the files, as far as the last plan knows.
func (f *Found) readFiles(a *Account) {
	if a.Plan == nil {
		return
	}
	changes := map[string]int{}
	for i := range a.Plan.Changes {
		changes[a.Plan.Changes[i].ID] = i
	}
	f.files = map[string]inFiles{}
	for i := range f.now.Lines {
		id := f.now.Lines[i].ID
		at := a.Plan.Rows[id]
		var in inFiles
		if n, there := changes[id]; there {
			c := &a.Plan.Changes[n]
			if at.IsZero() {
				at = c.Position
			}
			if !a.Reached {
				in.anchor = planview.Anchor(c.Address)
			}
		}
		if in.cell = at.String(); !at.IsZero() {
			f.files[id], f.has[cellColumn] = in, true
		}
	}
}

// changedSince are the ids of what runs changed since then, or somebody outside, as far as reports and the last plan
// say.
func (a *Account) changedSince(ctx context.Context, since time.Time) (map[string]bool, error) {
	changed := map[string]bool{}
	applied, err := a.Archive.Touched(ctx, since)
	for i := range applied {
		changed[applied[i].ID] = true
	}
	if a.Plan == nil {
		return changed, err
	}
	for i := range a.Plan.Changes {
		c := &a.Plan.Changes[i]
		outside := c.Foreign != nil && c.Foreign.At >= since.Unix()
		for k := range c.Fields {
			by := c.Fields[k].Foreign
			outside = outside || by != nil && by.At >= since.Unix()
		}
		if outside {
			changed[c.ID] = true
		}
	}
	return changed, err
}
