package policy

import "slices"

// Choice describes a setting that is one of a few words.
type Choice struct {
	Name    string   // "policy.drift"
	Values  []string // the tightest first
	Default string
	Each    string // what may have a word of its own: "attribute", "kind", or "" for nothing
	Help    string
}

// The choices of adsync.yaml and of the operator's file.
var (
	Drift = Choice{"policy.drift", []string{"report", "revert"},
		"report", "attribute", "What becomes of a change that was made outside the files."}
	Prune = Choice{"policy.prune", []string{"keep", "pause", "archive"},
		"keep", "kind", "What becomes of a resource that was removed from the files."}
	Invalid = Choice{"policy.invalid", []string{"stop", "hold"}, "hold", "", "What becomes of the " +
		"other rows where a cell of a row is not valid. hold: that row waits, with what is beneath it. stop: all do."}

	Approvals = Choice{"policy.approvals", []string{"not-author", "anybody"}, "anybody", "group", "Who may approve " +
		"at the daemon what is held. not-author: nobody who wrote the change. The groups are raises, archives, " +
		"outside and edits."}

	Publish = Choice{"publish", []string{"when-ready", "when-saved"}, "when-saved", "", "What becomes of a workbook " +
		"whose sheet Start here does not say that it is ready. when-ready: it is a draft, and its last ready version " +
		"counts. when-saved: only one that says draft is a draft."}

	RepeatParent = Choice{"bulk.repeat_parent", []string{"never", "auto"}, "auto", "",
		"auto: a new tree larger than a job goes on in further jobs that " +
			"repeat its parents, tried with one branch first. never: what does not fit goes through single requests."}
	Rehearse = Choice{"bulk.rehearse", []string{"always", "auto", "never"}, "auto", "",
		"Creates that the service is asked to validate before the first change. " +
			"auto: one job, of all where it holds them, else of one tree of every shape. always: all. never: none."}
)

// Words returns the words in the order people see them, the default first.
func (c Choice) Words() []string {
	return append([]string{c.Default}, slices.DeleteFunc(slices.Clone(c.Values), func(v string) bool {
		return v == c.Default
	})...)
}

// Choices returns all choices, in the order people see them.
func Choices() []Choice {
	return []Choice{Publish, RepeatParent, Rehearse, Drift, Prune, Invalid, Approvals}
}

// Looser reports whether one word lets pass more than another.
func (c Choice) Looser(one, other string) bool {
	return slices.Index(c.Values, one) > slices.Index(c.Values, other)
}
