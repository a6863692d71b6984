package config

import "adsync/internal/policy"

// Rule says what a key of adsync.yaml may do to what guards an account.
type Rule string

// The rules.
const (
	tightens Rule = "tightens" // looser than the operator's, or than the default, is a problem at its line
	// as tightens; where the operator says nothing it bounds and lets nothing happen
	bounds   Rule = "bounds, never lets"
	operates Rule = "the operator alone" // another value than the operator's, or than the default, is a problem
	adds     Rule = "adds"               // holds beside the operator's, and takes nothing from it
	checked  Rule = "checked"            // held against the service: a wrong one stops before anything is read
	yields   Rule = "yields"             // counts where the operator says nothing
	noGuard  Rule = "no guard"           // no guard rests on it
)

// Key is a key of adsync.yaml, and who may loosen what it guards.
type Key struct {
	Name    string
	Rule    Rule
	Default string // "" for none, and of a limit, which the policy knows
	Why     string // what keeps it from loosening anything
}

// ProjectKeys returns every key of adsync.yaml. What stands beneath one of them
// goes by the same rule.
func ProjectKeys() []Key {
	keys := []Key{
		{"account.id", checked, "", "compared with the account " +
			"of the key; without it, where the operator's file has sections for accounts, nothing is planned"},
		{"account.currency", checked, "", "compared with the account of the key"},
		{"account.timezone", checked,
			"", "compared with the account of the key; without it allowances end with the earliest time zone"},
		{"account.limits", noGuard, "5,000 each",
			"says how many the service takes; it refuses what is beyond, and money has guards of its own"},
		{"sources", noGuard, "every YAML file, workbook and CSV file",
			"a file that is not read is absent from the files: prune and its limits decide, keep by default"},
		{"service", yields, "", "the emulator runs only " +
			"where neither ADSYNC_BASE_URL nor the operator's file names an address; the key is never sent to it"},
		{"state", operates, UsualState,
			"another record has forgotten what was raised within the day, what is suspended and what was sent"},
		{"domains", adds, "anywhere", "can only refuse landing pages"},
		{"moved", noGuard, "", "what was raised within a day, and what protects, goes along with the key"},
		{"ignore", noGuard, "", "the same as leaving " +
			"the attribute out of the files: nothing of it is sent, and money counts what is live"},
		{"own_columns", noGuard, "none", "the same as leaving those columns " +
			"out of the files: nothing of them is sent, and every report names them and counts their values"},
		{"sheets", noGuard, "sheets of the names adsync knows",
			"the same as giving a sheet that name in the workbook: more is read, under the same guards"},
		{"policy.freeze", adds, "none", "windows of both files hold, and a deny beats every allowance"},
		{"policy.saved_plan_minutes", tightens, "30", ""},
		{"policy.allow", operates, "none", "no allowance stands in a watched file"},
	}
	for _, c := range policy.Choices() {
		keys = append(keys, Key{c.Name, tightens, c.Default, ""})
	}
	for _, s := range policy.Settings() {
		rule := tightens
		if s.Enables {
			rule = bounds
		}
		keys = append(keys, Key{"policy." + s.Name, rule, "", ""})
	}
	return keys
}
