// Package planning holds the commands that compare files with the account and act
// on the difference: plan, apply, drift, revert, adopt, resolve and resume.
//
// Each command has a file of its own: its flags, its order of steps, and what it
// prints. What they share stands in package runs.
//
// Open plan.go or apply.go first. drift.go shows what differs at the service and driftaccept.go
// takes it into the files; resolve.go and adopt.go answer what a person is asked; revert.go
// goes back to an earlier run, resume.go lifts what suspended an account.
package planning
