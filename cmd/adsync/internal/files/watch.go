package files

import (
	"context"
	"fmt"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/watch"

	"github.com/spf13/cobra"
)

// watchFiles validates at once and after every change of what the files say.
func watchFiles(env *session.Env, c *cobra.Command, args []string) error {
	dir, err := console.Folder(c, args)
	if err != nil {
		return err
	}
	session.Watcher(env, dir, session.LookAgain, session.SystemNews,
		lookAt(c.Context(), env, dir, session.QuietTime)).Run(c.Context())
	return nil
}

// lookAt returns what a watcher does: it reads the files and shows what is new in
// them once two readings are the same that lie apart. Between the two a file may
// be emptied, away, or half written by whatever saves it (faults F2 and F3).
func lookAt(ctx context.Context, env *session.Env,
	dir string, settle time.Duration) (look func() (again time.Duration)) {
	var read session.Loaded
	still := &watch.Still{
		Settle: settle,
		Sum: func() string {
			read = session.Load(ctx, env, dir)
			return read.Desired.Hash + fmt.Sprint(read.Desired.Problems)
		},
		Changed: func(string) {
			if ctx.Err() != nil {
				return
			}
			if err := showValidation(env, runs.WarnLate(ctx, env, read), nil, nil); err != nil {
				env.Note("adsync: %v", err)
			}
		},
	}
	return still.Look
}
