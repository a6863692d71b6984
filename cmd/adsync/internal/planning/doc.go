// Package planning holds the commands that compare files with the account and act
// on the difference: plan, apply, drift, revert, adopt, resolve and resume.
//
// Each command has a file of its own: its flags, its order of steps, and what it
// prints. What they share stands in package runs.
package planning
