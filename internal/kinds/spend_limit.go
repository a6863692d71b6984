package kinds

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
)

// The two kinds of spend limit share a sheet; its column Kind tells them apart.
const spendLimits = "Spend limits"

// spendLimitWindow is an amount for a range of days (interface, part 4, ad
// account; service facts, 9.3). It holds for the whole account.
func spendLimitWindow() *resource.Schema {
	return &resource.Schema{
		Kind: SpendLimitWindow, Title: "Spend limit window", Sheet: spendLimits, SheetWord: "date range",
		NameFrom: []string{"name", "start"}, Removal: Archived, Unrouted: true,
		Attributes: []resource.Attribute{
			limitAmount("Most the whole account may spend in these days, in its currency.", "lifetime"),
			firstDay("First day of the range."),
			lastDay("Last day that is still inside.", true),
			{
				Name: "name", Header: "Name", Help: "Your own name for the range, at most 256 characters. Blank: left as it is; [clear] removes it.", Example: "December",
				Type: resource.TypeText, Max: 256, Clearable: true,
			},
			{
				Name: "io_id", Help: "Id of the insertion order the range belongs to.",
				Type: resource.TypeID, Max: 256, Clearable: true,
			},
			removal("A range that has ended stays."),
		},
		Rules: []resource.Rule{
			{Name: "an end is not before its start", Check: endAfterStart},
			{Name: "service facts, 9.3: limits hold for whole days", Check: wholeDays},
		},
	}
}

// dailySpendLimit is an amount for every day (interface, part 4, spend limit
// rules 2 to 7). It holds for the whole account.
func dailySpendLimit() *resource.Schema {
	return &resource.Schema{
		Kind: DailySpendLimit, Title: "Daily spend limit", Sheet: spendLimits, SheetWord: "every day",
		NameFrom: []string{"start"}, Removal: Archived, Unrouted: true,
		Attributes: []resource.Attribute{
			limitAmount("Most the whole account may spend on each day, in its currency.", "day"),
			firstDay("First day the limit holds: tomorrow or later."),
			lastDay("Last day the limit holds. Blank: left as it is; [clear] means no end.", false),
			removal("Days that have passed keep their limit."),
		},
		Rules: []resource.Rule{
			{Name: "an end is not before its start", Check: endAfterStart},
			{Name: "service facts, 9.3: limits hold for whole days", Check: wholeDays},
		},
	}
}

// mostMicros is the largest spend limit (service facts, 9.3).
const mostMicros = 1_000_000_000_000_000

func limitAmount(help, per string) resource.Attribute {
	return resource.Attribute{
		Name: "amount", Header: "Amount", Synonyms: []string{"Spend limit", "Limit"}, Help: help, Example: "5000.00",
		Type: resource.TypeMoney, Max: mostMicros, Required: true, OnCreate: true, Spend: resource.Amount, Per: per,
	}
}

func firstDay(help string) resource.Attribute {
	return resource.Attribute{
		Name: "start", Header: "First day", Synonyms: []string{"Start date", "Start"}, Help: help + " YYYY-MM-DD, in the account's time zone.", Example: "2026-12-01",
		Type: resource.TypeDay, Required: true, OnCreate: true,
	}
}

func lastDay(help string, required bool) resource.Attribute {
	return resource.Attribute{
		Name: "end", Header: "Last day", Synonyms: []string{"End date", "End"}, Help: help + " YYYY-MM-DD, in the account's time zone.", Example: "2026-12-31",
		Type: resource.TypeLast, Required: required, OnCreate: required, Clearable: !required,
	}
}

// wholeDays refuses a moment within a day: a spend limit starts and ends at
// midnight in the account's time zone.
func wholeDays(value func(string) resource.Value) *resource.Finding {
	for _, name := range []string{"start", "end"} {
		if v := value(name); v.IsSet() && len(v.Text()) > len("2026-12-01") {
			return &resource.Finding{Code: diag.BadDate, Attribute: name, Message: name + " is " + v.Text() + "; want a day such as 2026-12-01"}
		}
	}
	return nil
}
