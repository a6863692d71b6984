// Package runs is what every command that plans or applies shares: what is wanted
// of a plan, its document and forms, saved plans, the record and report of a run,
// result copies, and results that are pushed.
//
// It sits on a session and below the commands, which choose what of it they do.
//
// Open finish.go first: what comes after an apply, to the exit code. planform.go has the forms
// of a plan and document.go what they are made from; savedplan.go seals and opens plans;
// wanted.go asks for what the files want, selection.go for a part of it; marked.go and
// writeback.go bring results into workbooks, results.go into results.csv, push.go to a branch;
// record.go keeps the run.
package runs
