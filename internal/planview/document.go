package planview

import (
	"time"

	"adsync/internal/cards"
	"adsync/internal/diag"
	"adsync/internal/eyes"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/plan"
)

// formatVersion stands in every JSON form.
const formatVersion = 1

// Document is a plan and what it was computed from. It is whole on failure too.
type Document struct {
	FormatVersion int       `json:"format_version"`
	Account       Account   `json:"account"`
	Service       *Service  `json:"service,omitempty"` // absent where none is named
	InputHash     string    `json:"input_hash"`
	PlanHash      string    `json:"plan_hash"`
	Revision      *Revision `json:"revision,omitempty"` // absent outside a git repository
	plan.Document
	Unread   []diag.Unread  `json:"unread,omitempty"`   // columns and sheets of the files whose values are not read
	Drafts   []Draft        `json:"drafts,omitempty"`   // workbooks of which nothing is published but pauses
	Requests *plan.Requests `json:"requests,omitempty"` // what an apply would send, where that is asked for
	Asks     []plan.Ask     `json:"asks,omitempty"`     // what people may agree to, of a daemon's plan
	Agreed   []plan.Agreed  `json:"agreed,omitempty"`   // what is not held as somebody agreed to it
	// what asks want beside one yes, by item; absent of those that one is enough for
	Eyes map[string]*eyes.Lack `json:"eyes,omitempty"`
	// where the ads stand with the service; no part of the plan's hash, and absent where nothing is known
	Review *review.Summary `json:"review,omitempty"`
	// what an approval of it is bound to; absent where nobody approves
	Approvals *Approvals `json:"approvals,omitempty"`
	Error     string     `json:"error,omitempty"`

	Drawn map[string]Drawn         `json:"-"` // the ads that are new or will look otherwise, by address
	Rows  map[string]diag.Position `json:"-"` // where the files write what is live, by its id
	// where the files have each picture, by the sum of its bytes, sha256:<hex>
	Pictures map[string]string `json:"-"`
}

// Draft is a workbook that is a draft: its last ready version counts in its place.
type Draft struct {
	File    string    `json:"file"`
	Changes int       `json:"changes"`          // rows that are new or other than in that version
	Gone    int       `json:"gone,omitempty"`   // rows of that version that it does not have
	Ready   time.Time `json:"ready,omitzero"`   // when that version was first read; absent where there is none
	Paused  []string  `json:"paused,omitempty"` // addresses of rows that it pauses all the same
	Words   string    `json:"words"`            // all that for people
}

// Drawn is how an ad looks before and after a change; Before is nil of one that is new.
type Drawn struct{ Before, After *cards.Card }

// Approvals is what approvals of a plan are bound to beside what they name.
type Approvals struct {
	Lineage string        `json:"lineage"` // of the state it was made from
	Serial  int64         `json:"serial"`
	Lasts   time.Duration `json:"lasts"` // how long one is good for, in nanoseconds
}

// Possible is what the plan does to possible spend; nothing where nobody knows.
func (d *Document) Possible() plan.Money {
	if d.Money == nil {
		return plan.Money{}
	}
	return *d.Money
}

// Account is the ad account a document is about.
type Account struct {
	ID       string `json:"id"`
	Currency string `json:"currency"`
	TimeZone string `json:"time_zone"`
}

// Revision is the commit the files are of.
type Revision struct {
	Commit string `json:"commit"` // full hash of HEAD
	// of the project in the repository, which positions count from; absent at its top
	Path        string   `json:"path,omitempty"`
	Uncommitted []string `json:"uncommitted"` // sources whose bytes are not those of the commit, sorted
}

// goes reports whether something of the change is left to apply when what is held is
// left out; see plan.Applicable.
func goes(c *plan.ChangeDocument) bool {
	if c.Held != nil {
		return false
	}
	if c.Action == plan.Adopt || len(c.Recorded) > 0 || !partly(c) {
		return true
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Held == nil && f.Cause != plan.SentAlong {
			return true
		}
	}
	return false
}

// partly reports whether a field of the change is held.
func partly(c *plan.ChangeDocument) bool {
	for i := range c.Fields {
		if c.Fields[i].Held != nil {
			return true
		}
	}
	return false
}

// IsHeld reports whether a change waits for somebody, wholly or in part.
func IsHeld(c *plan.ChangeDocument) bool { return c.Held != nil || partly(c) }

// addressOf reads an address back; the document holds nothing else.
func addressOf(text string) resource.Address {
	a, _ := resource.ParseAddress(text)
	return a
}

// What a plan asks people to agree to, for those who know the document alone.
type (
	Ask    = plan.Ask
	Part   = plan.Part
	Hazard = plan.Hazard
)
