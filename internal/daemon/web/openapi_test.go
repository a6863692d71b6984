package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/internal/daemon"

	"github.com/santhosh-tekuri/jsonschema/v6"
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// described is docs/operate/api.yaml.
func described(t *testing.T) map[string]any {
	t.Helper()
	content, err := os.ReadFile("../../../docs/operate/api.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var page any
	if err := yaml.Unmarshal(content, &page); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(marshal(t, page)))
	if err != nil {
		t.Fatal(err)
	}
	return value.(map[string]any)
}

// TestTheAPIIsDescribed: docs/operate/api.yaml has each route for programs, with the
// authority it asks for, and no other.
func TestTheAPIIsDescribed(t *testing.T) {
	a := ask(t, nil)
	var there []string
	for _, r := range a.server.routes {
		if regexp.MustCompile(`^/(api/|healthz|readyz|metrics)`).MatchString(r.path) {
			there = append(there, r.method+" "+r.path+
				" "+map[audience]string{everybody: "everybody", somebody: "viewers", viewers: "viewers",
				editors: "editor", approvers: "approver", operators: "operator"}[r.for_])
		}
	}
	var said []string
	for path, item := range described(t)["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			if method == "parameters" {
				continue
			}
			who := "viewers"
			if security, ok := operation.(map[string]any)["security"]; ok {
				who = "everybody"
				if role := regexp.MustCompile(`"token":\["(\w+)"\]`).FindSubmatch(marshal(t, security)); role != nil {
					who = string(role[1])
				}
			}
			said = append(said, strings.ToUpper(method)+" "+path+" "+who)
		}
	}
	slices.Sort(there)
	slices.Sort(said)
	if !slices.Equal(there, said) {
		t.Errorf("routes:\n%s\ndocs/operate/api.yaml:\n%s", strings.Join(there, "\n"), strings.Join(said, "\n"))
	}
}

func marshal(t *testing.T, value any) []byte {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAnswersAreAsDescribed: what is answered has the fields docs/operate/api.yaml says,
// and no other.
func TestAnswersAreAsDescribed(t *testing.T) {
	a := ask(t, nil)
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("api.json", described(t)); err != nil {
		t.Fatal(err)
	}
	hash := a.desk.plans["shoes"].PlanHash
	a.desk.accounts[0].Message = "1 change waits for a yes"
	a.desk.rewrite("shoes")
	a.desk.accepted = []daemon.Acceptance{{Commit: "973fd1f7f63f",
		Before: "92537cd63257", By: "ann", Note: "meant", Time: noon}}
	post := func(order, body string) *http.Response {
		return a.send("POST", "/api/v1/accounts/shoes/"+order, body, bearer, jsonBody)
	}
	a.desk.upload.Branch = "adsync/uploads"
	var seen struct{ Commit string }
	if err := json.Unmarshal([]byte(text(t, a.send("POST", "/api/v1/accounts/shoes/look?name=x.csv", "x", bearer))),
		&seen); err != nil {
		t.Fatal(err)
	}
	commit := a.send("POST", seen.Commit, `{"by":"ann"}`, bearer, jsonBody)
	a.desk.upload.Into = "main"
	if err := json.Unmarshal([]byte(text(t, a.send("POST", "/api/v1/accounts/shoes/look?name=x.csv", "x", bearer))),
		&seen); err != nil {
		t.Fatal(err)
	}
	sent := a.send("POST", seen.Commit, `{"by":"ann"}`, bearer, jsonBody)
	event := daemon.Event{
		Time: noon, Account: "shoes", Kind: "status", Status: &a.desk.accounts[0], Data: map[string]any{"n": 1},
	}
	a.desk.settings = threeSettings()
	a.desk.plans["shoes"].Pictures = map[string]string{"sha256:" + pictureSum: "images/boots.png"}
	for name, row := range map[string]struct {
		schema, body string
	}{
		"sessions":  {"Sessions", sessionsOf(t)},
		"accounts":  {"Accounts", text(t, a.get("/api/v1/accounts"))},
		"account":   {"Account", text(t, a.get("/api/v1/accounts/shoes"))},
		"plan":      {"Plan", text(t, a.get("/api/v1/accounts/shoes/plan"))},
		"runs":      {"Runs", text(t, a.get("/api/v1/accounts/shoes/runs"))},
		"run":       {"Run", text(t, a.get("/api/v1/accounts/shoes/runs/run-000042"))},
		"exposures": {"Exposures", text(t, a.get("/api/v1/accounts/shoes/exposures"))},
		"figures":   {"Figures", text(t, a.get("/api/v1/accounts/shoes/figures?level=ad&span=40d"))},
		"ads":       {"Ads", text(t, a.get("/api/v1/accounts/shoes/ads"))},
		"compared":  {"Figures", text(t, a.get("/api/v1/accounts/shoes/figures"))},
		"approvals": {"Approvals", text(t, a.get("/api/v1/accounts/shoes/approvals"))},
		"approve": {"Account",
			text(t, post("approvals", `{"plan_hash":"`+hash+`","allow":["`+heldRaise+`"],"by":"ann"}`))},
		"accepted":  {"Acceptances", text(t, a.get("/api/v1/accounts/shoes/acceptances"))},
		"suspend":   {"Account", text(t, post("suspend", `{"by":"ann","reason":"x","for":"1h"}`))},
		"suspended": {"Account", text(t, a.get("/api/v1/accounts/shoes"))},
		"resume":    {"Account", text(t, post("resume", `{"by":"ann"}`))},
		"committed": {"Committed", text(t, commit)},
		"sent":      {"Committed", text(t, sent)},
		"look":      {"Look", text(t, a.send("POST", "/api/v1/accounts/shoes/look?name=x.csv", "x", bearer))},
		"draft":     {"Draft", text(t, a.get("/api/v1/accounts/shoes/runs/run-000042/undo?of=campaign/x", bearer))},
		"edited": {"Edited", text(t,
			post("runs/run-000042/undo", `{"digest":"as shown","by":"ann","reason":"x","of":"campaign/x"}`))},
		"files":     {"Files", text(t, a.get("/api/v1/accounts/shoes/files"))},
		"problem":   {"Problem", text(t, a.get("/api/v1/nothing"))},
		"health":    {"Health", text(t, a.get("/healthz"))},
		"readiness": {"Readiness", text(t, a.get("/readyz"))},
		"event":     {"Event", string(marshal(t, event))},
	} {
		schema, err := compiler.Compile("api.json#/components/schemas/" + row.schema)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(row.body))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s is no %s: %v\n%.500s", name, row.schema, err, row.body)
		}
	}
}

// TestEachCodeIsDescribed: a program can rely on the list of codes.
func TestEachCodeIsDescribed(t *testing.T) {
	codes := string(marshal(t, described(t)["components"].(map[string]any)["schemas"].(map[string]any)["Problem"]))
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		content, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`problem\{http\.Status\w+, "(\w+)"`).FindAllSubmatch(content, -1) {
			found++
			if !strings.Contains(codes, `"`+string(m[1])+`"`) {
				t.Errorf("%s: the code %s is not in docs/operate/api.yaml", f.Name(), m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("%d codes were found; want the form to be found", found)
	}
}
