package plan

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
	"cmp"
	"strings"
)

// AccidentDocument is the JSON form of a suspicious edit.
type SuspiciousEditDocument struct {
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

func suspiciousEditDocuments(accidents []SuspiciousEdit) []SuspiciousEditDocument {
	documents := make([]SuspiciousEditDocument, 0, len(accidents))
	for _, a := range accidents {
		examples := make([]ExampleDocument, 0, len(a.Examples))
		for _, e := range a.Examples {
			examples = append(examples, e.document())
		}
		documents = append(documents, SuspiciousEditDocument{
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

// SuspiciousEdit is what looks like a slip of the hand in a table: a column that was
// sorted alone, a series dragged down, micros typed as units, one value pasted
// over many rows, a name typed a second time. It is evidence for people. Some
// sorts hold the changes concerned until their hazard is allowed; the others are
// shown and pass (docs/use/accidents.md).
//
// What decides whether a suspicious edit holds is what the files say, and what was
// there before of the very fields it would hold. Whatever else of the plan is
// applied, the next plan finds the same suspicious edit in what was held.
type SuspiciousEdit struct {
	Hazard    Hazard
	Kind      resource.Kind
	Attribute string        // "" where whole resources are concerned
	Source    diag.Position // the file, the sheet and its column; zero where it is in several, or in none
	Count     int           // resources concerned
	Of        int           // of so many; 0 where no share counts
	Held      int           // changes it holds
	Allow     string        // the argument of --allow that releases all of them; "" when it holds nothing
	Message   string        // one sentence for people; may quote text of the files as it is
	Examples  []Example     // the first ones, at most examplesShown
}

// Example is one resource of a suspicious edit.
type Example struct {
	Address  resource.Address
	Position diag.Position
	Desired  resource.Value   // absent where the accident is not about a value
	Was      resource.Value   // what adsync applied last, else what is live; absent for a new resource
	Other    resource.Address // what it is like, zero where it is like nothing in particular
	Message  string           // for people, after the accident's own
}

// compare puts what holds something first.
func (a SuspiciousEdit) Compare(b SuspiciousEdit) int {
	if (a.Held > 0) != (b.Held > 0) {
		return Order(a.Held > 0)
	}
	return cmp.Or(strings.Compare(string(a.Hazard), string(b.Hazard)), strings.Compare(string(a.Kind), string(b.Kind)),
		strings.Compare(a.Attribute, b.Attribute), a.Source.Compare(b.Source), strings.Compare(a.Message, b.Message))
}
