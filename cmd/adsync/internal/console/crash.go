package console

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// Crashed ends the process after a panic, at once: nothing is recorded that was
// not before, the kernel gives the lock back, and the journal says where to go on.
// The text of a panic may quote a value of the files or a key, so that only those
// of the runtime are shown.
func (c *Console) Crashed(cause any) {
	what := fmt.Sprintf("a panic of type %T", cause)
	if fault, ok := cause.(runtime.Error); ok {
		what = fault.Error()
	}
	fmt.Fprintf(c.Err, "\nadsync: internal error: %s; this is a fault of adsync\n"+
		"  what was sent is in the journal: run the "+
		"same command again, which goes on from there, or adsync status to see what is open\n"+
		"  please report it with these lines:\n%s", what, debug.Stack())
	os.Exit(ExitInternal)
}
