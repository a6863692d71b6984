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
	"os"
	_ "time/tzdata"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
)

func main() { os.Exit(run(&session.Env{})) }

// run is the whole process but its end; an interrupt ends the context, a second
// one the process. Of the app it is given the world that is none of a process.
func run(env *session.Env) int {
	ctx, stop := interruptible(context.Background(), func() { os.Exit(console.ExitInterrupted) })
	defer stop()
	env.In, env.Out, env.Err, env.Getenv = os.Stdin, os.Stdout, os.Stderr, os.Getenv
	if !console.IsTerminal(os.Stdout) {
		env.Out = console.Outlet{File: os.Stdout}
	}
	return execute(ctx, env, os.Args[1:])
}

func execute(ctx context.Context, env *session.Env, args []string) int {
	defer func() {
		if cause := recover(); cause != nil {
			env.Crashed(cause)
		}
	}()
	env.Databases = &session.Databases{}
	defer func() { session.Closed(env, "the database", env.Databases.Close()) }()
	root := root(env)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	err = errors.Join(err, env.Unkept)
	if err == nil || errors.Is(err, console.ErrReaderGone) {
		return console.ExitDone
	}
	code := console.ExitCode(ctx, err)
	if message := console.Coded(err); message != "" {
		fmt.Fprintln(env.Err, "adsync: "+message)
	}
	return code
}
