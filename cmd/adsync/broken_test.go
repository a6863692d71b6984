package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/emulator"
)

// brokenAccount is a campaign that spends, as a file.
func brokenAccount(budget int, more string) string {
	return fmt.Sprintf("kind: campaign\nkey: spring\nname: Spring\n"+
		"status: active\nbidding_type: clicks\nbudget: {daily: %d}\ntargeting: {countries: [US]}\n%s", budget, more)
}

// brokenRows are creates that carry no key, and where each is posted.
var brokenRows = []struct{ path, file string }{
	{"/ad_account/spend_limit_windows",
		"---\nkind: spend_limit_window\nkey: w1\namount: 5000\nstart: 2090-12-01\nend: 2090-12-31\n"},
	{"/ad_account/daily_spend_limit", "---\nkind: daily_spend_limit\nkey: d1\namount: 4000\nstart: 2090-12-01\n"},
	{"/conversions/pixels", "---\nkind: pixel\nkey: shop\nname: Shop\n"},
	{"/campaigns", "---\nkind: campaign\nkey: autumn\n" +
		"name: Autumn\nstatus: paused\nbidding_type: clicks\nbudget: {daily: 10}\ntargeting: {countries: [US]}\n"},
}

// The binary, and a service that shows what it did and knows its keys a minute later: a
// connection that breaks in the midst of a create keeps back nothing else, in the same
// apply; the next apply says what it waits for, decides it and makes it where it was
// not made; and then there is nothing to do.
func TestABrokenConnectionKeepsNothingElseBack(t *testing.T) {
	t.Parallel()
	for _, row := range brokenRows {
		for _, action := range []string{
			`"drop_before_commit": {}`, `"drop_after_commit": {}`,
			`"mutate_body": {"how": "html"}`, `"status": {"code": 502, "body": "<h1>Bad gateway</h1>"}`,
		} {
			t.Run(row.path+" "+action, func(t *testing.T) {
				b := newBroken(t)
				b.write(brokenAccount(10, ""))
				b.run(console.ExitDone, "apply", "--yes", "--allow", "activates")
				b.fault(fmt.Sprintf(`{"match": {"method": "POST", "path": %q, "times": 1}, "action": {%s}}`,
					row.path, action))
				b.write(brokenAccount(11, row.file))
				keyed := row.path == "/campaigns" // it goes again in the same run
				first := b.run(map[bool]int{true: console.ExitDone, false: console.ExitUnknown}[keyed],
					"apply", "--yes")
				if !strings.Contains(first, "campaign/spring") || strings.Contains(first, "waits: ") {
					t.Errorf("the first apply says\n%s\nwant the raise applied beside what is unknown", first)
				}
				second := b.run(console.ExitDone, "apply", "--yes")
				if wants := strings.Contains(action, "drop_before") &&
					!keyed; wants && !strings.Contains(second, "does not show; reading again in 1m") {
					t.Errorf("the second apply says\n%s\nwant what it waits for", second)
				}
				b.run(console.ExitDone, "plan", "--detailed-exitcode")
				if n := b.creates(row.path); n != 1 {
					t.Errorf("%d were made; want one", n)
				}
			})
		}
	}
}

// A page of a proxy in the place of what is read is the service that cannot be reached:
// it is asked again, and exit 11 says so. It is no account, no list and no mistake of the
// configuration.
func TestAPageInThePlaceOfAnAnswerIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/ad_account", "/campaigns", "/ad_account/spend_limit_windows"} {
		for _, action := range []string{`"mutate_body": {"how": "html"}`,
			`"status": {"code": 502, "body": "<h1>Bad gateway</h1>"}`} {
			t.Run(path+" "+action, func(t *testing.T) {
				b := newBroken(t)
				b.write(brokenAccount(10, brokenRows[0].file))
				b.run(console.ExitDone, "apply", "--yes", "--allow", "activates")
				fault := fmt.Sprintf(`{"match": {"method": "GET", "path": %q%%s}, "action": {%s}}`, path, action)
				b.fault(fmt.Sprintf(fault, `, "times": 2`))
				b.run(console.ExitDone, "plan", "--refresh=full", "--detailed-exitcode")
				b.fault(fmt.Sprintf(fault, ""))
				if said := b.run(console.ExitUnavailable,
					"plan", "--refresh=full"); strings.Contains(said, "No changes") {
					t.Errorf("plan says\n%s\nwant that the service cannot be reached", said)
				}
			})
		}
	}
}

