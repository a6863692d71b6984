// Package oracle judges a history of the simulation: what the files said, what
// an agent put on the line, and what the service accepted. It holds the
// invariants of faults.md in files that begin with their numbers.
//
// Open oracle.go first (what a history is), then the file of an invariant. replay.go follows
// what the service held, fields.go what a field is called there, waits.go and back.go what may
// wait and what a revert brings back.
//
// It refuses to share code with the program it judges: it imports nothing of
// it, and keeps its own model of what the files say and of what a field is
// called at the service. Its invariant: a judgement follows from the history
// alone, so that the same history is always judged alike.
package oracle

import (
	"fmt"
	"time"
)

// Item is one resource as the files have it.
type Item struct {
	Kind string // as the files call it
	// first word of its name and of its title, once in a world; d and the first day of a daily limit
	Tag    string
	Parent string   // the parent's tag, "" for what stands beneath nothing
	Key    string   // where it is another than the tag, which it begins with
	Was    []string // the keys it had before
	// by name in the files: string, int64 or []string; nil clears. An end is exclusive, as at the service
	Values map[string]any
	Wrong  []string // attributes whose cells cannot be read; Values has them as they are once mended
}

// Files are what all files say at one commit, by tag.
type Files map[string]Item

// Record is a resource as the service stores it.
type Record map[string]any

// Entry is one accepted mutation: an entry of W.
type Entry struct {
	Seq          int64
	At           time.Time
	Account      string
	Actor        string
	Endpoint     string
	Key          string // Idempotency-Key of the request
	Body         string // SHA-256 of the request's body, hexadecimal
	JobID        string
	OperationKey string
	Action       string
	Kind         string
	ID           string
	Before       Record // nil for a create
	After        Record
	Past         bool // it stood there before the history began: nobody's write, and a birth all the same

	Commit  int // how many commits there were
	Request int // how many requests had been sent
}

// Request is one request of an agent as it went on the line.
type Request struct {
	N          int
	At         time.Time
	Agent      int
	Process    int // one a start of the program
	Commit     int // what the files said when the run that sent it began; -1 outside a run
	Origin     int // the process that journalled it
	ReadOnly   bool
	Method     string
	Path       string // below /v1
	Query      string
	Key        string
	Body       string // SHA-256, hexadecimal
	Content    []byte
	Late       bool // of a process that had lost the state to another, and was frozen before it could know
	Knew       int  // how many requests had been sent when it was to go and had to wait; 0: it did not wait
	Forgotten  bool // its intent was among what the state lost before it was sent
	DryRun     bool // a job that says validate_only: true
	Journalled bool // its exact bytes and key were durable, and marked as sent
	Credential string

	Answered   time.Time // zero while it is under way
	Status     int       // 0 without an answer
	Whole      bool      // the whole answer came
	RetryAfter time.Duration
	Conflicts  []string // keys of creates the service said it knows with another body
}

// Mutates reports whether the request is meant to change something.
func (r *Request) Mutates() bool { return r.Method == "POST" && !r.DryRun }

// Apply is one run of an agent, and what it reported.
type Apply struct {
	Agent    int
	Process  int
	Commit   int
	From, To int64 // the entries of W while it ran: from < seq <= to
	Open     bool  // it still runs
	Planned  int   // changes of its plan
	Outcomes map[string]string
	Counted  int // outcomes in its report
	Strict   bool
	Guarded  bool // strict, and the history is about what is measured over a whole plan
	At       time.Time
	Crashed  bool
	Failed   bool

	Reverts *Apply // the run it takes back; nil: it carries out the files
	Starts  bool   // beside Reverts: what that one paused may start again
	asked   Files
}

// History is everything a judgement needs.
type History struct {
	Commits  []Files
	Requests []*Request
	W        []Entry
	Applies  []*Apply

	Account     string            // id of the account the files name
	Credentials []string          // of the agents, by number
	Actors      []string          // of the agents, as W names them
	Secrets     []string          // what must never be shown
	Output      string            // everything an agent logged, reported or returned
	Kept        string            // what plans, journal and records of agents came to hold since the last judgement
	Versions    map[int][]Version // of the agents' states, by number, in order
	Loads       []Load
	Released    map[string]bool // tags of which a person says that nothing was made

	Lists map[string][]string // the hashes of the people of a members file, by its digest

	Spent func(campaign string, by time.Time) int64 // micros; nil where nothing is delivered

	Prune  string // of the policy: "pause", "archive", or "" to keep
	Revert bool   // the policy writes back what somebody changed

	NoFiles   bool          // the service takes no files of people: lists go in requests
	KeyLag    time.Duration // how long after a create the service does not know its key
	KeysHold  bool          // the service knows every create key at once and for good
	ListsHold bool          // what is created is in lists at once
	Forgot    bool          // the state lost what had been acknowledged, and a person went on with what there is
	Shared    bool          // two agents with a state each are at the account
	Alone     bool          // one agent, and nobody else at the account
}

// Check is one invariant.
type Check struct {
	Number   int
	Sentence string
	Find     func(*History) error // nil while it holds
}

// Safety is what holds after every action, faults on.
var Safety = []Check{
	{1, "a resource of the files is created once", both(SingleBirth, OperationsOnce)},
	{2, "every write is asked for by the files of its run", JustifiedWrite},
	{3, "the bytes and the key of a mutation are durable before they are sent", IntentBeforeWire},
	{4, "one key, one body", SameKeySameBytes},
	{5, "nothing newer goes to a resource of which a write is unknown", UnknownStaysUnknown},
	{6, "absence removes nothing", AbsenceIsNotDeletion},
	{8, "nothing passes a guard that nobody released",
		both(GuardsHold, BidsHold, LimitsHold, ShrinksHold, CreditsHold)},
	{9, "possible spend never passes the larger of before and desired", both(ExposurePath, LimitedPath)},
	{10, "pauses come first, and what the files pause is not activated", PauseWins},
	{11, "a foreign pause is never undone by itself", NeverAutoUnpause},
	{12, "every request goes to the account of the files", AccountBinding},
	{13, "what is not managed is not written", UnmanagedUntouched},
	{14, "nothing overwrites an edit that was read", both(FreshBasis, NoLostMembers)},
	{15, "commands that read send no mutation", ReadOnlyReads},
	{16, "a dry run changes nothing", DryRunIsDry},
	{17, "every job keeps the limits of jobs", BatchLegality},
	{18, "every planned change has one outcome, and what is applied was applied", OutcomesAddUp},
	{19, "a state is all there or refused, its serial rises and its lineage stays", StateIntegrity},
	{21, "nobody knocks before Retry-After is over", RetryDiscipline},
	{22, "no secret is shown", NoLeak},
	{24, "amounts are exact", ExactAmounts},
	{32, "what is taken back is as it was", BroughtBack},
	{37, "what waits for a wrong cell is left as it is, and nothing counts on it", WaitingLeft},
}

// both is several checks as one.
func both(checks ...func(*History) error) func(*History) error {
	return func(h *History) error {
		for _, find := range checks {
			if err := find(h); err != nil {
				return err
			}
		}
		return nil
	}
}

// Judge gives the first invariant of those that does not hold.
func Judge(h *History, checks []Check) error {
	for _, c := range checks {
		if err := c.Find(h); err != nil {
			return fmt.Errorf("invariant %d (%s): %w", c.Number, c.Sentence, err)
		}
	}
	return nil
}
