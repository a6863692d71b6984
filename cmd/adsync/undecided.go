package main

import (
	"fmt"
	"slices"

	"adsync/reconcile"
	"adsync/state"
)

// resolving is the command that shows what is known of an unknown outcome, and
// decides it. An address is of characters a shell leaves alone.
func resolving(address string) string { return "adsync resolve " + address }

// undecidedWords says what earlier runs left unknown.
func undecidedWords(undecided []reconcile.Undecided) string {
	first := undecided[0].Operation.Address.String()
	named := first
	if more := len(undecided) - 1; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s unknown since an earlier run: %s; to decide: %s",
		pluralAre(len(undecided), "outcome"), named, resolving(first))
}

// setAside gives what recovery has looked at already, and could not decide.
func setAside(steps []state.Step) []reconcile.Undecided {
	return slices.DeleteFunc(reconcile.UndecidedOf(schemas(), steps), func(u reconcile.Undecided) bool {
		return !u.SetAside()
	})
}
