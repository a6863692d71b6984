package conformance

import "slices"

// Rule is one thing the interface states, in own words. Silent says why no
// request can show it; a rule without it has a row.
type Rule struct {
	ID     string // the part, the section, and the number or name
	Text   string
	Silent string
}

// Rules are all rules in the order of the interface, then the published additions.
var Rules = slices.Concat(rulesOfConventions, rulesOfFields,
	rulesOfStates, rulesOfEndpoints, rulesOfReports, rulesOfAccess, rulesOfLimits, rulesOfAdditions)
