package daemon

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/planview"
)

// TestAStatusComesWithItsPlan: who hears of a plan and asks for it gets that one,
// and no older.
func TestAStatusComesWithItsPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{Once: true})
		heard := 0
		account := Account{Name: "shoes", Every: time.Minute, Full: time.Hour, Orders: &paper{}, Archive: &paper{},
			Worker: &robot{work: func(context.Context, Request) Result {
				return Result{Class: Held, Plan: &planview.Document{PlanHash: "c0ffee"}}
			}},
			Shown: func(s Status, _ *planview.Document) {
				if s.PlanHash == "" {
					return
				}
				heard++
				if plan := h.Plan("shoes"); plan == nil || plan.PlanHash != s.PlanHash {
					t.Errorf("the status is of %s, the plan is %+v", s.PlanHash, plan)
				}
			}}
		h.Run(t.Context(), []Account{account}, nil)
		if heard == 0 {
			t.Error("nobody heard of the plan")
		}
	})
}

// TestNobodyIsToldOfNoAccounts: once the Hub says that it works, it has them all.
func TestNobodyIsToldOfNoAccounts(t *testing.T) {
	h := New(Options{Once: true})
	select {
	case <-h.Working():
		t.Error("it works before it was run")
	default:
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.Run(t.Context(), []Account{{Name: "shoes",
			Every: time.Minute, Full: time.Hour, Orders: &paper{}, Archive: &paper{}, Worker: &robot{}}}, nil)
	}()
	<-h.Working()
	if _, there := h.Account("shoes"); !there {
		t.Error("it works, and has no account")
	}
	<-ended
}
