package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/eyes"
	"adsync/internal/kinds"
	"adsync/internal/policy"
	"adsync/internal/testing/golden"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/state"

	gocmp "github.com/google/go-cmp/cmp"
)

// ruled is what holds under an adsync.yaml and an operator's file.
type ruled struct {
	Governed
	project  config.Project
	problems string
	service  SpokenTo
}

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func rule(t *testing.T, project, operator string) ruled {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "p")
	noError(t, os.Mkdir(dir, 0o700))
	noError(t, os.WriteFile(filepath.Join(dir, "adsync.yaml"), []byte(project+"\n"), 0o600))
	env := &Env{Console: console.Console{Getenv: func(string) string { return "" }}}
	if operator != "" {
		env.Flags.Operator = filepath.Join(top, "op.yaml")
		noError(t, os.WriteFile(env.Flags.Operator, []byte(operator+"\n"), 0o600))
	}
	p, problems := ReadProject(env, dir)
	r := ruled{Governed: Govern(env, p, kinds.All(), noon), project: p}
	for _, problem := range OnceEach(problems, r.Governed.Problems) {
		if problem.Severity == diag.Error {
			r.problems += problem.String() + "\n"
		}
	}
	r.service, _ = Service(env, p)
	return r
}

// attempt is a way to loosen what a key guards.
type attempt struct {
	project, operator string
	refused           string // of the problem; "" where the key is taken and loosens nothing
	holds             func(r ruled) bool
}

const declared = "account: {id: adacct_1, currency: EUR, timezone: Europe/Paris}\n"

// asWithout holds a policy to that of a file without the key.
func asWithout(r ruled) bool { return gocmp.Equal(r.Policy, plan.DefaultPolicy()) }

func wrongAccount(r ruled) bool {
	a := r.project.Account
	return reconcile.SameAccount(adsapi.Account{ID: "adacct_1", Currency: "EUR", TimeZone: "Europe/Paris"},
		state.Account{ID: a.ID, Currency: a.Currency, TimeZone: a.TimeZone}) != nil
}

