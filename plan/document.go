package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Document is the JSON form of a plan; a command may embed it. Money is in
// micros, an absent value is left out, a cleared one is null.
type Document struct {
	Changes  []ChangeDocument `json:"changes"`
	Kept     []string         `json:"kept"` // addresses removed from the files and kept by policy
	Summary  Summary          `json:"summary"`
	Spend    *Spend           `json:"spend,omitempty"` // absent where nothing could be planned, as Money
	Money    *Money           `json:"money,omitempty"`
	Without  []WithoutCount   `json:"without,omitempty"` // what the plan starts without, each with how many changes do
	Base     *Base            `json:"base,omitempty"`    // with --base
	Problems []diag.Problem   `json:"problems"`

	SuspiciousEdits []SuspiciousEditDocument `json:"accidents"`
	Ignored         []Ignore                 `json:"ignored,omitempty"` // attributes left to others, that hold today
	// keys that change, with the record that goes along
	Moved []MoveDocument `json:"moved,omitempty"`

	Selection *SelectionDocument `json:"selection,omitempty"` // of a plan for a part of the account
	Saved     *SavedDocument     `json:"saved,omitempty"`     // where a saved plan is applied
}

// ChangeDocument is the JSON form of a change.
type ChangeDocument struct {
	Address   string          `json:"address"`
	Kind      resource.Kind   `json:"kind"`
	Action    Action          `json:"action"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Position  diag.Position   `json:"position"`
	Fields    []FieldDocument `json:"fields"`
	Recorded  []FieldDocument `json:"recorded,omitempty"`
	Hazards   []Hazard        `json:"hazards"`
	Held      *HoldDocument   `json:"held,omitempty"`
	MovedFrom string          `json:"moved_from,omitempty"` // the address it had before
	Urgent    bool            `json:"urgent,omitempty"`     // it is active, and the cell that may stop it is not valid
	Pruned    bool            `json:"pruned,omitempty"`
	Foreign   *Foreign        `json:"foreign,omitempty"` // who removed it at the service
	Pending   bool            `json:"pending,omitempty"` // with --base: there without this pull request too
	Spend     Spend           `json:"spend"`
	Without   []Without       `json:"without,omitempty"` // what the resource starts to deliver without
	// the run whose plan showed this rise, and which was cut off before it
	RestOf string `json:"rest_of,omitempty"`
}

// FieldDocument is the JSON form of a field.
type FieldDocument struct {
	Name     string          `json:"name"`
	Desired  *resource.Value `json:"desired,omitempty"`
	Last     *resource.Value `json:"last,omitempty"`
	Live     *resource.Value `json:"live,omitempty"`
	Cause    Cause           `json:"cause"`
	Phase    Phase           `json:"phase"`
	Position diag.Position   `json:"position"`
	Edited   *Edited         `json:"edited,omitempty"`  // of an edit, in a git repository
	Pending  bool            `json:"pending,omitempty"` // with --base: there without this pull request too
	Foreign  *Foreign        `json:"foreign,omitempty"` // of what someone changed at the service
	Held     *HoldDocument   `json:"held,omitempty"`
	// of people who join or leave: desired is how many, last how many adsync knew of
	Counted *Counted `json:"counted,omitempty"`
}

// HoldDocument is the JSON form of a hold.
type HoldDocument struct {
	Hazard  Hazard         `json:"hazard"`
	Message string         `json:"message"`
	Allow   string         `json:"allow"`
	Also    []HoldDocument `json:"also,omitempty"`
}

// Summary counts the applicable changes by action, and what is left out.
type Summary struct {
	Create    int `json:"create"`
	Update    int `json:"update"`
	Replace   int `json:"replace"`
	Archive   int `json:"archive"`
	Adopt     int `json:"adopt"`
	Forget    int `json:"forget"`
	Record    int `json:"record"`
	Held      int `json:"held"` // changes that are held, wholly or in part
	Kept      int `json:"kept"`
	Unmanaged int `json:"unmanaged"`
	InSync    int `json:"in_sync"`
	AsSent    int `json:"as_sent"` // with nothing to change, and not shown by the service: as they were last sent
}

// Document returns the JSON form of the plan.
func (p *Plan) Document() Document {
	d := p.withoutChanges()
	d.Changes = make([]ChangeDocument, 0, len(p.Changes))
	for i := range p.Changes {
		d.Changes = append(d.Changes, p.Changes[i].Document())
	}
	return d
}

func (p *Plan) withoutChanges() Document {
	spend, money := p.Spend, p.Money
	d := Document{Kept: make([]string, 0, len(p.Kept)), Summary: p.Summary(),
		Spend: &spend, Money: &money, Without: p.WithoutCounts(), Base: p.Base, Problems: p.Problems,
		SuspiciousEdits: suspiciousEditDocuments(p.SuspiciousEdits),
		Selection:       p.Selected.document(), Saved: p.Saved(), Moved: p.Moved, Ignored: p.Ignored}
	for _, a := range p.Kept {
		d.Kept = append(d.Kept, a.String())
	}
	if d.Problems == nil {
		d.Problems = []diag.Problem{}
	}
	if d.Money.Bounds == nil {
		d.Money.Bounds = []SpendBound{}
	}
	if d.Money.Campaigns == nil {
		d.Money.Campaigns = []CampaignMoney{}
	}
	return d
}

// MarshalJSON writes the Document.
func (p *Plan) MarshalJSON() ([]byte, error) { return json.Marshal(p.Document()) }

// Hash identifies the plan: SHA-256 over its JSON, in hexadecimal. An approval
// is bound to it. Who wrote what, what the plan comes to in money today, and what
// something starts without, is no part of it: they decide nothing.
func (p *Plan) Hash() string {
	sum := sha256.New()
	canonical := json.NewEncoder(withoutNewline{sum})
	_, _ = io.WriteString(sum, `{"changes":[`) // a hash takes whatever it is given
	fields, recorded := []FieldDocument{}, []FieldDocument{}
	for i := range p.Changes {
		c := p.Changes[i].documentIn(fields, recorded) // one at a time: all of them are as large as the plan
		fields, recorded = c.Fields[:0], c.Recorded[:0]
		c.Foreign, c.Pending, c.RestOf, c.Without = nil, false, "", nil
		withoutAuthors(c.Fields)
		withoutAuthors(c.Recorded)
		if i > 0 {
			_, _ = io.WriteString(sum, ",")
		}
		must(canonical.Encode(c))
	}
	d := p.withoutChanges()
	d.Money, d.Base, d.Without = &Money{}, nil, nil
	_, _ = io.WriteString(sum, "]")
	rest, err := json.Marshal(d)
	must(err)
	_, _ = io.WriteString(sum, strings.TrimPrefix(string(rest), `{"changes":null`))
	return hex.EncodeToString(sum.Sum(nil))
}

// withoutNewline takes texts from an encoder of JSON without the newline it ends
// each with.
type withoutNewline struct{ to io.Writer }

func (w withoutNewline) Write(text []byte) (int, error) {
	_, err := w.to.Write(text[:max(0, len(text)-1)])
	return len(text), err
}

// must holds that a document has a JSON form: it is strings, integers and values;
// an absent value, which alone has none, is left out.
func must(err error) {
	if err != nil {
		panic("plan has no JSON form: " + err.Error())
	}
}

func withoutAuthors(fields []FieldDocument) {
	for i := range fields {
		fields[i].Edited, fields[i].Foreign, fields[i].Pending = nil, nil, false
	}
}

// Summary counts what the plan would do.
func (p *Plan) Summary() Summary {
	s := Summary{Kept: len(p.Kept), Unmanaged: p.Unmanaged, InSync: p.InSync, AsSent: p.AsSent}
	for i := range p.Changes {
		if p.Changes[i].IsHeld() {
			s.Held++
		}
	}
	counters := map[Action]*int{
		Create: &s.Create, Update: &s.Update, Replace: &s.Replace, Archive: &s.Archive,
		Adopt: &s.Adopt, Forget: &s.Forget, Record: &s.Record,
	}
	for c := range p.EachApplicable() {
		*counters[c.Action]++
	}
	return s
}

func (c *Change) IsHeld() bool {
	if c.Held != nil {
		return true
	}
	for i := range c.Fields {
		if c.Fields[i].Held != nil {
			return true
		}
	}
	return false
}

// Document returns the JSON form of the change.
func (c *Change) Document() ChangeDocument {
	return c.documentIn([]FieldDocument{}, []FieldDocument{})
}

// documentIn is Document with its fields behind those of two lists.
func (c *Change) documentIn(fields, recorded []FieldDocument) ChangeDocument {
	hazards := c.Hazards
	if hazards == nil {
		hazards = []Hazard{}
	}
	return ChangeDocument{
		Address: c.Address.String(), Kind: c.Address.Kind,
		Action: c.Action, ID: c.ID, Name: c.Name, Position: c.Position,
		Fields:   appendDocuments(fields, c.Fields),
		Recorded: appendDocuments(recorded, c.Recorded), Hazards: hazards, Held: c.Held.document(),
		MovedFrom: c.addressBefore(), Urgent: c.Held != nil &&
			c.Held.Wrong != nil && c.Held.Wrong.Urgent, Pruned: c.Pruned,
		Foreign: c.Foreign, Pending: c.Pending, Spend: c.Spend, Without: c.Without(), RestOf: c.RestOf,
	}
}

// addressBefore is what the address was; "" where that is the same.
func (c *Change) addressBefore() string {
	if c.MovedFrom == nil {
		return ""
	}
	return *c.MovedFrom
}

func appendDocuments(documents []FieldDocument, fields []Field) []FieldDocument {
	documents = slices.Grow(documents, len(fields))
	for _, f := range fields {
		documents = append(documents, FieldDocument{
			Name: f.Name, Desired: unlessAbsent(f.Desired), Last: unlessAbsent(f.Last()), Live: unlessAbsent(f.Live()),
			Cause: f.Cause, Phase: f.Phase, Position: f.Desired.Position, Edited: f.Edited(),
			Foreign: f.Foreign(), Pending: f.Pending, Held: f.Held.document(), Counted: f.Counted(),
		})
	}
	return documents
}

func unlessAbsent(v resource.Value) *resource.Value {
	if v.IsAbsent() {
		return nil
	}
	given := v // which alone is copied
	return &given
}
