package plan

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
	"encoding/json"
	"fmt"
	"slices"
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

// Saved returns what became of a saved plan, nil where the plan was not saved.
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

// Agreement is what a saved plan said would be done, and what each change was
// computed from. It narrows a plan and is never carried out itself: what goes
// on is what the files and the account of now say, as far as they agree.
type SavedPlan struct {
	Changes map[resource.Address]SavedChange
}

type SavedChange struct {
	Address string       `json:"address"`
	Action  Action       `json:"action"`
	ID      string       `json:"id"`
	Fields  []SavedField `json:"fields"`
	Held    *struct{}    `json:"held"`
	Pruned  bool         `json:"pruned"`
	Spend   Spend        `json:"spend"`
}

type SavedField struct {
	Name    string         `json:"name"`
	Desired resource.Value `json:"desired"`
	Last    resource.Value `json:"last"`
	Live    resource.Value `json:"live"`
	Cause   Cause          `json:"cause"`
	Held    *struct{}      `json:"held"`
}

// ReadAgreement reads the JSON form of a plan.
func ReadSavedPlan(document []byte) (*SavedPlan, error) {
	var plan struct {
		Changes []SavedChange `json:"changes"`
	}
	if err := json.Unmarshal(document, &plan); err != nil {
		return nil, fmt.Errorf("read the saved plan: %w", err)
	}
	a := &SavedPlan{Changes: map[resource.Address]SavedChange{}}
	for _, c := range plan.Changes {
		address, ok := resource.ParseAddress(c.Address)
		if _, twice := a.Changes[address]; !ok || twice {
			return nil, fmt.Errorf("the saved plan has a change of %q; want an address, once", c.Address)
		}
		a.Changes[address] = c
	}
	return a, nil
}

// What of a change is not as a saved plan has it.
const (
	StaleFiles   = "files"   // the files say something else
	StaleLive    = "live"    // the service holds something else
	StaleRecord  = "record"  // adsync applied something since
	StaleChange  = "change"  // it is another change, or none any more
	StaleSpend   = "spend"   // what it does to possible spend
	StaleConsent = "consent" // it is held now, and was not
)

// Stale is what moved since a plan was saved.
type Stale struct {
	Address   resource.Address
	Attribute string // "" where the whole change is concerned
	What      string
	Planned   resource.Value // what the saved plan has; absent where it has none
	Now       resource.Value
	Position  diag.Position // of the value, else of the row
	Message   string        // one sentence with both values
}

func (c *Change) Writes() bool { return c.Action != Record && c.Action != Forget }

// sends says that something of a saved change was to be sent.
func (s *SavedChange) Sends() bool {
	if s.Held != nil || s.Action == Record || s.Action == Forget {
		return false
	}
	return s.Action == Adopt || len(s.Fields) == 0 || slices.ContainsFunc(s.Fields, func(f SavedField) bool {
		return f.Held == nil
	})
}

// let says that a field was to be sent.
func (s *SavedChange) Let(name string) bool {
	return slices.ContainsFunc(s.Fields, func(f SavedField) bool {
		return f.Name == name && f.Held == nil && f.Cause != SentAlong
	})
}
