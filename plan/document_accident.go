package plan

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
)

// AccidentDocument is the JSON form of an accident.
type AccidentDocument struct {
	Hazard    Hazard            `json:"hazard"`
	Kind      resource.Kind     `json:"kind"`
	Attribute string            `json:"attribute"`
	Source    diag.Position     `json:"source"` // file, sheet and column, as far as all of it is in one
	Count     int               `json:"count"`
	Of        int               `json:"of"`
	Held      int               `json:"held"`
	Allow     string            `json:"allow"`
	Message   string            `json:"message"`
	Examples  []ExampleDocument `json:"examples"`
}

// ExampleDocument is the JSON form of an example.
type ExampleDocument struct {
	Address  string          `json:"address"`
	Position diag.Position   `json:"position"`
	Desired  *resource.Value `json:"desired,omitempty"`
	Was      *resource.Value `json:"was,omitempty"`
	Other    string          `json:"other,omitempty"` // address
	Message  string          `json:"message"`
}

func accidentDocuments(accidents []Accident) []AccidentDocument {
	documents := make([]AccidentDocument, 0, len(accidents))
	for _, a := range accidents {
		examples := make([]ExampleDocument, 0, len(a.Examples))
		for _, e := range a.Examples {
			examples = append(examples, e.document())
		}
		documents = append(documents, AccidentDocument{
			Hazard: a.Hazard, Kind: a.Kind, Attribute: a.Attribute, Source: a.Source, Count: a.Count, Of: a.Of,
			Held: a.Held, Allow: a.Allow, Message: a.Message, Examples: examples,
		})
	}
	return documents
}

func (e *Example) document() ExampleDocument {
	d := ExampleDocument{
		Address: e.Address.String(), Position: e.Position,
		Desired: unlessAbsent(e.Desired), Was: unlessAbsent(e.Was), Message: e.Message,
	}
	if !e.Other.IsZero() {
		d.Other = e.Other.String()
	}
	return d
}
