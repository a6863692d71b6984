package resource

import "time"

// Across is a rule that sees more than one resource: what stands above it, what
// it refers to, and, where the service was asked, what is live.
type Across struct {
	Name  string // its source: "interface, part 2, ad group"
	Check func(see *View) []Finding

	Advises bool // it only warns, of what the files say: a plan does not ask it
}

// View is what such a rule sees. What is decided nowhere is absent, and so is
// everything of a resource that is not there.
type View struct {
	Value func(attribute string) Value            // of the resource itself
	Above func(kind Kind, attribute string) Value // of its ancestor of a kind
	Live  func(attribute string) Value            // of the resource itself at the service

	AboveLive func(kind Kind, attribute string) Value // of its ancestor at the service

	Named func(by, attribute string) Value // of what an attribute of ids names first

	New  bool           // the plan creates it; false while only files are read
	Zone *time.Location // of the account; nil where it is not known
}
