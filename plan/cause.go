package plan

import (
	"fmt"
	"slices"
)

// Cause says why a field changes.
type Cause uint8

// The causes. The zero Cause is none.
const (
	Edit      Cause = iota + 1 // the files changed
	Drift                      // the service changed, the files did not
	Default                    // the files do not say, a create needs it
	CarryOver                  // edited before, and not applied yet
	SentAlong                  // unchanged, sent because its setting is sent whole
)

var causeNames = []string{"", "edit", "drift", "default", "carry-over", "sent-along"}

// String gives the cause's name in plans.
func (c Cause) String() string {
	if int(c) < len(causeNames) {
		return causeNames[c]
	}
	return fmt.Sprintf("cause %d", uint8(c))
}

// MarshalText writes the cause's name.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (c *Cause) UnmarshalText(text []byte) error {
	i := slices.Index(causeNames, string(text))
	if i < 0 {
		return fmt.Errorf("cause is %q; want one of %q", text, causeNames[1:])
	}
	*c = Cause(i)
	return nil
}
