package plan

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Unsettled is an operation of an earlier run of which nobody knows whether the
// service has done it.
type Unsettled struct {
	Address resource.Address
	Then    resource.Address // what it was called when it was sent
	// what was sent, for people: "create", "raise", "decrease", "pause", "start", "archive", "end", "update"
	What    string
	Message string // what is unknown, for people
	Creates bool

	Unconfirmed bool // it is of the run under way: nobody is to decide it
}

// SentWords is what was sent, as a noun for people.
func SentWords(what string) string { return catalogue.Fill("guard.sent." + what) }

// Decide ends what is said of the operation with the command that decides it.
func (u *Unsettled) Decide(said string) string {
	if u.Unconfirmed {
		return said
	}
	return catalogue.Fill("guard.decide", "what", said,
		"command", "adsync resolve "+cmp.Or(u.Then, u.Address).String())
}

// Ignore leaves an attribute of what is live to others until a day: it is not
// compared and not sent. A create still says it, and money counts what is live.
type Ignore struct {
	Resource  string `json:"resource"` // kind and key; a star stands for any text between slashes
	Attribute string `json:"attribute"`
	Owner     string `json:"owner"`
	Reason    string `json:"reason"`
	Until     string `json:"until"` // the last day, YYYY-MM-DD
	Count     int    `json:"count"` // resources it holds for

	Position diag.Position `json:"position"`
}

// InvalidRow is a row of the files that waits because one of its own cells is wrong.
// Desired has it with the cells that are right, so that it counts as present
// wherever rows are counted.
type InvalidRow struct {
	Address resource.Address
	Cell    diag.Position // of the problem, where that is in the row
	Message string        // the problem, with its position, for people
	Lowers  bool          // a wrong cell of it could have lowered or stopped something
	Stops   bool          // that cell is a status or a last day
	Adrift  bool          // what the row is cannot be told: Address is as near as its cells come
}

// Recent is what adsync did in the 24 hours before the plan: limits hold for a
// day, however many plans it has.
type Recent struct {
	// possible spend of the account before and after each apply that moved it, oldest first, in micros
	Levels  []int64
	Amounts []Earlier // what each amount was before the first apply that changed it
}

// Earlier is an amount as it was.
type Earlier struct {
	Address   resource.Address
	Attribute string
	Micros    int64
}

// Input is everything a plan is computed from. Nil snapshots are empty.
type Input struct {
	Schemas             resource.Schemas
	Last, Desired, Live *resource.Snapshot // Live as Identify gives it
	Waiting             *resource.Snapshot // edits an apply has seen before and not carried out
	Reverted            *resource.Snapshot // how many applies in a row have written an attribute back, as numbers
	Policy              Policy
	Allow               []Allowance
	Consents            []Consent // still good, the oldest first
	Asks                bool      // FindAsks is wanted
	Ignore              []Ignore  // attributes that are left to others
	Select              Selection
	Saved               *SavedPlan // a saved plan; nil without one
	// desired is an inverse: what is so already is not recorded, as somebody else made it so
	TakesBack bool

	Today    string // in the account's time zone, YYYY-MM-DD; "" where it is not known
	Currency string // of the account
	// micros that campaigns with a lifetime budget have spent, by id; nil where it is not known
	Spent map[string]int64
	// how many of a kind the account may have, where that is not what the description says
	Most    map[resource.Kind]int
	Recent  Recent                   // what adsync did in the last 24 hours
	Credits []Credit                 // what applies of that time left for the rest of their plans, oldest first
	Lacking map[resource.Kind]string // kinds the account may not use, and why
	Listed  map[resource.Kind]bool   // kinds of which Live has all there are
	Small   map[For]string           // what the service says of the size of what is too small for a use

	Capabilities map[resource.Capability]bool // what was found out of the account; what is not there is not known

	Invalid   []InvalidRow                 // rows that wait; Desired has them
	LetsWait  bool                         // so do those that only the plan finds not to be valid
	InDraft   bool                         // a file is a draft: nothing is pruned, and nothing forgotten
	Unheard   bool                         // one was never ready: what no file names is not said to be kept
	Misnamed  []diag.Problem               // what Identify found wrong with the ids of rows
	Refused   map[resource.Address]Refused // what the service refused for good
	Unsettled []Unsettled                  // what became of which is unknown
}

// For is a resource of the service as something uses it.
type For struct{ ID, Use string }

// Refused is what the service refused of a resource for good.
type Refused struct {
	Basis   string // of the resource when it was refused
	Code    string // the service's, or adsync's own
	Message string // the service's words
	Since   string // for people
	Asked   string // the run that was told so last
}

// refusalDigits is how many digits name a refusal.
const refusalDigits = 12

// AskAgain is the allowance to ask the service once more after a refusal. It is
// bound to what was refused and to the run that was told so: after another refusal
// it releases nothing.
func (r Refused) AskAgain(at resource.Address) Allowance {
	sum := sha256.Sum256([]byte(at.String() + "\n" + r.Basis + "\n" + r.Asked))
	return Allowance{Hazard: WasRefused, Address: at, Refusal: hex.EncodeToString(sum[:])[:refusalDigits]}
}

// Basis names what a refusal rests on: what the files say of a resource, what the
// service holds of it, wherever it is written, and its parent, as Above says it. Nil
// is a resource that is not there.
func Basis(desired, live *resource.Resource, above string) string {
	sum := sha256.New()
	for _, side := range []*resource.Resource{desired, live} {
		if side == nil {
			_, _ = io.WriteString(sum, "-\n")
			continue
		}
		_, _ = io.WriteString(sum, "+"+side.ID+"\n")
		for _, a := range side.Attributes {
			_, _ = io.WriteString(sum, a.Name+" "+a.Value.String()+"\n")
		}
	}
	_, _ = io.WriteString(sum, above)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Above says of a parent what a refusal beneath it may rest on: its row, what is
// otherwise at the service, and whether it is refused itself. A parent that is made
// as its row says is the same before and after.
func Above(schema *resource.Schema, desired, live *resource.Resource, refused bool) string {
	if schema == nil {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "^ %t %t\n", refused, live != nil)
	if desired == nil {
		desired = live
	}
	if desired == nil {
		return text.String()
	}
	for _, n := range desired.Attributes {
		fmt.Fprintf(&text, "%s %s", n.Name, n.Value)
		if a, known := schema.Attribute(n.Name); known &&
			Readable(a) && live != nil && !Same(n.Value, live.Value(n.Name)) {
			fmt.Fprintf(&text, " is %s", live.Value(n.Name))
		}
		text.WriteString("\n")
	}
	return text.String()
}

func (r Refused) Words() string {
	said := Quote(r.Message)
	if r.Code != "" {
		said += " (" + r.Code + ")"
	}
	return said
}
