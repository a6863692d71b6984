package plan

import (
	"fmt"
	"slices"

	"adsync/internal/words/catalogue"
)

// Action is one step of a plan.
type Action string

// The actions. Record and Forget touch adsync's own record only.
const (
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace" // archive the resource and create it again: an immutable attribute was edited
	Archive Action = "archive"
	Adopt   Action = "adopt"  // manage a live resource adsync did not create; its Fields are then sent as an update
	Forget  Action = "forget" // drop the record of what is gone on both sides
	Record  Action = "record" // note what files and service agree on already
)

// Actions are all of them.
var Actions = []Action{Create, Update, Replace, Archive, Adopt, Record, Forget}

// Hazard is what a change may do that someone must allow by name, or should at
// least see.
type Hazard string

// The hazards.
const (
	RaisesSpend     Hazard = "raises-spend"
	Activates       Hazard = "activates"
	WidensTargeting Hazard = "widens-targeting"
	Archives        Hazard = "archives"
	RestartsReview  Hazard = "restarts-review"
	Conflicts       Hazard = "conflict"         // both the files and the service changed
	Adopts          Hazard = "adopt"            // what is live was not written by adsync
	Drifts          Hazard = "drift"            // undoes what someone did at the service
	Replaces        Hazard = "replace"          // archives and creates again
	RemovedByHand   Hazard = "removed-by-hand"  // creates again what someone archived
	Twins           Hazard = "twin"             // may create a second one of what is there already
	ShrinksAudience Hazard = "shrinks-audience" // takes most people out of an audience
	Unavailable     Hazard = "unavailable"      // the account may not use the kind; nothing releases it
	Incomplete      Hazard = "incomplete"       // lacks what a create must give; nothing releases it

	// The limits of the policy; see plan/guard.
	Updates      Hazard = "updates"       // changes more of a kind than the policy lets pass
	ExceedsFiles Hazard = "exceeds-files" // with what is held, more can be spent than before and than the files ask for
	Exposure     Hazard = "exposure"      // more can be spent a day than the policy lets pass
	Protected    Hazard = "protected"     // is what the files protect the resource from; nothing releases it
	Frozen       Hazard = "frozen"        // comes in a freeze window; nothing releases it
	Unattended   Hazard = "unattended"    // raises while nobody looks, without a ceiling; nothing releases it
	// depends on an earlier request nobody knows the outcome of; nothing releases it
	Undecided Hazard = "undecided"
	Late      Hazard = "late"    // has a day that has passed while it waited; nothing releases it
	Invalid   Hazard = "invalid" // a cell of its row is wrong, or of one above it; nothing releases it
	// was refused by the service as it is, while nobody looks; released for that refusal alone
	WasRefused Hazard = "refused"

	// What looks like a slip of the hand; see SuspiciousEdit.
	Shifted  Hazard = "shifted"   // says what others of its column said before
	Series   Hazard = "series"    // counts up from row to row
	Scale    Hazard = "scale"     // is a round factor away from what it was, or far from all others
	MassEdit Hazard = "mass-edit" // the same replacement, or the same value, in many rows

	// What narrowing a plan to a part holds; nothing releases it.
	Unselected Hazard = "unselected" // needs what a selection leaves out
	Outdated   Hazard = "outdated"   // is not what a saved plan says
)

// Phase is when a field is sent. Phases run in order, each confirmed before the
// next, so that money only moves the safe way (design.md section 5).
type Phase uint8

// The phases, first to last.
const (
	Lower    Phase = iota // pauses, archives, decreases
	Neutral               // what does not move money
	Creates               // creates, the highest new resource of each tree paused
	FollowUp              // what creates need afterwards; routes decide, plans hold none
	Raise                 // increases
	Activate              // activations
)

var phaseNames = [...]string{"lower", "neutral", "create", "follow-up", "raise", "activate"}

// String returns the phase's name in plans.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return fmt.Sprintf("phase %d", uint8(p))
}

// MarshalText writes the phase's name.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (p *Phase) UnmarshalText(text []byte) error {
	i := slices.Index(phaseNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("phase is %q; want one of %q", text, phaseNames)
	}
	*p = Phase(i)
	return nil
}

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

// String returns the cause's name in plans.
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

// NoInlineReplace returns why a list cannot take the place of another where the account takes
// no files of people (interface, part 4: a replace "has an uploaded file").
func NoInlineReplace() string { return catalogue.Fill("guard.no-people-files") }
