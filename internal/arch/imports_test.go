package arch

import (
	"slices"
	"strings"
	"testing"
)

// may is the import map: what the code of a package may import of this program.
// Imports point inward only; sources, plan, state and adsapi never meet.
// The emulator is not in it: it shares nothing with the agent.
var may = map[string][]string{
	"cmd/adsync": {"cmd/adsync/internal/access", "cmd/adsync/internal/console",
		"cmd/adsync/internal/daemoncmd", "cmd/adsync/internal/events", "cmd/adsync/internal/files",
		"cmd/adsync/internal/hooks", "cmd/adsync/internal/jobs", "cmd/adsync/internal/logins",
		"cmd/adsync/internal/ops",
		"cmd/adsync/internal/people",
		"cmd/adsync/internal/planning", "cmd/adsync/internal/reports", "cmd/adsync/internal/session",
		"cmd/adsync/internal/states",
		"internal/emulator"},
	"cmd/adsync/internal/planning": {"cmd/adsync/internal/console", "cmd/adsync/internal/runs",
		"cmd/adsync/internal/session", "internal/diag", "internal/gitstore", "internal/orders",
		"internal/planview", "internal/resource", "internal/runview", "plan", "reconcile", "sources", "sources/tidy",
		"state"},
	"cmd/adsync/internal/files": {"cmd/adsync/internal/access", "cmd/adsync/internal/console",
		"cmd/adsync/internal/jobs", "cmd/adsync/internal/people", "cmd/adsync/internal/planning",
		"cmd/adsync/internal/ops",
		"cmd/adsync/internal/runs", "cmd/adsync/internal/session", "internal/adsapi", "internal/conversions",
		"internal/diag", "internal/trail",
		"internal/insights", "internal/jsonschema", "internal/kinds",
		"internal/planview", "internal/report", "internal/resource", "internal/resultcopy", "internal/review",
		"internal/runview", "internal/watch", "internal/yamlfmt", "reconcile", "sources", "sources/attach",
		"sources/config", "sources/diff",
		"sources/marked", "sources/schema", "sources/tidy", "sources/tree", "sources/workbook", "state"},
	"cmd/adsync/internal/ops": {"cmd/adsync/internal/console", "cmd/adsync/internal/runs",
		"cmd/adsync/internal/session", "internal/adsapi", "internal/cards", "internal/daemon", "internal/diag",
		"internal/fetch",
		"internal/gitstore", "internal/insights", "internal/kinds", "internal/orders", "internal/planview",
		"internal/public", "internal/resource", "internal/review", "internal/runview", "internal/synonyms",
		"internal/trail", "plan", "reconcile", "sources", "sources/commits", "sources/config",
		"state", "state/kv", "state/place"},
	"cmd/adsync/internal/reports": {"cmd/adsync/internal/console", "cmd/adsync/internal/runs",
		"cmd/adsync/internal/session", "internal/cards", "internal/daemon", "internal/diag", "internal/figures",
		"internal/insights", "internal/notify", "internal/planview", "internal/report", "internal/report/schedule",
		"internal/resource", "internal/runview", "reconcile", "sources/config", "state", "state/kv"},
	"cmd/adsync/internal/replica": {"internal/daemon", "internal/figures", "internal/orders", "internal/planview",
		"internal/runview",
		"state", "state/kv"},
	"cmd/adsync/internal/pulls": {"cmd/adsync/internal/console", "cmd/adsync/internal/planning",
		"cmd/adsync/internal/runs", "cmd/adsync/internal/session", "internal/daemon", "internal/diag",
		"internal/codeowners", "internal/eyes",
		"internal/forge", "internal/gitstore", "internal/planview", "internal/resource",
		"internal/runview", "plan", "plan/drafting", "reconcile", "sources/commits", "sources/config",
		"sources/marked", "state", "state/kv"},
	"cmd/adsync/internal/authors": {"internal/diag", "internal/eyes", "internal/resource", "plan", "sources",
		"sources/config", "state/kv"},
	"cmd/adsync/internal/edits": {"cmd/adsync/internal/authors", "cmd/adsync/internal/console",
		"cmd/adsync/internal/planning",
		"cmd/adsync/internal/pulls", "cmd/adsync/internal/runs", "cmd/adsync/internal/session", "internal/daemon",
		"internal/diag", "internal/orders", "internal/planview", "internal/resource", "internal/runview",
		"internal/words/catalogue", "plan", "reconcile", "sources", "sources/tidy", "state"},
	"cmd/adsync/internal/merging": {"internal/daemon", "internal/diag", "internal/downloads", "internal/resource",
		"internal/words/catalogue", "plan", "sources/config", "sources/diff", "state/kv"},
	"cmd/adsync/internal/pauses": {"cmd/adsync/internal/console", "cmd/adsync/internal/runs",
		"cmd/adsync/internal/session", "internal/diag", "internal/kinds", "internal/orders", "internal/resource",
		"internal/runview", "plan", "reconcile", "sources/config", "state"},
	"cmd/adsync/internal/daemoncmd": {"cmd/adsync/internal/authors", "cmd/adsync/internal/console",
		"cmd/adsync/internal/edits",
		"cmd/adsync/internal/merging", "internal/downloads",
		"cmd/adsync/internal/planning",
		"cmd/adsync/internal/pauses", "cmd/adsync/internal/pulls", "cmd/adsync/internal/replica",
		"cmd/adsync/internal/reports", "cmd/adsync/internal/runs", "cmd/adsync/internal/session",
		"internal/adsapi", "internal/daemon",
		"cmd/adsync/internal/logins", "internal/daemon/roles", "internal/daemon/sessions",
		"internal/daemon/web", "internal/daemon/web/metrics", "internal/diag", "internal/comments",
		"internal/direct", "internal/errands",
		"internal/eyes",
		"internal/figures", "internal/figures/overspend",
		"internal/gitstore", "internal/insights", "internal/kinds", "internal/notify", "internal/report/schedule",
		"internal/icons", "internal/orders", "internal/outside", "internal/planview", "internal/public",
		"internal/resource", "internal/resultcopy",
		"internal/review", "internal/runview", "internal/secret", "internal/trail", "internal/watch",
		"internal/webhook", "internal/words", "internal/words/catalogue",
		"plan", "reconcile", "sources", "sources/attach",
		"sources/bounded", "sources/commits",
		"sources/config", "sources/marked", "sources/tidy", "sources/tree", "state", "state/kv", "state/place"},
	"cmd/adsync/internal/access": {"cmd/adsync/internal/console", "cmd/adsync/internal/session",
		"cmd/adsync/internal/verbs", "internal/adsapi", "internal/diag", "internal/direct", "internal/login",
		"internal/newkey",
		"sources/config"},
	"cmd/adsync/internal/events": {"cmd/adsync/internal/console", "cmd/adsync/internal/session",
		"cmd/adsync/internal/verbs", "internal/adsapi", "internal/conversions", "internal/diag", "internal/direct",
		"internal/resource", "sources/config"},
	"cmd/adsync/internal/people": {"cmd/adsync/internal/console", "cmd/adsync/internal/session",
		"cmd/adsync/internal/verbs", "internal/adsapi", "internal/diag", "internal/direct",
		"internal/resource", "state"},
	"cmd/adsync/internal/logins": {"cmd/adsync/internal/console", "cmd/adsync/internal/session",
		"internal/daemon/openid", "internal/daemon/passkey", "internal/daemon/roles",
		"internal/secret", "sources/config"},
	"cmd/adsync/internal/jobs": {"cmd/adsync/internal/console", "cmd/adsync/internal/session", "internal/diag",
		"internal/errands", "sources/config"},
	"cmd/adsync/internal/hooks": {"cmd/adsync/internal/console", "cmd/adsync/internal/session", "internal/diag",
		"internal/resultcopy", "sources/bounded", "sources/commits", "sources/config", "sources/tree"},
	"cmd/adsync/internal/states": {"cmd/adsync/internal/console", "cmd/adsync/internal/session", "internal/adsapi",
		"internal/diag", "internal/kinds", "internal/orders", "internal/resource", "reconcile", "sources",
		"sources/config", "state", "state/branch", "state/kv"},
	"cmd/adsync/internal/verbs": {"cmd/adsync/internal/console", "cmd/adsync/internal/session", "internal/adsapi",
		"internal/diag", "internal/direct", "internal/newkey", "sources/config", "state"},
	"cmd/adsync/internal/runs": {"cmd/adsync/internal/console", "cmd/adsync/internal/session", "internal/adsapi",
		"internal/cards", "internal/daemon", "internal/diag", "internal/direct",
		"internal/gitstore", "internal/orders", "internal/planview",
		"internal/resource", "internal/resultcopy", "internal/review", "internal/runview", "internal/sarif",
		"internal/trail",
		"internal/words", "internal/words/catalogue", "plan", "plan/compare", "reconcile", "sources",
		"sources/approval",
		"sources/commits", "sources/config", "sources/marked", "sources/tidy", "sources/workbook", "state", "state/kv"},
	"cmd/adsync/internal/session": {"cmd/adsync/internal/console", "internal/adsapi", "internal/daemon",
		"internal/diag", "internal/eyes", "internal/direct",
		"internal/emulator", "internal/figures", "internal/gitstore",
		"internal/kinds", "internal/login",
		"internal/orders", "internal/planview", "internal/policy",
		"internal/ready", "internal/resource", "internal/review", "internal/runview",
		"internal/watch", "internal/words/catalogue", "plan", "reconcile", "sources", "sources/commits",
		"sources/config", "sources/marked",
		"sources/tree", "state", "state/branch", "state/kv", "state/place"},
	"cmd/adsync/internal/console": {"internal/adsapi", "internal/daemon", "internal/diag", "internal/planview",
		"internal/runview", "reconcile", "sources/tree", "state"},
	"reconcile": {"internal/review", "plan", "plan/compare", "state", "internal/adsapi", "internal/resource",
		"internal/diag", "reconcile/apply", "reconcile/env", "reconcile/live", "reconcile/recover", "reconcile/send",
		"reconcile/wire", "internal/words/catalogue"},
	"reconcile/apply": {"reconcile/env", "reconcile/live", "reconcile/people", "reconcile/send", "reconcile/wire",
		"internal/review", "plan", "plan/compare", "state", "internal/adsapi", "internal/kinds", "internal/resource",
		"internal/diag", "internal/words/catalogue"},
	"reconcile/recover": {"reconcile/env", "reconcile/live", "reconcile/people", "reconcile/send", "reconcile/wire",
		"plan", "state", "internal/adsapi", "internal/resource", "internal/diag"},
	"reconcile/send": {"reconcile/env", "reconcile/live", "reconcile/people", "reconcile/wire",
		"plan", "state", "internal/adsapi", "internal/resource", "internal/diag", "internal/words/catalogue"},
	"reconcile/people": {"reconcile/env", "reconcile/live", "reconcile/wire",
		"state", "internal/adsapi", "internal/resource", "internal/diag"},
	"reconcile/live": {"reconcile/env", "reconcile/wire",
		"internal/review", "plan", "state", "internal/adsapi", "internal/resource", "internal/diag",
		"internal/words/catalogue"},
	"reconcile/env":  {"reconcile/wire", "state", "internal/adsapi", "internal/resource", "internal/diag"},
	"reconcile/wire": {"plan", "state", "internal/adsapi", "internal/kinds", "internal/resource", "internal/diag"},
	"plan":           {"internal/resource", "internal/diag", "internal/words/catalogue"},
	// The rooms in which a plan is made, from the lowest up.
	"plan/drafting": {"plan", "internal/resource", "internal/diag", "internal/words/catalogue"},
	"plan/spend":    {"plan/drafting", "plan", "internal/resource", "internal/words/catalogue"},
	"plan/slips":    {"plan/drafting", "plan", "internal/resource", "internal/diag", "internal/words/catalogue"},
	"plan/guard": {"plan/drafting", "plan/spend", "plan", "internal/resource", "internal/diag",
		"internal/words/catalogue"},
	"plan/compare": {"plan/drafting", "plan/guard", "plan/slips", "plan/spend", "plan", "internal/resource",
		"internal/diag", "internal/words/catalogue"},
	// The rooms of sources, from the lowest up: each may import those above its row that it names.
	"sources/bounded":  {"internal/csvfile", "internal/diag", "internal/resource", "internal/secret", "internal/xlsx"},
	"sources/celltext": {"internal/diag", "internal/resource", "internal/xlsx"},
	"sources/look":     {"sources/bounded", "internal/resource", "internal/resultcopy", "internal/xlsx"},
	"sources/yamlnode": {"sources/bounded", "internal/diag", "internal/resource", "internal/yamlfmt"},
	"sources/config": {"sources/bounded", "sources/celltext", "sources/yamlnode", "internal/diag",
		"internal/policy", "internal/public", "internal/resource"},
	"sources/approval": {"sources/bounded", "sources/config", "internal/resource", "internal/xlsx"},
	"sources/draft":    {"sources/bounded", "sources/celltext", "sources/config", "internal/diag", "internal/resource"},
	"sources/attach": {"sources/bounded", "sources/celltext", "sources/config", "sources/draft", "internal/diag",
		"internal/members", "internal/resource", "internal/xlsx"},
	"sources/catalog": {"sources/celltext", "sources/config", "sources/draft", "internal/diag",
		"internal/resource", "internal/synonyms"},
	"sources/yamlfile": {"sources/bounded", "sources/celltext", "sources/draft", "sources/yamlnode",
		"internal/diag", "internal/resource", "internal/xlsx", "internal/yamlfmt"},
	"sources/schema": {"sources/catalog", "sources/config", "sources/draft", "sources/yamlfile",
		"internal/jsonschema", "internal/policy", "internal/resource"},
	"sources/table": {"sources/approval", "sources/attach", "sources/bounded", "sources/catalog",
		"sources/celltext", "sources/config", "sources/draft", "sources/yamlfile", "internal/csvfile",
		"internal/diag", "internal/resource", "internal/secret", "internal/synonyms", "internal/xlsx"},
	"sources/cellbook": {"sources/bounded", "sources/catalog", "sources/celltext", "sources/config",
		"sources/draft", "sources/table", "internal/csvfile", "internal/diag", "internal/pattern",
		"internal/resource", "internal/xlsx"},
	"sources/tree": {"sources/attach", "sources/bounded", "sources/config", "sources/draft", "sources/table",
		"sources/yamlfile", "internal/csvfile", "internal/diag", "internal/members", "internal/resource",
		"internal/resultcopy", "internal/secret", "internal/xlsx"},
	"sources": {"sources/attach", "sources/bounded", "sources/config", "sources/draft", "sources/table",
		"sources/tree", "sources/yamlfile", "internal/diag", "internal/members", "internal/public",
		"internal/resource"},
	"sources/commits": {"sources", "sources/attach", "sources/bounded", "sources/config", "internal/diag",
		"internal/resource", "internal/steady"},
	"sources/diff": {"sources/bounded", "sources/catalog", "sources/cellbook", "sources/celltext",
		"sources/config", "sources/draft", "sources/table", "sources/tree", "sources/yamlfile",
		"internal/csvfile", "internal/diag", "internal/resource", "internal/words/catalogue", "internal/xlsx",
		"internal/yamlfmt"},
	"sources/workbook": {"sources/attach", "sources/bounded", "sources/catalog", "sources/celltext",
		"sources/config", "sources/draft", "sources/look", "sources/table", "internal/csvfile", "internal/diag",
		"internal/resource", "internal/xlsx", "internal/yamlfmt"},
	"sources/marked": {"sources", "sources/approval", "sources/bounded", "sources/catalog", "sources/cellbook",
		"sources/celltext", "sources/config", "sources/draft", "sources/look", "sources/table", "sources/tree",
		"sources/workbook", "internal/csvfile", "internal/diag", "internal/resource", "internal/resultcopy",
		"internal/review", "internal/xlsx"},
	"sources/tidy": {"sources", "sources/bounded", "sources/catalog", "sources/celltext", "sources/config",
		"sources/draft", "sources/schema", "sources/table", "sources/tree", "sources/workbook", "sources/yamlfile",
		"sources/yamlnode", "internal/csvfile", "internal/diag", "internal/resource", "internal/xlsx",
		"internal/yamlfmt"},
	"state":                {"state/kv", "state/postgres", "internal/resource", "internal/diag"},
	"state/postgres":       {},
	"state/branch":         {"state", "internal/gitstore", "internal/resource"},
	"state/place":          {"state", "state/branch"},
	"internal/adsapi":      {"internal/secret", "internal/resource", "internal/diag"},
	"internal/newkey":      {"internal/secret"},
	"internal/login":       {"internal/secret"},
	"internal/direct":      {"internal/adsapi", "internal/diag", "state"},
	"internal/xlsx":        {"internal/resource", "internal/diag"},
	"internal/resultcopy":  {"internal/xlsx"},
	"internal/conversions": {"internal/csvfile", "internal/members", "internal/secret", "internal/xlsx"},
	"internal/csvfile":     {"internal/resource", "internal/diag"},
	"internal/figures":     {"internal/adsapi", "internal/insights", "state/kv"},
	"internal/figures/overspend": {"internal/figures", "internal/insights", "internal/resource", "state/kv",
		"internal/words/catalogue"},
	testOnly + "figurestest": {"internal/adsapi", "internal/figures", "state/kv"},
	"internal/insights":      {"internal/adsapi", "internal/csvfile", "internal/diag", "internal/words/catalogue"},
	"internal/report": {"internal/diag", "internal/figures", "internal/insights", "internal/planview",
		"internal/resource", "internal/review", "internal/runview", "internal/words", "plan", "state"},
	"internal/report/schedule": {"internal/figures", "internal/insights",
		"state/kv"},
	"internal/members":  {"internal/xlsx", "internal/csvfile"},
	"internal/policy":   {"internal/resource", "internal/diag"},
	"internal/synonyms": {"internal/resource"},
	"internal/kinds":    {"internal/resource", "internal/diag"},
	"internal/resource": {"internal/diag", "internal/words/catalogue"},
	"internal/planview": {"internal/cards", "internal/eyes",
		"internal/review", "plan", "internal/resource", "internal/diag",
		"internal/sentence", "internal/words", "internal/words/catalogue"},
	"internal/sentence": {"plan", "internal/resource", "internal/diag", "internal/words", "internal/words/catalogue"},
	"internal/sarif":    {"internal/diag"},
	"internal/words":    {"plan", "internal/resource", "internal/diag", "internal/words/catalogue"},
	// It knows nothing of what its texts are about.
	"internal/words/catalogue": {},
	"internal/runview": {"internal/review", "internal/words", "internal/words/catalogue",
		"plan", "state", "internal/planview", "internal/resource", "internal/diag"},
	"internal/errands":  {"state", "state/kv"},
	"internal/eyes":     {"plan", "state/kv"},
	"internal/comments": {"internal/diag", "internal/words/catalogue", "state/kv"},
	"internal/outside":  {"state/kv"},
	"internal/icons":    {"internal/cards", "internal/fetch", "internal/public", "state/kv"},
	"internal/daemon/web/talk": {"internal/comments", "internal/daemon/web/shown", "internal/planview",
		"internal/resource", "internal/sentence", "internal/words", "plan", "internal/words/catalogue"},
	"internal/daemon": {"internal/comments", "internal/eyes", "internal/figures", "internal/figures/overspend",
		"internal/icons", "internal/orders", "internal/outside", "internal/planview", "internal/runview",
		"internal/words/catalogue"},
	"internal/daemon/web/activity": {"internal/comments", "internal/outside", "internal/daemon/web/shown",
		"internal/daemon", "internal/figures", "internal/insights", "internal/planview",
		"internal/resource", "internal/runview", "internal/words", "plan", "internal/words/catalogue"},
	"internal/daemon/openid":   {"internal/secret", "internal/words/catalogue"},
	"internal/daemon/passkey":  {"internal/daemon/roles", "internal/words/catalogue"},
	"internal/daemon/roles":    {},
	"internal/daemon/sessions": {},
	"internal/daemon/web": {"internal/daemon/web/activity", "internal/daemon/web/ads", "internal/daemon/web/campaigns",
		"internal/daemon/web/chart", "internal/daemon/web/conflicts", "internal/daemon/web/conns",
		"internal/daemon/web/drafts", "internal/daemon/web/held", "internal/daemon/web/merges",
		"internal/daemon/web/talk", "internal/comments",
		"internal/icons", "internal/outside",
		"internal/daemon/web/loggedin", "internal/daemon/openid", "internal/daemon/passkey", "internal/daemon/roles",
		"internal/daemon/sessions", "internal/secret",
		"internal/daemon/web/metrics", "internal/daemon/web/overview", "internal/daemon/web/shown", "internal/cards",
		"internal/figures", "internal/figures/overspend", "internal/orders",
		"internal/eyes", "internal/review", "internal/words", "internal/words/catalogue", "internal/daemon",
		"internal/planview",
		"internal/runview", "internal/resource", "internal/diag"},
	"internal/daemon/web/ads": {"internal/daemon/web/campaigns", "internal/daemon/web/shown",
		"internal/cards", "internal/daemon", "internal/figures", "internal/insights", "internal/review",
		"internal/words/catalogue"},
	"internal/daemon/web/campaigns": {"internal/daemon/web/chart", "internal/daemon/web/shown",
		"internal/csvfile", "internal/daemon", "internal/figures", "internal/insights",
		"internal/planview", "internal/resource", "internal/review", "internal/words/catalogue"},
	"internal/daemon/web/chart": {"internal/daemon/web/shown", "internal/daemon", "internal/figures",
		"internal/insights", "internal/planview", "internal/resource", "internal/words/catalogue"},
	"internal/daemon/web/conflicts": {"internal/daemon/web/shown", "internal/planview", "internal/resource",
		"internal/words", "plan", "internal/words/catalogue"},
	"internal/daemon/web/drafts": {"internal/daemon/web/shown", "internal/daemon", "internal/planview",
		"internal/resource", "internal/words", "plan", "internal/words/catalogue"},
	"internal/daemon/web/merges": {"internal/daemon/web/shown", "internal/daemon"},
	"internal/daemon/web/held": {"internal/daemon/web/shown", "internal/daemon", "internal/planview",
		"internal/resource", "internal/runview", "internal/sentence", "internal/words", "plan",
		"internal/words/catalogue"},
	"internal/daemon/web/loggedin": {"internal/daemon/web/shown", "internal/words/catalogue"},
	"internal/daemon/web/conns":    {},
	"internal/daemon/web/metrics":  {"internal/daemon", "internal/planview"},
	"internal/daemon/web/overview": {"internal/daemon/web/shown", "internal/daemon",
		"internal/planview", "internal/words", "internal/words/catalogue"},
	"internal/daemon/web/shown": {"internal/planview", "internal/diag", "internal/words/catalogue"},
	"internal/watch":            {},
	"internal/gitstore":         {"state/kv", "internal/diag", "internal/steady"},
	"internal/orders":           {"internal/words/catalogue", "state/kv"},
	"state/kv":                  {},
	"internal/review": {"state/kv", "internal/resource", "internal/diag", "internal/words",
		"internal/words/catalogue"},
	"internal/ready":     {"state/kv", "sources/config"},
	"internal/downloads": {"state/kv"},
	"internal/secret":    {},
	"internal/public":    {},
	"internal/pattern":   {},
	"internal/fetch":     {"internal/public"},
	"internal/cards":     {"internal/diag", "internal/words/catalogue"},
	"internal/webhook":   {"internal/secret"},
	"internal/notify": {"state/kv", "internal/review", "internal/words", "internal/resource", "internal/secret",
		"internal/daemon", "internal/diag", "internal/figures/overspend", "internal/orders", "internal/planview",
		"internal/runview", "plan", "state"},
	"internal/trail": {"state/kv", "internal/review", "internal/csvfile",
		"internal/daemon", "internal/orders", "internal/planview", "internal/runview"},
	"internal/diag":       {},
	"internal/steady":     {},
	"internal/jsonschema": {},
	"internal/yamlfmt":    {},
	"internal/arch":       {"internal/resource"},
	"internal/forge":      {},
	"internal/codeowners": {},
	"internal/testing/sim": {"internal/testing/oracle", "reconcile",
		"plan", "state", "state/postgres", "sources", "sources/config", "internal/runview", "internal/adsapi",
		"internal/resource", "internal/diag"},
	"internal/testing/oracle":      {}, // shares nothing with what it judges
	"internal/testing/bench":       {}, // shares nothing with what it measures
	"internal/testing/bench/spent": {},
	"internal/testing/coverage":    {"internal/kinds"},
	"internal/testing/dialect":     {"internal/testing/office"},
	"internal/testing/drawn":       {},
	"internal/testing/githubtest":  {}, // shares nothing with what asks it
	"internal/testing/forgetest":   {}, // nor does this
	"internal/testing/openidtest":  {}, // nor does this
	"internal/testing/golden":      {},
	"internal/testing/kvtest":      {"state/kv"},
	"internal/testing/mailtest":    {},
	"internal/testing/leasetest":   {"state", "state/postgres"},
	"internal/testing/twin":        {"state", "state/kv", "state/postgres"},
	"internal/testing/branchtest":  {"state", "state/branch", "internal/gitstore"},
	"internal/testing/limits":      {"internal/diag", "plan", "plan/compare", "sources", "sources/config"},
	"internal/testing/mutants":     {},
	"internal/testing/pgtest":      {"internal/testing/ports"},
	"internal/testing/slots":       {"internal/adsapi", "state"}, // its tests
	"internal/testing/office":      {},
	"internal/testing/pipelines":   {},
	"internal/testing/ports":       {},
	"internal/testing/syscalls":    {},
	"internal/testing/journeys":    {"internal/testing/office"}, // shares nothing with what it drives

	"internal/tools/mutate": {}, // a module of its own
	"internal/tools/image":  {}, // a module of its own
}

