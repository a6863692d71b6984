package wire

import (
	"adsync/state"
)

// The actions of operations that start and stop what is live, whoever's it is.
// Nothing of them is recorded: last keeps the wish of the files, so that a later
// plan shows what they did as it shows what somebody else did, and takes nothing of
// it back by itself (design.md section 3).
const (
	ActionPause = "pause"
	ActionStart = "start"
)

// Aside reports whether what an operation does is none of the record's business.
func Aside(action string) bool { return action == ActionPause || action == ActionStart }

// The words of the attribute that says whether something delivers.
const (
	WordActive = "active"
	WordPaused = "paused"
)

// ActionRepeat marks an operation that repeats the create of a parent an earlier
// job of the run made. It changes nothing that is recorded.
const ActionRepeat = "repeat"

// Decided reports whether the journal holds what became of an operation.
func Decided(o state.Operation) bool {
	return o.Outcome != "" && o.Outcome != state.OutcomeUnknown
}

// Keyed reports whether an operation is a create that a key tells from others.
func Keyed(o state.Operation) bool { return o.ResourceID == "" && o.Key != "" }