var attempts = map[string][]attempt{
	"account.id": {
		{project: "account: {id: adacct_2}", holds: wrongAccount},
		{project: "account: {currency: EUR}", operator: "accounts: {adacct_1: {policy: {max_bid: 1}}}",
			refused: "no account is named"},
	},
	"account.currency": {{project: "account: {currency: JPY}", holds: wrongAccount}},
	"account.timezone": {
		{project: "account: {timezone: Pacific/Pago_Pago}", holds: wrongAccount},
		{project: "account: {currency: EUR}", operator: "allow: [{allow: activates, " +
			"until: 2026-12-01, owner: Ann, reason: sale}]", holds: func(r ruled) bool { return len(r.Standing) == 0 }},
		{project: declared, operator: "allow: [{allow: activates, until: 2026-12-01, owner: Ann, reason: sale}]",
			holds: func(r ruled) bool { return len(r.Standing) == 1 }},
	},
	"account.limits": {{project: "account: {limits: {campaign: 999999}}", holds: asWithout}},
	"sources":        {{project: "sources: [none/*.yaml]", holds: asWithout}},
	"service": {
		{project: "service: emulator", operator: "base_url: https://ads.example/v1", holds: func(r ruled) bool {
			return r.service.base == "https://ads.example/v1" && !r.service.Emulated
		}},
		{project: "service: https://evil.example/v1", refused: "service names an address"},
	},
	"state": {
		{project: "state: fresh", refused: `state is "fresh", and the operator's file names no state; want .adsync`},
		{project: "state: fresh", operator: "state: var/state",
			refused: `state is "fresh", and the operator's file says "var/state"`},
		{project: "state: var/state", operator: "state: var/state", holds: func(r ruled) bool {
			return r.project.State == "var/state"
		}},
		{project: declared, operator: "accounts: {adacct_1: {state: var/state}}", holds: func(r ruled) bool {
			return r.project.State == "var/state"
		}},
	},
	"domains":     {{project: "domains: [shop.example]", holds: asWithout}},
	"own_columns": {{project: "own_columns: [Last day]", holds: asWithout}},
	"sheets":      {{project: "sheets: {ads: [Ads Q1]}", holds: asWithout}},
	"moved":       {{project: "moved: [{from: campaign/a, to: campaign/b}]", holds: asWithout}},
	"ignore": {{project: "ignore: [{resource: " +
		"campaign/*, attribute: budget.daily, owner: x, reason: y, until: 2026-12-31}]", holds: asWithout}},
	"policy.freeze": {{
		project:  "policy: {freeze: [{name: always, cron: \"0 0 1 1 *\", for: 1h, timezone: UTC}]}",
		operator: "policy: {freeze: [{name: always, cron: \"0 0 * * *\", for: 24h, timezone: UTC}]}",
		holds:    func(r ruled) bool { return len(r.Policy.Frozen) == 1 },
	}},
	"policy.saved_plan_minutes": {
		{project: "policy: {saved_plan_minutes: 20}", operator: "policy: {saved_plan_minutes: 10}",
			refused: "policy.saved_plan_minutes is 20, looser than 10 (op.yaml:1)"},
		{project: "policy: {saved_plan_minutes: 31}", refused: "want 1 to 30"},
	},
	"policy.allow": {{project: "policy: {allow: [activates]}", refused: "policy.allow stands in a watched file"}},
	"policy.drift": {
		{project: "policy: {drift: revert}", refused: "policy.drift is revert, looser than report (default)"},
		{project: "policy: {drift: {budget.daily: revert}}",
			refused: "policy.drift.budget.daily is revert, looser than report (default)"},
		{project: "policy: {drift: revert}", operator: "policy: {drift: {budget.daily: revert}}",
			refused: "policy.drift is revert"},
	},
	"policy.approvals": {
		{project: "policy: {approvals: anybody}", operator: "policy: {approvals: not-author}",
			refused: "policy.approvals is anybody, looser than not-author"},
		{project: "policy: {approvals: {raises: anybody}}", operator: "policy: {approvals: {raises: not-author}}",
			refused: "policy.approvals.raises is anybody, looser than not-author"},
		{project: "policy: {approvals: {riases: not-author}}", refused: `policy.approvals names "riases"`},
		{project: "policy: {approvals: {archives: not-author}}", operator: "policy: {approvals: {raises: not-author}}",
			holds: func(r ruled) bool {
				return slices.Equal(r.Policy.NotAuthor, slices.Concat(eyes.Of("raises"), eyes.Of("archives")))
			}},
		{project: "policy: {approvals: anybody}", holds: asWithout},
	},
	"policy.prune": {
		{project: "policy: {prune: pause}", refused: "policy.prune is pause, looser than keep (default)"},
		{project: "policy: {prune: archive}", operator: "policy: {prune: pause}",
			refused: "policy.prune is archive, looser than pause (op.yaml:1)"},
		{project: "policy: {prune: {ad: archive}}", operator: "policy: {prune: {ad: pause, default: archive}}",
			refused: "policy.prune.ad is archive, looser than pause (op.yaml:1)"},
		{project: "policy: {prune: archive}", operator: "policy: {prune: {ad: pause, default: archive}}",
			holds: func(r ruled) bool { return r.Policy.PruneOf["ad"] == plan.PrunePause }},
		{project: "policy: {prune: keep}", operator: "policy: {prune: {ad: archive}}", holds: func(r ruled) bool {
			return r.Policy.PruneOf["ad"] == plan.PruneKeep
		}},
	},
	"policy.invalid": {
		{project: "policy: {invalid: hold}", operator: "policy: {invalid: stop}",
			refused: "policy.invalid is hold, looser than stop (op.yaml:1)"},
		{project: "policy: {invalid: stop}", holds: func(r ruled) bool { return r.Stops }},
	},
	"publish": {{project: "publish: when-saved", operator: "publish: when-ready",
		refused: "publish is when-saved, looser than when-ready (op.yaml:1)"}},
	"bulk.repeat_parent": {{project: "bulk: {repeat_parent: auto}", operator: "bulk: {repeat_parent: never}",
		refused: "bulk.repeat_parent is auto, looser than never (op.yaml:1)"}},
	"bulk.rehearse": {
		{project: "bulk: {rehearse: never}", refused: "bulk.rehearse is never, looser than auto (default)"},
		{project: "bulk: {rehearse: auto}", operator: "bulk: {rehearse: always}",
			refused: "bulk.rehearse is auto, looser than always (op.yaml:1)"},
	},
	"policy.max_daily_exposure": {{project: "policy: {max_daily_exposure: 999999}", holds: func(r ruled) bool {
		return r.Policy.CeilingWatched && r.Policy.MaxDailyExposure == 999999e6
	}}},
}

// What a limit is tight at, and looser.
var tightAndLoose = map[policy.Form][2]string{
	policy.Amount: {"5", "999999"}, policy.Factor: {"1.1", "99"},
	policy.Percent: {"1", "100000"}, policy.Count: {"1", "999999"},
}

// limitAttempt is to loosen a limit of the operator's.
func limitAttempt(s policy.Setting) attempt {
	within := func(value string) string {
		group, name, grouped := strings.Cut(s.Name, ".")
		if !grouped {
			return fmt.Sprintf("policy: {%s: %s}", s.Name, value)
		}
		return fmt.Sprintf("policy: {%s: {%s: %s}}", group, name, value)
	}
	form := tightAndLoose[s.Form]
	return attempt{project: within(form[1]), operator: within(form[0]), refused: "policy." + s.Name + " is "}
}

