// Package runs is what every command that plans or applies shares: what is wanted
// of a plan, its document and forms, saved plans, the record and report of a run,
// result copies, and results that are pushed.
//
// It sits on a session and below the commands, which choose what of it they do.
package runs
