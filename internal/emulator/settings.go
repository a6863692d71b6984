package emulator

import (
	"fmt"
	"io"

	"adsync/internal/emulator/fault"
	"adsync/internal/emulator/openpoint"
)

// ReadFaults reads a document of faults; docs/develop/emulator-faults.md says what it may
// be. It refuses unknown and wrong fields; the error names the field, and the
// file if r has a name.
func ReadFaults(r io.Reader) ([]fault.Fault, error) {
	faults, err := fault.Read(r)
	if file, ok := r.(interface{ Name() string }); ok && err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return faults, err
}

// Profiles that this machine's own service is run with; docs/develop/open-points.md has them.
const (
	Interface = openpoint.Interface
	Published = openpoint.Published
)

// ParseOpenPoints reads a list such as "profile:published,random:7,key_ttl=30m":
// open points of the interface and the behaviour to take there. What comes later
// wins. It refuses unknown profiles, points and values.
func ParseOpenPoints(list string) (*openpoint.Settings, error) { return openpoint.Parse(list) }