// TestNoKeyOfTheProjectFileLoosens tries to loosen what each key guards (faults
// X10 and X11).
func TestNoKeyOfTheProjectFileLoosens(t *testing.T) {
	for _, s := range policy.Settings() {
		name := "policy." + s.Name
		attempts[name] = append(attempts[name], limitAttempt(s))
	}
	for _, key := range config.ProjectKeys() {
		if len(attempts[key.Name]) == 0 {
			t.Errorf("nothing tries to loosen %s; want an attempt", key.Name)
		}
		for _, try := range attempts[key.Name] {
			t.Run(key.Name, func(t *testing.T) {
				r := rule(t, try.project, try.operator)
				switch {
				case try.refused == "" && (r.problems != "" || !try.holds(r)):
					t.Errorf("%s under %q has the problems %q and the policy %+v; want it to loosen nothing",
						try.project, try.operator, r.problems, r.Policy)
				case try.refused != "" && !strings.Contains(r.problems, try.refused):
					t.Errorf("%s under %q has the problems %q; want %q",
						try.project, try.operator, r.problems, try.refused)
				}
			})
		}
	}
}

// TestEveryKeyOfTheProjectFileHasARule holds the table to the published schema and
// to what the reader itself says it knows: a new key cannot be added without
// saying who may loosen it.
func TestEveryKeyOfTheProjectFileHasARule(t *testing.T) {
	content, err := os.ReadFile("../../../../docs/use/schema/project.json")
	noError(t, err)
	var schema map[string]any
	noError(t, json.Unmarshal(content, &schema))
	table := map[string]bool{}
	for _, key := range config.ProjectKeys() {
		if table[key.Name] {
			t.Errorf("%s is in the table twice", key.Name)
		}
		table[key.Name] = true
	}
	known := append(leaves(schema, ""), readerKeys(t)...)
	for _, name := range known {
		if !table[name] && !slices.ContainsFunc(parents(name), func(above string) bool { return table[above] }) {
			t.Errorf("%s is a key of adsync.yaml, and no rule says who may loosen it; want it in sources.ProjectKeys",
				name)
		}
	}
	for name := range table {
		if !slices.ContainsFunc(known, func(key string) bool {
			return key == name || strings.HasPrefix(key, name+".")
		}) {
			t.Errorf("%s is in the table, and no key of adsync.yaml", name)
		}
	}
}

func leaves(schema map[string]any, name string) (all []string) {
	properties, _ := schema["properties"].(map[string]any)
	if len(properties) == 0 {
		return []string{name}
	}
	for key, value := range properties {
		all = append(all, leaves(value.(map[string]any), strings.TrimPrefix(name+"."+key, "."))...)
	}
	return all
}

func parents(name string) (all []string) {
	for i, c := range name {
		if c == '.' {
			all = append(all, name[:i])
		}
	}
	return all
}

// readerKeys are those the reader names where it meets an unknown one.
func readerKeys(t *testing.T) (all []string) {
	wanted := regexp.MustCompile(`has "zzz"; want ([a-z_, ]+)`)
	for _, above := range []string{"", "account", "bulk", "policy", "policy.budget",
		"policy.bid", "policy.archives", "policy.updates", "policy.exposure", "policy.people", "policy.shrink"} {
		text := "zzz: 1"
		for _, part := range slices.Backward(strings.Split(above, ".")) {
			if part != "" {
				text = part + ": {" + text + "}"
			}
		}
		found := wanted.FindStringSubmatch(rule(t, text, "").problems)
		if found == nil {
			t.Fatalf("%s says nothing of an unknown key", text)
		}
		for _, key := range strings.Split(strings.TrimSpace(found[1]), ", ") {
			if name := strings.TrimPrefix(above+"."+key, "."); name != "account" &&
				name != "bulk" && name != "policy" && !groups[name] {
				all = append(all, name)
			}
		}
	}
	return all
}

var groups = map[string]bool{
	"policy.budget": true, "policy.bid": true, "policy.archives": true,
	"policy.updates": true, "policy.exposure": true, "policy.people": true, "policy.shrink": true,
}

// TestTheListOfProjectKeysIsInStep holds docs/use/project.md to the table.
func TestTheListOfProjectKeysIsInStep(t *testing.T) {
	usual := plan.DefaultPolicy()
	want := "| key | without it | rule | why it loosens nothing |\n|---|---|---|---|\n"
	keys := config.ProjectKeys()
	slices.SortStableFunc(keys, func(a, b config.Key) int { return strings.Compare(a.Name, b.Name) })
	for _, key := range keys {
		for _, s := range policy.Settings() {
			if key.Name == "policy."+s.Name {
				key.Default, key.Why = s.Format(*limitOf[s.Name](&usual)), s.Help
			}
		}
		for _, c := range policy.Choices() {
			if key.Name == c.Name {
				key.Why = "from the tightest: " + strings.Join(c.Values, ", ")
			}
		}
		want += fmt.Sprintf("| `%s` | %s | %s | %s |\n", key.Name, key.Default, key.Rule, key.Why)
	}
	golden.Part(t, "../../../../docs/use/project.md", "keys", want)
}
