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
		NameFrom: []string{"name", "start"}, Removal: Archived, Ends: "end", Caps: true, Feature: postpaid,
		Most: mostWindows, Ahead: "start",
		Collection: limitsPath,
		Listing:    resource.Listing{Path: limitsPath, Array: "data", ID: "window_id", NoRead: true},
		Calls:      resource.Calls{Keyless: true},
		Facts:      []resource.Fact{limitState()},
		Attributes: []resource.Attribute{
			limitAmount("Most the whole account may spend in these days, in its currency.", "lifetime"),
			firstDay("First day of the range: today or later.", resource.Today),
			lastDay("Last day that is still inside.", true),
			{
				Name: "name", Wire: resource.Wire{Path: "name"}, Header: "Name", Help: "Your own name for the " +
					"range, at most 256 characters. Blank: left as it is; [clear] removes it.", Example: "December",
				Type: resource.TypeText, Max: 256, Clearable: true,
			},
			{
				Name: "io_id", Wire: resource.Wire{Path: "io_id"},
				Help: "Id of the insertion order the range belongs to.",
				Type: resource.TypeID, Max: 256, Clearable: true,
			},
			removal("A range that has ended stays.", resource.Call{
				Path: limitsPath + "/{id}/delete", NoBody: true, Deletes: true,
			}),
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
		NameFrom: []string{"start"}, Removal: Archived, Ends: "end", Caps: true, Feature: postpaid,
		Collection: dailyPath,
		Listing: resource.Listing{
			Path: limitsPath, Array: "daily_limits", ID: "window_id", Revision: "revision", NoRead: true,
		},
		Calls: resource.Calls{Create: dailyCall(dailyPath), Update: dailyCall(dailyPath, "amount"), Keyless: true},
		Facts: []resource.Fact{limitState()},
		Attributes: []resource.Attribute{
			limitAmount("Most the whole account may spend on each day, in its currency.", "day"),
			fixedDay(firstDay("First day the limit holds: tomorrow or later. Cannot change later.", resource.Tomorrow)),
			lastDay("Last day the limit holds. Blank: left as it is; [clear] means no end.", false),
			removal("Days that have passed keep their limit.", deletes(dailyCall(dailyPath+"/delete"))),
		},
		Rules: []resource.Rule{
			{Name: "an end is not before its start", Check: endAfterStart},
			{Name: "service facts, 9.3: limits hold for whole days", Check: wholeDays},
		},
	}
}

// Where limits are read and written (interface, part 4, ad account).
const (
	limitsPath = "ad_account/spend_limit_windows"
	dailyPath  = "ad_account/daily_spend_limit"
)

// postpaid is what spend limits need (interface, part 4, spend limit rule 1).
const postpaid = "postpaid invoice billing"

// dailyCall is a write of the daily rules. It always names the rule, null for a
// new one (rule 2), and the revision it starts from (rule 8).
func dailyCall(path string, always ...string) resource.Call {
	return resource.Call{Path: path, ID: "window_id", Revision: "expected_revision", Always: always}
}

func deletes(call resource.Call) resource.Call {
	call.Deletes = true
	return call
}

func limitState() resource.Fact {
	return resource.Fact{
		Name: "state", Header: "State", Path: "status", Help: "upcoming, active or completed when this was exported.",
	}
}

// What a spend limit may be, and how many windows may lie in the future (service facts, 9.3).
const (
	mostMicros  = 1_000_000_000_000_000
	mostWindows = 60
)

func limitAmount(help, per string) resource.Attribute {
	return resource.Attribute{
		Name: "amount", Header: "Amount", Help: help, Example: "5000.00",
		Type: resource.TypeMoney, Max: mostMicros, Required: true, OnCreate: true, Spend: resource.Amount, Per: per,
		WholeCoins: true, Wire: resource.Wire{Path: "amount_micros"},
	}
}

func firstDay(help, earliest string) resource.Attribute {
	return resource.Attribute{
		Name: "start", Header: "First day", Help: help + " YYYY-MM-DD, in the account's time zone.",
		Example: "2026-12-01",
		Type:    resource.TypeDay, Required: true, OnCreate: true, Spend: resource.Cover, Earliest: earliest,
		Wire: resource.Wire{Path: "start_date"},
	}
}

func fixedDay(a resource.Attribute) resource.Attribute {
	a.Immutable = true
	return a
}

func lastDay(help string, required bool) resource.Attribute {
	return resource.Attribute{
		Name: "end", Header: "Last day", Help: help + " YYYY-MM-DD, in the account's time zone.", Example: "2026-12-31",
		Type: resource.TypeLast, Required: required,
		OnCreate: required, Clearable: !required, Spend: resource.Cover, Earliest: resource.Today,
		Wire: resource.Wire{Path: "end_date", Codec: resource.DayAfter},
	}
}

// wholeDays refuses a moment within a day: a spend limit starts and ends at
// midnight in the account's time zone.
func wholeDays(value func(string) resource.Value) *resource.Finding {
	for _, name := range []string{"start", "end"} {
		if v := value(name); v.IsSet() && len(v.Text()) > len("2026-12-01") {
			return &resource.Finding{
				Code: diag.BadDate, Attribute: name,
				Message: name + " is " + v.Text() + "; want a day such as 2026-12-01",
			}
		}
	}
	return nil
}