// TestImportsPointInward holds the map, package by package.
func TestImportsPointInward(t *testing.T) {
	for _, s := range program(t) {
		if isEmulator(s.dir) {
			continue
		}
		allowed, known := may[s.dir]
		if !known {
			t.Errorf("%s: package %s is not in the import map; want a row that says what it may import", s.name, s.dir)
			continue
		}
		for name, spec := range s.imports() {
			inner, ours := strings.CutPrefix(name, module)
			if ours && inner != patterns && !slices.Contains(allowed, inner) {
				t.Errorf("%s: %s imports %s; want only %q", s.at(spec), s.dir, inner, allowed)
			}
		}
	}
}

// forTests is what every test may import beyond what its package may.
var forTests = append([]string{"internal/kinds", testOnly + "bench", testOnly + "dialect",
	testOnly + "githubtest", testOnly + "forgetest", testOnly + "openidtest", testOnly + "kvtest",
	testOnly + "branchtest",
	testOnly + "figurestest", testOnly + "slots", testOnly + "syscalls", testOnly + "leasetest", testOnly + "twin"},
	forEveryTest...)

// forEveryTest is what tests may import that know nothing of adsync, the emulator's too.
var forEveryTest = []string{testOnly + "drawn", testOnly + "golden", testOnly + "office",
	testOnly + "pgtest", testOnly + "ports", testOnly + "kvtest", testOnly + "mailtest", testOnly + "pipelines"}

