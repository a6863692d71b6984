package runview

import (
	"bytes"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

func at(sheet string, line, column int) diag.Position {
	return diag.Cell("q4.xlsx", sheet, line, column)
}

// evening is when the runs of the tests began.
var evening = time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC)

func day(before, after int64) plan.Spend {
	return plan.Spend{DailyBefore: before * 1_000_000, DailyAfter: after * 1_000_000}
}

// partial is a run with every outcome.
func partial() *Document {
	code := 9
	d := &Document{FormatVersion: FormatVersion, InputHash: "1111",
		PlanHash: "c50924ec975aee68", Next: "adsync apply ads",
		Head: Head{Run: "run-000042", Command: Apply, Ended: Finished, Started: evening,
			Finished: evening.Add(75 * time.Second), By: "ann@desk", Exit: &code, Verified: 2, Touched: 3,
			Account: planview.Account{ID: "adacct_quickstart", Currency: "USD", TimeZone: "America/New_York"},
			Revision: &planview.Revision{
				Commit: "4f1c0de5a2b3c4d5e6f708192a3b4c5d6e7f8091", Uncommitted: []string{"q4.xlsx"},
			},
			Money: Money{Planned: day(1130, 1270)}},
		Problems: []diag.Problem{{Severity: diag.Warning, Code: diag.BadURL, Position: at("Ads", 4, 6),
			Address: "ad/brand/loyal/hero", Message: "target_url has no https; want one", Hint: "write https://"}},
		Outcomes: []Outcome{
			{Address: "campaign/brand", Action: plan.Update,
				Outcome: state.OutcomeApplied, Name: "Brand", ID: "cmpn_1", Position: at("Campaigns", 2, 1),
				Cell: at("Campaigns", 2, 1), Verified: true, Spend: day(120, 160), Fields: []Field{
					{Name: "budget.daily", Before: resource.Number(120_000_000),
						After: resource.Number(160_000_000), Applied: true},
					{Name: "description", Before: resource.Text("ours"), After: resource.Null(), Applied: true}}},
			{Address: "ad_group/spring/runners", Action: plan.Create, Outcome: state.OutcomeApplied, Name: "Runners",
				ID: "adgrp_7", Code: string(diag.NotVerified), Message: "applied, but reading back shows " +
					"that bid.max is 1.00; want 1.10", Position: at("Ad groups", 3, 1), Cell: at("Ad groups", 3, 1),
				Fields: []Field{{Name: "bid.max", After: resource.Number(1_100_000), Applied: true},
					{Name: "context_hints", After: resource.List([]string{"people who run"}), Applied: true}}},
			{Address: "ad/spring/runners/hero", Action: plan.Create, Outcome: state.OutcomeFailed, Name: "Hero",
				Code: "ADS2003", Message: "the service says: title is too long: 70 characters; at most 50",
				Do: "Mend it in your own file and apply again.", Position: at("Ads", 9, 1), Cell: at("Ads", 9, 5),
				Fields: []Field{{Name: "title",
					After: resource.Text("Shoes that go everywhere you go and also to where you do not go at all")}}},
			{Address: "campaign/spring", Action: plan.Update, Outcome: state.OutcomeSkipped,
				Name: "Spring", ID: "cmpn_7", Code: "ADS2004", Message: "stays paused: " +
					"ad/spring/runners/hero beneath it is not confirmed",
				Do:       "See to what it waits for, and apply again.",
				Position: at("Campaigns", 3, 1), Cell: at("Campaigns", 3, 1), Spend: day(0, 50)},
			{Address: "campaign/sale", Action: plan.Update, Outcome: state.OutcomeUnknown, Name: "Sale",
				ID: "cmpn_8", Code: "ADS2005", Message: "the connection broke before the service answered",
				Do:       "Apply again: it asks the service first, and makes nothing twice.",
				Position: at("Campaigns", 4, 1), Cell: at("Campaigns", 4, 4), Spend: day(30, 80)},
			{Address: "campaign/dark", Action: plan.Update,
				Outcome: Held, Name: "Dark", ID: "cmpn_2", Code: "raises-spend",
				Message:  "budget.daily is ×6 of what it was; allow it with --allow raises-spend=campaign/dark=200",
				Position: at("Campaigns", 5, 1), Cell: at("Campaigns", 5, 4), Spend: day(0, 0),
				Fields: []Field{{Name: "budget.daily",
					Before: resource.Number(30_000_000), After: resource.Number(200_000_000)}}},
		}}
	d.Settle()
	return d
}

// killed is a run that never said what became of it, before anybody looked.
func killed() *Document {
	d := partial()
	d.Ended, d.Exit, d.Finished, d.Next = Killed, nil, time.Time{}, ""
	d.Verified, d.Touched, d.Problems = 0, 0, nil
	for i := range d.Outcomes {
		if o := &d.Outcomes[i]; o.Outcome != Held {
			o.Outcome, o.Code, o.Message, o.Do, o.Verified = state.OutcomeUnknown,
				"", "the run has not said what became of it", "", false
			for k := range o.Fields {
				o.Fields[k].Applied = false
			}
		}
	}
	d.Settle()
	return d
}

// recovered is the same run after another has found out.
func recovered() *Document {
	d := partial()
	d.Ended, d.Exit, d.Finished, d.Next = Killed, nil, time.Time{}, ""
	d.Recovered = &Recovered{
		At: evening.Add(time.Hour), Finished: 2, Abandoned: 1, Undecided: []string{"run-000042/create/3: no answer"},
	}
	return d
}

// failed is a run that never began.
func failed() *Document {
	code := 3
	d := &Document{FormatVersion: FormatVersion, InputHash: "1111", Outcomes: []Outcome{}, Next: "adsync validate",
		Head: Head{
			Command: Apply, Ended: Finished, Exit: &code, Error: "1 error; nothing was changed", By: "ann@desk",
		},
		Problems: []diag.Problem{{Severity: diag.Error, Code: diag.BadURL,
			Position: at("Ads", 4, 6), Message: "target_url is \"x\"; want an address", Hint: "write https://"}}}
	d.Settle()
	return d
}

// hostile is a run in which everything others write attacks whoever shows it.
func hostile(text string) *Document {
	d := partial()
	d.Run, d.By, d.Error, d.Next, d.Account.ID, d.Account.Currency, d.PlanHash = text,
		text, text, text, text, text, text
	d.Revision.Commit = text
	for i := range d.Outcomes {
		o := &d.Outcomes[i]
		o.Address, o.Action, o.Name, o.ID, o.Code, o.Message = "campaign/"+text,
			plan.Action(text), text, text, text, text
		o.Position = diag.Cell(text, text, 1, 1)
		o.Cell = o.Position
		o.Fields = []Field{{Name: text, Before: resource.Text(text), After: resource.Text(text)}}
	}
	d.Problems[0].Message, d.Problems[0].Hint = text, text
	at := d.Problems[0].Position
	d.Problems[0].Position = diag.Cell(text, at.Sheet(), at.Line(), at.Column())
	d.Recovered = &Recovered{Undecided: []string{text}}
	return d
}

func written(t testing.TB, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
