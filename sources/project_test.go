package sources_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/sources/config"
	"adsync/sources/tree"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// unwritten leaves out what is no setting: where settings are written, and what a commit adds.
var unwritten = cmp.Options{cmpopts.IgnoreUnexported(config.Project{}),
	cmpopts.IgnoreFields(config.Project{}, "Layout", "SourcesAt", "Bounds", "Stop", "At")}

func TestProjectFile(t *testing.T) {
	dir := folder(t, map[string]string{"adsync.yaml": `account: {id: acct_1, currency: EUR, timezone: Europe/Paris}
sources: [ads/**/*.yaml]
service: emulator
state: var/state
policy: {drift: revert, prune: pause}
`})
	want := config.Project{
		Root: dir, File: "adsync.yaml", Account: config.Account{
			ID: "acct_1", Currency: "EUR", TimeZone: "Europe/Paris",
		},
		Sources: []string{"ads/**/*.yaml"}, Service: "emulator", State: "var/state",
		Policy: config.Policy{
			Drift: config.Setting{Value: "revert", Position: diag.At("adsync.yaml", 5, 17)},
			Prune: config.Setting{Value: "pause", Position: diag.At("adsync.yaml", 5, 32)},
		},
	}
	for _, at := range []string{dir, filepath.Join(dir, "adsync.yaml")} {
		got, problems := config.ReadProject(at)
		if diff := cmp.Diff(want, got, unwritten); diff != "" || len(problems) > 0 {
			t.Errorf("ReadProject(%q) = %v, and differs (-want +got):\n%s", at, problems, diff)
		}
	}
	env, err := want.Env()
	if err != nil || env.Currency != "EUR" || env.Zone.String() != "Europe/Paris" {
		t.Errorf("Env = %v, %v; want EUR in Europe/Paris", env, err)
	}
}

func TestAFolderWithoutAProjectFileHasDefaults(t *testing.T) {
	dir := t.TempDir()
	got, problems := config.ReadProject(dir)
	want := config.Project{
		Root: dir, Sources: []string{"**/*.yaml", "**/*.yml", "**/*.xlsx", "**/*.csv", "**/*.tsv"}, State: ".adsync",
	}
	if diff := cmp.Diff(want, got, unwritten); diff != "" || len(problems) > 0 {
		t.Errorf("ReadProject = %v, and differs (-want +got):\n%s", problems, diff)
	}
}

func TestProjectProblems(t *testing.T) {
	for _, row := range []struct{ name, yaml, want string }{
		{"a currency in words", "account: {currency: euro}",
			`adsync.yaml:1:21: account.currency is "euro"; want a code of three capital letters`},
		{"a time zone nobody knows", "account: {timezone: Mars/Olympus}",
			`adsync.yaml:1:21: account.timezone is "Mars/Olympus"; want an IANA name`},
		{"the machine's own time zone", "account: {timezone: Local}", `account.timezone is "Local"; want an IANA name`},
		{"an unknown key", "acount: {}", `adsync.yaml:1:1: adsync.yaml has "acount"; want account, ` +
			`bulk, domains, ignore, moved, own_columns, policy, publish, service, sheets, sources, state (ADS1017)`},
		{"an unknown guard", "policy: {prun: pause}", `adsync.yaml:1:10: policy has "prun"; want allow, ` +
			`approval_expires, approvals, archives, bid, budget, drift, exposure, freeze, invalid, max_bid, ` +
			`max_daily_budget, max_daily_exposure, max_lifetime_budget, people, prune, saved_plan_minutes, shrink, updates`},
		{"X11 an allowance in a watched file", "policy: {allow: [activates]}",
			`adsync.yaml:1:17: policy.allow stands in a watched file; want allowances from who applies`},
		{"an unknown choice", "policy: {prune: delete}",
			`adsync.yaml:1:17: policy.prune is "delete"; want keep, pause, archive`},
		{"sources outside", "sources: [../other/*.yaml]",
			`adsync.yaml:1:11: sources has "../other/*.yaml"; want a path below`},
		{"no source named", "sources: []", "adsync.yaml:1:10: sources names no file"},
		{"X7 state outside", "state: ../../etc",
			`adsync.yaml:1:8: state is "../../etc"; want a folder below the project's`},
		{"a domain with a path", "domains: [https://shop.example/]", `adsync.yaml:1:11: ` +
			`domains has "https://shop.example/"; want a domain such as shop.example, in small letters`},
		{"no domain named", "domains: []", "adsync.yaml:1:10: domains names none"},
		{"parents repeated always", "bulk: {repeat_parent: always}",
			`adsync.yaml:1:23: bulk.repeat_parent is "always"; want auto or never`},
		{"a limit in words", "account: {limits: {ad: many}}",
			`adsync.yaml:1:24: account.limits.ad is "many"; want a whole number`},
		{"a limit of nothing known", "account: {limits: {adverts: 5}}",
			`adsync.yaml:1:20: account.limits has "adverts"; want ad, ad_group, campaign`},
		{"a second document", "account: {id: a}\n---\naccount: {id: b}", "adsync.yaml:3:1: a second document"},
		{"a list", "- a", "adsync.yaml:1:1: adsync.yaml is a list; want a mapping"},
		{"an empty file", "# nothing", "adsync.yaml: file holds nothing but comments"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, problems := config.ReadProject(folder(t, map[string]string{"adsync.yaml": row.yaml + "\n"}))
			if got := printed(problems); !strings.Contains(got, row.want) {
				t.Errorf("ReadProject found\n%swant a problem with %q", got, row.want)
			}
		})
	}
}

// Whoever can write the watched folder must not be able to send the key
// elsewhere, and a credential in it must not be printed again.
func TestX2X10AddressesAndKeysAreTheOperators(t *testing.T) {
	for _, yaml := range []string{
		"service: https://user:s3cret@evil.example", "api_key: s3cret", "base_url: https://s3cret.example",
		"account: {token: s3cret}", "policy: {password: s3cret}", "service: [s3cret]",
	} {
		dir := folder(t, map[string]string{"adsync.yaml": yaml + "\n"})
		p, problems := config.ReadProject(dir)
		var out strings.Builder
		must(t, diag.Render(&out, problems, tree.SourceLine(p)))
		if !strings.Contains(out.String(), "ADSYNC_BASE_URL") ||
			strings.Contains(out.String(), "s3cret") || p.Service != "" {
			t.Errorf("%q gives service %q and prints\n"+
				"%swant it refused, pointing to the operator's side, without its value", yaml, p.Service, out.String())
		}
	}
}

func TestAFolderThatIsNotThere(t *testing.T) {
	_, problems := config.ReadProject(filepath.Join(t.TempDir(), "gone"))
	if !diag.HasErrors(problems) {
		t.Errorf("ReadProject = %v, want an error", problems)
	}
}

func TestSourceLine(t *testing.T) {
	dir := folder(t, map[string]string{"ads.yaml": "\ufeffone\r\ntwo\n"})
	must(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
	source := tree.SourceLine(config.Project{Root: dir})
	for _, row := range []struct {
		file string
		line int
		want string
		ok   bool
	}{{"ads.yaml", 1, "one", true}, {"ads.yaml", 2, "two", true}, {"ads.yaml", 9, "", false},
		{"ads.yaml", 0, "", false}, {"gone", 1, "", false}, {"link", 1, "", false}, {"../x", 1, "", false}} {
		if got, ok := source(row.file, row.line); got != row.want || ok != row.ok {
			t.Errorf("line %d of %s = %q, %v; want %q, %v", row.line, row.file, got, ok, row.want, row.ok)
		}
	}
}
