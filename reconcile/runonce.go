package reconcile

import "context"

// Session is one account opened for one run: who asks for the run says how each stage is shown and
// what keeps it from going on.
type Session interface {
	// Recover ends what an earlier run left open.
	Recover(ctx context.Context) error
	// Plan reads the files and the account, compares them and holds what the policy holds.
	Plan(ctx context.Context) (*View, error)
	// Guard reports whether the plan is to be applied.
	Guard(ctx context.Context, view *View) (bool, error)
	// Apply carries the plan out, reads it back and reports.
	Apply(ctx context.Context, view *View) (*Report, error)
}

// RunOnce recovers, plans, guards and applies: what is left open ends before anything new is planned, and
// nothing is sent that was not planned. Without a report nothing was applied.
func RunOnce(ctx context.Context, s Session) (*Report, error) {
	if err := s.Recover(ctx); err != nil {
		return nil, err
	}
	view, err := s.Plan(ctx)
	if err != nil {
		return nil, err
	}
	if goes, err := s.Guard(ctx, view); err != nil || !goes {
		return nil, err
	}
	return s.Apply(ctx, view)
}
