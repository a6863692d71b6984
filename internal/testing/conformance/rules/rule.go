// Package rules is what the interface of the service states: every rule with a sentence of its own, and every
// endpoint. It refuses to know how a service is asked. Its invariant: the id of a rule is there once.
package rules

import "slices"

// Rule is one thing the interface states, in own words. Silent says why no
// request can show it; a rule without it has a row.
type Rule struct {
	ID     string // the part, the section, and the number or name
	Text   string
	Silent string
}

// All are all rules in the order of the interface, then the published additions.
var All = slices.Concat(rulesOfConventions, rulesOfFields,
	rulesOfStates, rulesOfEndpoints, rulesOfReports, rulesOfAccess, rulesOfLimits, rulesOfAdditions)
