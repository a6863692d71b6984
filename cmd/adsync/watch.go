package main

import (
	"context"
	"fmt"
	"time"

	"adsync/internal/watch"

	"github.com/spf13/cobra"
)

// How long files must hold still before they are taken for written, and how
// often they are looked at where nothing tells of a change.
const (
	settle    = 300 * time.Millisecond
	lookAgain = 5 * time.Second
)

// watchFiles validates at once and after every change of what the files say.
func (a *app) watchFiles(c *cobra.Command, args []string) error {
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	a.watcher(dir, lookAgain, systemNews, a.lookAt(c.Context(), dir, settle)).Run(c.Context())
	return nil
}

func (a *app) watcher(dir string, lookAgain time.Duration,
	listen func() (watch.News, error), look func() time.Duration) *watch.Watcher {
	return &watch.Watcher{Root: dir, Quiet: settle, LookAgain: lookAgain, Listen: listen, Look: look, Note: a.note}
}

// systemNews is what the system tells this command.
func systemNews() (watch.News, error) {
	s, err := watch.NewSystem()
	if err != nil {
		return watch.News{}, err
	}
	n, err := s.Listen()
	leave := n.Close
	n.Close = func() { leave(); _ = s.Close() } // the process ends
	return n, err
}

// lookAt gives what a watcher does: it reads the files and shows what is new in
// them once two readings are the same that lie apart. Between the two a file may
// be emptied, away, or half written by whatever saves it (faults F2 and F3).
func (a *app) lookAt(ctx context.Context, dir string, settle time.Duration) (look func() (again time.Duration)) {
	var read loaded
	still := &watch.Still{
		Settle: settle,
		Sum: func() string {
			read = a.load(ctx, dir)
			return read.desired.Hash + fmt.Sprint(read.desired.Problems)
		},
		Changed: func(string) {
			if ctx.Err() != nil {
				return
			}
			if err := a.showValidation(a.warnLate(ctx, read), nil, nil); err != nil {
				a.note("adsync: %v", err)
			}
		},
	}
	return still.Look
}
