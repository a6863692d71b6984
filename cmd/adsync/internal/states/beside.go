package states

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"adsync/internal/orders"
	"adsync/state/kv"
)

// carry copies what is kept beside a state. What is in the target alone stays there: somebody ordered it meanwhile.
func carry(from, to orders.Place) error {
	names, err := carried(from)
	for _, name := range names {
		content, failure := from.Get(name, kv.Most)
		if errors.Is(failure, fs.ErrNotExist) { // a wish that was taken back meanwhile
			continue
		}
		if failure == nil {
			failure = to.Put(name, content)
		}
		err = errors.Join(err, failure)
	}
	if err == nil && from.Stop() != "" && to.Stop() == "" { // whatever has the name counts
		err = to.Put(orders.StopName, nil)
	}
	return err
}

// clearOut takes away what was carried, so that it is not found again when the state comes back. A STOP stays.
func clearOut(from orders.Place) error {
	names, err := carried(from)
	for _, name := range names {
		if name != orders.StopName {
			err = errors.Join(err, from.Delete(name))
		}
	}
	return err
}

// carried are the names of what goes along: orders, approvals, what was accepted and told, figures, the key of saved
// plans, results that wait for a push. What a daemon says of itself, copies of workbooks and the files of the state
// stay where they are.
func carried(at orders.Place) ([]string, error) {
	names, err := at.Names("")
	return slices.DeleteFunc(names, func(name string) bool {
		top := !strings.Contains(name, "/")
		goes := top && (strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".ndjson")) ||
			name == orders.StopName || name == sealKey || strings.HasPrefix(name, unpushed)
		return !goes || name == orders.DaemonName
	}), err
}

const (
	sealKey  = "seal-key"
	unpushed = "unpushed/"
)