// TestTestsImportNoMoreThanTheirPackage lets tests have what their package may
// import and, beyond it, the descriptions of the kinds, the emulator, the
// accounts of the benchmarks, the workbooks of other programs, the twin of what counts requests and the system calls
// of a process; those of the command are judged by the simulation's oracle and watched for its coverage, too. The
// layers of the agent stay apart in tests too.
func TestTestsImportNoMoreThanTheirPackage(t *testing.T) {
	for _, s := range sources(t) {
		if !s.test || isEmulator(s.dir) {
			continue
		}
		for name, spec := range s.imports() {
			inner, ours := strings.CutPrefix(name, module)
			if !ours || inner == s.dir || isEmulator(inner) || slices.Contains(forTests, inner) ||
				isCommand(s.dir) && (inner == testOnly+"oracle" || inner == testOnly+"coverage") ||
				makesPlans(s.dir, inner) ||
				slices.Contains(mayInTests(s.dir), inner) {
				continue
			}
			t.Errorf("%s: a test of %s imports %s; want only what %s may import, the kinds and the emulator",
				s.at(spec), s.dir, inner, s.dir)
		}
	}
}

// makesPlans reports whether a test makes the plans that its package reads.
func makesPlans(dir, inner string) bool {
	return inner == "plan/compare" && slices.Contains(may[dir], "plan")
}

