// Command adsync keeps an ad account equal to files: it validates them, plans,
// applies the plan and reports what became of every row.
//
// It refuses to decide: it reads flags and the environment, wires the packages
// together and prints what they say. Its invariant is that standard output
// carries data only, and that every way of ending has one exit code.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"adsync/state"

	_ "time/tzdata" // the account's time zone must not depend on the machine
)

func main() { os.Exit(run(&app{})) }

// run is the whole process but its end; an interrupt ends the context, a second
// one the process. Of the app it is given the world that is none of a process.
func run(a *app) int {
	ctx, stop := interruptible(context.Background(), func() { os.Exit(exitInterrupted) })
	defer stop()
	a.in, a.out, a.err, a.env = os.Stdin, os.Stdout, os.Stderr, os.Getenv
	if !isTerminal(os.Stdout) {
		a.out = outlet{os.Stdout}
	}
	return a.main(ctx, os.Args[1:])
}

// console is what a command reads and prints, and the flags every command has.
type console struct {
	in    io.Reader
	out   io.Writer
	err   io.Writer
	env   func(string) string
	flags flags

	command string            // the words of the subcommand, such as "adsync apply"
	line    *progressLine     // nil where nothing is shown
	told    func(text string) // receives the notes of a quiet command; nil: nobody does
}

// app is the environment of one command: its console, its clock, its files, its service.
type app struct {
	console
	passes passing
	clock  clock
	ground ground
	git    *gitSource // nil where a folder is read

	before standIn // stands before the emulator in this process; nil: nothing does

	addresses *addresses // which other accounts of this process ask from, too; nil: there are none

	heard func(secret string) // is told of each credential that is read; nil: nobody blots it out
	// guards the record of reviews, which a daemon's own reads keep too; nil: nobody else does
	reviewing *sync.Mutex
}

// clock is the time in which the service is spoken to: who sleeps moves it. The
// zero clock is the system's.
type clock struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
}

// flags are those every command has.
type flags struct {
	output string
	color  string
	quiet  bool

	operator string
}

func (a *app) main(ctx context.Context, args []string) int {
	defer func() {
		if cause := recover(); cause != nil {
			a.crashed(cause)
		}
	}()
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, errReaderGone) {
		return exitDone
	}
	code := exitCode(ctx, err)
	if message := coded(err); message != "" {
		fmt.Fprintln(a.err, "adsync: "+message)
	}
	return code
}

// coded is an error as people read it, with the code of what is wrong with
// adsync's state where it is that.
func coded(err error) string {
	if err == nil {
		return ""
	}
	if code := state.CodeOf(err); code != "" && err.Error() != "" {
		return err.Error() + " (" + string(code) + ")"
	}
	return err.Error()
}

// note prints a line for people, which is never data.
func (c *console) note(format string, args ...any) {
	c.clearLine()
	if c.told != nil {
		c.told(fmt.Sprintf(format, args...))
	}
	if !c.flags.quiet {
		fmt.Fprintf(c.err, format+"\n", args...)
	}
}
