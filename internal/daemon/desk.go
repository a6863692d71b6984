package daemon

import (
	"context"

	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/internal/runview"
)

// Account returns the status of one account.
func (h *Hub) Account(name string) (Status, bool) {
	l, err := h.loop(name)
	if err != nil {
		return Status{}, false
	}
	return l.shown(), true
}

// Plan returns the last plan of an account.
func (h *Hub) Plan(name string) *planview.Document {
	l, err := h.loop(name)
	if err != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.plan
}

// Runs returns the heads of an account's runs, the newest first.
func (h *Hub) Runs(ctx context.Context, name string) ([]runview.Head, error) {
	l, err := h.loop(name)
	if err != nil {
		return nil, err
	}
	return l.account.Archive.Runs(ctx)
}

// Report returns the report of a run.
func (h *Hub) Report(ctx context.Context, name, run string) (*runview.Document, error) {
	l, err := h.loop(name)
	if err != nil {
		return nil, err
	}
	return l.account.Archive.Report(ctx, run)
}

// Archive returns what is kept of an account.
func (h *Hub) Archive(_ context.Context, name string) (Archive, error) {
	l, err := h.loop(name)
	if err != nil {
		return nil, err
	}
	return l.account.Archive, nil
}

// Approvals returns what was allowed, the oldest first.
func (h *Hub) Approvals(_ context.Context, name string) ([]Approval, error) {
	l, err := h.loop(name)
	if err != nil {
		return nil, err
	}
	return l.account.Orders.Approvals()
}

// Wake has an account looked at now.
func (h *Hub) Wake(name string, why Trigger) error {
	l, err := h.loop(name)
	if err == nil {
		l.wake(why)
	}
	return err
}

// Ask wakes an account for a person, whose name, and what they say, is noted first; without one it only wakes it.
func (h *Hub) Ask(name string, why Trigger, a orders.Ask) error {
	l, err := h.loop(name)
	if err == nil && a.By != "" && l.account.Asked != nil {
		err = l.account.Asked(a)
	}
	if err == nil {
		l.wake(why)
	}
	return err
}

// Approve keeps a person's yes to what the last plan asks for, and has it carried out.
func (h *Hub) Approve(_ context.Context, name string, a Approval) error {
	l, err := h.loop(name)
	if err != nil {
		return err
	}
	if plan := h.Plan(name); plan == nil || !a.Fits(plan) {
		return ErrOtherPlan
	}
	if err := l.account.Orders.Approve(a); err != nil {
		return err
	}
	l.log.Info("something was approved", "plan", a.PlanHash, "allow", a.Allow, "by", a.By)
	l.wake(Approved)
	return nil
}

// Look reads a file that was dropped for a look.
func (h *Hub) Look(ctx context.Context, name string, f Dropped) (*Upload, error) {
	l, err := h.loop(name)
	if err != nil {
		return nil, err
	}
	if l.account.Look == nil {
		return nil, ErrNoLook
	}
	return l.account.Look(ctx, f)
}