// mayInTests returns what the tests of a folder may import: those of the command drive all its rooms, and
// those of sources read, write and compare files by all of theirs.
func mayInTests(dir string) []string {
	if dir != command && dir != "sources" {
		return may[dir]
	}
	var all []string
	for room, imports := range may {
		if room == dir || strings.HasPrefix(room, dir+"/") {
			all = append(append(all, room), imports...)
		}
	}
	return all
}

// command is the folder of the command, whose rooms lie below it.
const command = "cmd/adsync"

func isCommand(dir string) bool { return dir == command || strings.HasPrefix(dir, command+"/") }

// TestPropertiesDrawFromASeed wants each package whose tests draw to import internal/testing/drawn.
func TestPropertiesDrawFromASeed(t *testing.T) {
	draws, seeded := map[string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		for name := range s.imports() {
			draws[s.dir] = draws[s.dir] || s.test && name == "pgregory.net/rapid"
			seeded[s.dir] = seeded[s.dir] || name == module+testOnly+"drawn"
		}
	}
	for dir, draws := range draws {
		if draws && !seeded[dir] {
			t.Errorf("the tests of %s draw by rapid; want one of them to import %sdrawn", dir, testOnly)
		}
	}
}

// TestTheEmulatorSharesNothingWithTheAgent holds both directions, so that one
// mistake cannot be on both sides: the emulator and its tests import nothing of
// the agent, and of the agent's code only the command imports the emulator.
func TestTheEmulatorSharesNothingWithTheAgent(t *testing.T) {
	for _, s := range sources(t) {
		for name, spec := range s.imports() {
			inner, ours := strings.CutPrefix(name, module)
			switch {
			case !ours:
			case isEmulator(s.dir) && !isEmulator(inner) && !(s.test && slices.Contains(forEveryTest, inner)):
				t.Errorf("%s: the emulator imports %s; want nothing of the agent", s.at(spec), inner)
			case !isEmulator(s.dir) && isEmulator(inner) && !s.test &&
				s.dir != "cmd/adsync" && s.dir != "cmd/adsync/internal/session":
				t.Errorf("%s: %s imports the emulator; want only the command and tests to", s.at(spec), s.dir)
			}
		}
	}
}

// pure is all of the standard library that package plan may use: nothing that
// knows a clock, a file, a network, a log, a context or chance.
var pure = []string{"cmp", "crypto/sha256", "encoding/hex", "encoding/json", "errors",
	"fmt", "io", "iter", "maps", "math", "math/bits", "path", "slices", "strconv", "strings", "unicode", "unicode/utf8"}

func TestPlanIsPure(t *testing.T) {
	for _, s := range program(t) {
		if s.dir != "plan" && !strings.HasPrefix(s.dir, "plan/") {
			continue
		}
		for name, spec := range s.imports() {
			if !strings.HasPrefix(name, module) && !slices.Contains(pure, name) {
				t.Errorf("%s: plan imports %q; want only %q", s.at(spec), name, pure)
			}
		}
	}
}
