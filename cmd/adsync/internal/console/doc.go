// Package console is what a command reads and prints: streams, notes, progress,
// questions, new files, and the exit codes with their errors.
//
// It knows no project and no account. Its invariant is that standard output carries
// data only, and that every way of ending has one exit code.
//
// exit.go has the exit codes and the errors behind them, console.go the streams, ask.go
// questions, progress.go the line that is drawn anew, outlet.go and newfile.go where output
// goes.
package console
