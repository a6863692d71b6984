package plan

import (
	"adsync/internal/diag"
	"adsync/internal/words/catalogue"
	"slices"
)

// releasedBy says that a hold waits for this allowance already.
func (h *Hold) ReleasedBy(allow string) bool {
	return h.Contains(func(h *Hold) bool { return h.Allow == allow })
}

// exceeding are the holds of what would exceed the files.
func (h *Hold) Exceeding() []Hold {
	return slices.DeleteFunc(h.Flatten(nil), func(h Hold) bool { return h.Hazard != ExceedsFiles })
}

func (c *Change) Hold(h Hold) { c.Held = c.Held.And(h) }

func (f *Field) Hold(h Hold) { f.Held = f.Held.And(h) }

// holdAll holds a field with what holds many: they share it.
func (f *Field) HoldAll(h *Hold) {
	if f.Held == nil {
		f.Held = h
		return
	}
	f.Hold(*h)
}

// and gives one hold that stands for both. Others may have the first too, so it
// stays as it is.
func (h *Hold) And(further Hold) *Hold {
	if h == nil {
		return &further
	}
	both := *h
	both.Also = append(slices.Clip(h.Also), further)
	return &both
}

// waitsOnly reports whether all that holds a change is that something of its own
// plan comes first.
func (h *Hold) waitsOnly() bool { return !h.Contains(func(h *Hold) bool { return !h.Waits }) }

func (h *Hold) document() *HoldDocument {
	if h == nil {
		return nil
	}
	d := &HoldDocument{Hazard: h.Hazard, Message: h.Message, Allow: h.Allow}
	for i := range h.Also {
		d.Also = append(d.Also, *h.Also[i].document())
	}
	return d
}

// heldFor reports whether the change waits for the hazard already, with a tree above it.
func (c *Change) HeldFor(hazard Hazard) bool {
	is := func(h *Hold) bool { return h.Hazard == hazard }
	return c.Held.Contains(is) || slices.ContainsFunc(c.Fields, func(f Field) bool { return f.Held.Contains(is) })
}

// Words are the message of a hold, with what releases it.
func (h *Hold) Words() string {
	if h.Allow == "" {
		return h.Message
	}
	return catalogue.Fill("guard.allow", "message", h.Message, "command", "--allow "+h.Allow)
}

// waitFor leaves the one hold that counts: whatever else holds a part is asked
// again once the row is right.
func (c *Change) WaitFor(h Hold) {
	c.Held, c.Hazards = &h, []Hazard{Invalid}
	for i := range c.Fields {
		c.Fields[i].Held = nil
	}
}

// waits reports whether the change waits for its row, or for one above it.
func (c *Change) Waits() bool { return c.Held != nil && c.Held.Hazard == Invalid }

// releasable says that flags can release all of a hold.
func (h *Hold) Releasable() bool {
	return !h.Contains(func(h *Hold) bool { return h.Allow == "" })
}

// Hold says what leaves a change or a field out of this apply.
type Hold struct {
	Hazard  Hazard
	Message string // one sentence for people; may quote text of files and service as it is
	Allow   string // the argument of --allow that releases it; "" when no flag does
	Also    []Hold // further holds, each of which needs its own allowance
	Parts   []Part // what a consent to it is of; only where Input.Asks or there are consents

	Wrong *WrongCell // why a row waits; nil where none does

	Waits bool // for something this very plan makes
}

// WrongCell is the cell that is not valid, so that its row waits.
type WrongCell struct {
	At     diag.Position
	Urgent bool // what waits is active, and the cell may stop it
}

// Cell returns the cell that is not valid, so that a row waits; zero where none is known.
func (h *Hold) Cell() diag.Position {
	if h == nil || h.Wrong == nil {
		return diag.Position{}
	}
	return h.Wrong.At
}

// contains says that the hold, or one of those it stands for, is such a one.
func (h *Hold) Contains(is func(*Hold) bool) bool {
	if h == nil {
		return false
	}
	for i := range h.Also {
		if h.Also[i].Contains(is) {
			return true
		}
	}
	return is(h)
}

func (h *Hold) Flatten(holds []Hold) []Hold {
	if h == nil {
		return holds
	}
	holds = append(holds, Hold{Hazard: h.Hazard, Message: h.Message, Allow: h.Allow, Parts: h.Parts, Waits: h.Waits})
	for i := range h.Also {
		holds = h.Also[i].Flatten(holds)
	}
	return holds
}

// distinct leaves one hold of those that the same allowance releases.
func (h *Hold) Distinct() *Hold {
	if h == nil {
		return nil
	}
	var first *Hold
	seen := map[string]bool{}
	for _, one := range h.Flatten(nil) {
		released := string(one.Hazard) + "=" + one.Allow
		if one.Allow == "" {
			released += one.Message
		}
		if !seen[released] {
			seen[released], first = true, first.And(one)
		}
	}
	return first
}

// HeldPart is a field of a change that stays while the rest of the change goes.
type HeldPart struct {
	Field   string        `json:"field"`
	Hazard  Hazard        `json:"hazard"`
	Message string        `json:"message"` // with the allowance that releases it
	Cell    diag.Position `json:"at"`      // the value, else the row
}

// HeldParts returns the fields of a change that are held by themselves. A change
// that is held whole has none.
func (c *Change) HeldParts() []HeldPart {
	if c.Held != nil {
		return nil
	}
	var parts []HeldPart
	for i := range c.Fields {
		f := &c.Fields[i]
		if f.Held == nil || f.Cause == SentAlong {
			continue
		}
		first := f.Held.Flatten(nil)[0]
		part := HeldPart{Field: f.Name, Hazard: first.Hazard, Message: first.Words(), Cell: f.Desired.Position}
		if part.Cell.IsZero() {
			part.Cell = c.Position
		}
		parts = append(parts, part)
	}
	return parts
}
