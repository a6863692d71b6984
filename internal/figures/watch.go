package figures

import (
	"context"
	"time"
)

// share is of how many requests that the account may send one is for figures: 2 %.
const share = 50

// Watch reads the days of an account for as long as it runs, with its share of the requests.
type Watch struct {
	Bell <-chan struct{} // rings once the account can be asked
	Rest time.Duration   // how long it is left to its runs then, so that many accounts do not begin at once
	Pass func(context.Context) (Passed, error)
	Note func(error) // is told of an error that is another than the last
}

// Passed is what one pass of a Collector came to.
type Passed struct {
	Read      bool // more may be due
	Requests  int
	PerMinute int // how many the account may send; 0: nobody knows, as long as nothing was asked
}

// Run reads until the context ends.
func (w *Watch) Run(ctx context.Context) {
	select {
	case <-w.Bell:
	case <-ctx.Done():
		return
	}
	wait(ctx, w.Rest)
	said := ""
	for ctx.Err() == nil {
		p, err := w.Pass(ctx)
		rest := every
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if text := err.Error(); text != said {
				w.Note(err)
				said = text
			}
		case p.Read:
			said = ""
			rest = p.pause()
		}
		wait(ctx, rest)
	}
}

func wait(ctx context.Context, rest time.Duration) {
	timer := time.NewTimer(rest)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// pause is how long a pass has used the share up.
func (p Passed) pause() time.Duration {
	if p.PerMinute <= 0 {
		return every
	}
	return max(time.Duration(p.Requests)*share*time.Minute/time.Duration(p.PerMinute), time.Second)
}
