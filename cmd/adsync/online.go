package main

import (
	"fmt"

	"adsync/internal/diag"

	"github.com/spf13/cobra"
)

// onlineCheck is the JSON form of what the service said about the files.
type onlineCheck struct {
	Operations int `json:"operations"` // validated or refused
	Refused    int `json:"refused"`
	Beyond     int `json:"beyond"` // changes, or parts of them, that no validate_only job can say
	Held       int `json:"held"`   // changes the plan holds: not asked about
}

// checkOnline has the service validate what apply would send, and puts what it
// refuses at the cells and lines it came from. Nothing is changed.
func (a *app) checkOnline(c *cobra.Command, whole loaded) (*onlineCheck, []diag.Problem, error) {
	l := whole
	desired, err := a.wanted(l, planFlags{})
	if err != nil {
		return nil, l.desired.Problems, err
	}
	s, err := a.connect(c.Context(), l, true)
	if err != nil {
		return nil, l.desired.Problems, err
	}
	defer s.end()
	view, err := s.agent.Plan(c.Context(), desired)
	if err != nil {
		return nil, l.desired.Problems, err
	}
	checked, err := s.agent.Check(c.Context(), view)
	a.clearLine()
	if err != nil {
		return nil, l.desired.Problems, err
	}
	var all diag.List
	all.AddAll(l.desired.Problems)
	all.AddAll(view.Plan.Problems)
	all.AddAll(view.Plan.Late)
	all.AddAll(checked.Problems)
	return &onlineCheck{checked.Operations, len(checked.Problems), checked.Beyond, checked.Held}, all.Sorted(), nil
}

// String says it to people.
func (o *onlineCheck) String() string {
	if o.Operations == 0 && o.Beyond == 0 && o.Held == 0 {
		return "nothing to send: the service was not asked"
	}
	text := fmt.Sprintf("the service checked %s and refused %d", plural(o.Operations, "operation"), o.Refused)
	if o.Beyond > 0 {
		text += fmt.Sprintf("; %s it can only tell at apply", plural(o.Beyond, "change"))
	}
	if o.Held > 0 {
		text += fmt.Sprintf("; %s held and not asked about", pluralAre(o.Held, "change"))
	}
	return text
}
