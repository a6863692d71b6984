package plan

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
)

// SavedDocument is the JSON form of what became of a saved plan.
type SavedDocument struct {
	Stale []StaleDocument `json:"stale"` // what moved since, by address; never applied
	Newer int             `json:"newer"` // changes that came up since, and are left out
}

// StaleDocument is the JSON form of what moved since a plan was saved.
type StaleDocument struct {
	Address   string          `json:"address"`
	Attribute string          `json:"attribute"` // "" where the whole change is concerned
	What      string          `json:"what"`      // files, live, record, change, spend or consent
	Planned   *resource.Value `json:"planned,omitempty"`
	Now       *resource.Value `json:"now,omitempty"`
	Position  diag.Position   `json:"position"`
	Message   string          `json:"message"`
}

// Saved gives what became of a saved plan, nil where the plan was not saved.
func (p *Plan) Saved() *SavedDocument {
	if !p.Narrowed {
		return nil
	}
	d := &SavedDocument{Stale: []StaleDocument{}, Newer: p.Newer}
	for _, s := range p.Stale {
		d.Stale = append(d.Stale, StaleDocument{
			Address: s.Address.String(), Attribute: s.Attribute, What: s.What,
			Planned: unlessAbsent(s.Planned), Now: unlessAbsent(s.Now), Position: s.Position, Message: s.Message,
		})
	}
	return d
}
