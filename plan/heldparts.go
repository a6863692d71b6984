package plan

import "adsync/internal/diag"

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
		first := f.Held.flatten(nil)[0]
		part := HeldPart{Field: f.Name, Hazard: first.Hazard, Message: first.Words(), Cell: f.Desired.Position}
		if part.Cell.IsZero() {
			part.Cell = c.Position
		}
		parts = append(parts, part)
	}
	return parts
}

// Words are the message of a hold, with what releases it.
func (h *Hold) Words() string {
	if h.Allow == "" {
		return h.Message
	}
	return h.Message + "; allow it with --allow " + h.Allow
}
