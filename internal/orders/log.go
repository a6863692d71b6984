package orders

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"
)

// LogName is the file in which stands what was ordered, a line an order.
const LogName = "orders.ndjson"

// Order is what somebody ordered.
type Order string

// The orders that are noted.
const (
	Suspend   Order = "suspend"
	Resume    Order = "resume"
	Reconcile Order = "reconcile"
)

// Ordered is an order that somebody gave, and when.
type Ordered struct {
	Time   time.Time `json:"time"`
	Order  Order     `json:"order"`
	By     string    `json:"by,omitempty"`
	Reason string    `json:"reason,omitempty"`
	Until  time.Time `json:"until,omitzero"`
}

// note adds an order to the log, durably.
func (f Folder) note(o Ordered) error {
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	if err := f.regular(LogName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(f.path(LogName), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(append([]byte("\n"), line...), '\n')) // a line that was cut off before is ended
	return errors.Join(err, file.Sync(), file.Close())
}

// Ordered returns the orders that were noted, the oldest first. A line that a power cut
// cut off is none.
func (f Folder) Ordered() (all []Ordered, err error) {
	if err := f.regular(LogName); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	content, err := os.ReadFile(f.path(LogName))
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(content) {
		var one Ordered
		if json.Unmarshal(line, &one) == nil {
			all = append(all, one)
		}
	}
	return all, nil
}