// brokenRun is an account at an emulator whose clock the binary follows.
type brokenRun struct {
	t    *testing.T
	line *httptest.Server
	dir  string
	env  []string
}

func newBroken(t *testing.T) *brokenRun {
	t.Helper()
	points, err := emulator.ParseOpenPoints("list_visibility_lag=60s,key_visibility_lag=60s")
	noError(t, err)
	service, err := emulator.Open(emulator.Options{
		OpenPoints: points, Seed: rand.Uint64(), Limits: emulator.RateLimits{
			EndpointPerMinute: -1, OverallPerMinute: -1, BulkPer10Seconds: -1,
		},
		Accounts: []emulator.Account{{ID: "adacct_broken", Name: "Test",
			Currency: "USD", TimeZone: "America/New_York", Key: session.EmulatorKey, Features: emulator.AllFeatures()}},
	})
	noError(t, err)
	b := &brokenRun{t: t, dir: t.TempDir(), line: httptest.NewServer(service)}
	t.Cleanup(func() { b.line.Close(); service.Close() })
	noError(t, os.WriteFile(filepath.Join(b.dir, "adsync.yaml"),
		[]byte("account: {id: adacct_broken, currency: USD, timezone: America/New_York}\n"), 0o600))
	b.env = append(os.Environ(), asCommand+"=1", atClock+"="+b.line.URL+clockPath,
		session.EnvBaseURL+"="+b.line.URL+"/v1",
		session.EnvKey+"="+session.EmulatorKey, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	return b
}

func (b *brokenRun) write(content string) {
	b.t.Helper()
	noError(b.t, os.WriteFile(filepath.Join(b.dir, "ads.yaml"), []byte(content), 0o600))
}

// fault arms one fault in the place of those before.
func (b *brokenRun) fault(text string) {
	b.t.Helper()
	b.post("/_emulator/faults", `{"faults": [`+text+`]}`)
}

func (b *brokenRun) post(path, body string) {
	b.t.Helper()
	response, err := http.Post(b.line.URL+path, "application/json", strings.NewReader(body))
	noError(b.t, err)
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		b.t.Fatalf("POST %s = %d", path, response.StatusCode)
	}
}

// run is a command of the binary, which has to end with a code; what it says comes back.
func (b *brokenRun) run(code int, args ...string) string {
	b.t.Helper()
	c := exec.Command(os.Args[0], append(args, b.dir)...)
	c.Env = b.env
	out, _ := c.CombinedOutput()
	if got := c.ProcessState.ExitCode(); got != code {
		b.t.Fatalf("adsync %s ends with %d; want %d\n%s", strings.Join(args, " "), got, code, out)
	}
	return string(out)
}

// creates counts what was made by what is posted to a path, whatever the file's first
// campaign is.
func (b *brokenRun) creates(path string) (n int) {
	b.t.Helper()
	var page struct {
		Data []struct {
			Action   string `json:"action"`
			Resource string `json:"resource"`
		}
	}
	b.get("/_emulator/mutations?limit=10000", &page)
	kind := map[string]string{
		"/ad_account/spend_limit_windows": "spend_limit_window", "/ad_account/daily_spend_limit": "daily_spend_limit",
		"/conversions/pixels": "conversion_pixel", "/campaigns": "campaign",
	}[path]
	for _, m := range page.Data {
		if m.Action == "create" && m.Resource == kind {
			n++
		}
	}
	if kind == "campaign" {
		n-- // spring
	}
	return n
}

func (b *brokenRun) get(path string, into any) {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.line.URL+path, nil)
	noError(b.t, err)
	request.Header.Set("Authorization", "Bearer "+session.EmulatorKey)
	response, err := b.line.Client().Do(request)
	noError(b.t, err)
	defer response.Body.Close()
	noError(b.t, json.NewDecoder(response.Body).Decode(into))
}
