package orders

import (
	"time"

	"adsync/state/kv"
)

// LogName is where what was ordered stands, a line an order.
const LogName = "orders.ndjson"

// Order is what somebody ordered.
type Order string

// The orders that are noted.
const (
	Suspend   Order = "suspend"
	Resume    Order = "resume"
	Reconcile Order = "reconcile"

	Pausing Order = "pause"
	GoingOn Order = "go-on" // starts again what a pause has paused
	Undo    Order = "undo"  // writes what a run found into the files

	Send Order = "send" // puts a file into the folder

	TakeTheirs Order = "take-theirs" // writes what somebody else gave into the files
)

// Ordered is an order that somebody gave, and when.
type Ordered struct {
	Time   time.Time `json:"time"`
	Order  Order     `json:"order"`
	By     string    `json:"by,omitempty"`
	From   string    `json:"from,omitempty"` // such as `page 192.0.2.1`; "" of a command, whose By has its machine
	Reason string    `json:"reason,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	Of     string    `json:"of,omitempty"` // the name of what it is about; "" of the account
}

// note adds an order to the log.
func (p Place) note(o Ordered) error { return kv.AppendJSON(p, LogName, o) }

// NoteEdit notes the order of an edit of the files, before anything of it is written.
func NoteEdit(p Place, o Ordered) error {
	o.Time = o.Time.UTC().Truncate(time.Second)
	return p.note(o)
}

// Ordered returns the orders that were noted, the oldest first.
func (p Place) Ordered() ([]Ordered, error) { return kv.Lines[Ordered](p, LogName) }
