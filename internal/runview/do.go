package runview

import (
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// Advice is what to do about an outcome. ADDRESS in it is that of the change.
type Advice struct {
	Outcome state.Outcome
	Code    string // the code of the outcome; "" is any other
	Do      string
}

// advice is looked through in order: the first row that fits says it.
var advice = []Advice{
	{state.OutcomeUnknown, string(diag.NeedsDecision),
		"See what is known of it, and decide it: adsync resolve ADDRESS"},
	{state.OutcomeUnknown, string(diag.KeyConflict),
		"Find it in the ad manager and give its id as id: in your file, or decide it: adsync resolve ADDRESS"},
	{state.OutcomeUnknown, string(diag.CreateConflict),
		"Apply again: it asks the service first. If it stays unknown, decide it: adsync resolve ADDRESS"},
	{state.OutcomeUnknown, "", "Apply again: it asks the service first, and makes nothing twice."},
	{state.OutcomeFailed, string(diag.JobUnfinished), "Apply again later: it asks the job first."},
	{state.OutcomeFailed, string(diag.Unauthorized),
		"Nothing is wrong with the row: see that the key is right and may do this, and apply again."},
	{state.OutcomeFailed, string(diag.ServiceUnavailable), "Nothing is wrong with the row: apply again later."},
	{state.OutcomeFailed, "", "Mend it in your own file and apply again."},
	{state.OutcomeSkipped, string(diag.OperationSkipped), "See to what it waits for, and apply again."},
	{state.OutcomeSkipped, string(diag.ServiceUnavailable), "Nothing is wrong with the row: apply again later."},
	{state.OutcomeSkipped, "", "Apply again: it goes on from here."},
	{Held, string(plan.Drifts), "Take the value " +
		"over: adsync drift --accept ADDRESS; or have the files win: adsync apply --allow drift=ADDRESS"},
	{Held, string(plan.WasRefused), "Edit the row; " +
		"or have the service asked again: adsync reconcile --retry ADDRESS with a daemon, else adsync apply."},
	{Held, string(plan.Undecided), "Decide the outcome it waits for: adsync status names it."},
	{Held, string(plan.Frozen), "Apply again when the freeze window has ended, or the clock is right."},
	{Held, string(plan.Outdated), "Plan again."},
	{Held, string(plan.Invalid), "No allowance releases it: mend the cell that is named."},
	{Held, string(plan.Late), "No allowance releases it: give another day in the files, or leave the row out."},
	{Held, string(plan.Protected), "No allowance releases it: take the protection out of the files first."},
	{Held, string(plan.Unavailable), "No allowance releases it: the account may not use this kind."},
	{Held, string(plan.Unselected), "No allowance releases it: select what it needs as well."},
	{Held, string(plan.Unattended), "Run adsync apply yourself, or set max_daily_exposure in the operator's file."},
	{Held, string(plan.Incomplete), "No allowance releases it: see to what its message names, and apply again."},
	{Held, "", "Allow it as its message says, or change the row."},
	{state.OutcomeApplied, string(diag.NotVerified), "Plan again: it shows both values where they still differ."},
}

// Advices returns the table.
func Advices() []Advice { return append([]Advice{}, advice...) }

// Do returns what to do about an outcome, "" where there is nothing to do.
func Do(outcome state.Outcome, code string, address resource.Address) string {
	for _, a := range advice {
		if a.Outcome == outcome && (a.Code == "" || a.Code == code) {
			return strings.ReplaceAll(a.Do, "ADDRESS", address.String())
		}
	}
	return ""
}
