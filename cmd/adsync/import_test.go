package main

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/workbook"
	"adsync/state"

	"pgregory.net/rapid"
)

// readingAgent joins an emulator of its own and an empty record, by a client
// that cannot change anything.
func readingAgent(t *testing.T) (*emulatortest.Service, state.Store, *reconcile.Agent) {
	t.Helper()
	service := emulatortest.Start(t)
	store, err := state.NewMemory(state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := adsapi.New(adsapi.Config{
		BaseURL: service.BaseURL, Key: adsapi.NewSecret(service.Key), UserAgent: "test", ReadOnly: true,
		Limits: adsapi.Limits{PerEndpoint: 1e6, Overall: 1e6, Bulk: 1e6},
	})
	if err != nil {
		t.Fatal(err)
	}
	return service, store, &reconcile.Agent{Env: reconcile.Env{
		Service: client, Store: store, Schemas: kinds.All(),
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Sleep: session.Sleep,
	}}
}

// Names people give things, and those nobody should.
var hostileNames = []string{
	"Spring", "spring", "Spring", "=1+1", "+49", "-5", "@home", "#1 choice", `He said "buy"`, "it's", "a: b", "- item",
	"🎉🎉🎉", "=\"x\"", "new\nline", "[xyz]", "{y}y", "&anchor", "*star", "!tag", "%25", "null", "yes", "010", "1e6",
	"~", "2026-12-01", "a/b", `back\slash`, "été",
	"e\u0301te\u0301", "日本語", "a\u00a0b", "x, y; z | w", "'quoted'", strings.Repeat("long ", 20),
}

// Whatever stands in an account: what import writes is read again, and the plan
// after it is empty.
func TestImportThenPlanIsEmpty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		service, store, agent := readingAgent(t)
		drawHostile(t, rt, service)
		found, err := agent.Import(t.Context(), nil)
		if err != nil {
			rt.Fatal(err)
		}
		contents, account := importedFiles(rt, found.Snapshot)
		project := config.Project{Root: t.TempDir(), Account: account, Sources: []string{"**/*"}}
		desired := sources.LoadContents(t.Context(), project, kinds.All(), contents)
		if diag.HasErrors(desired.Problems) {
			rt.Fatalf("the files have problems: %v", desired.Problems)
		}
		applied, err := found.Agreeing(kinds.All(), desired.Snapshot)
		if err != nil {
			rt.Fatal(err)
		}
		if err := store.Record(t.Context(), applied); err != nil {
			rt.Fatal(err)
		}
		view, err := agent.Plan(t.Context(), reconcile.Desired{
			Snapshot: desired.Snapshot, Policy: plan.DefaultPolicy(),
		})
		if err != nil {
			rt.Fatal(err)
		}
		if p := view.Plan; len(p.Changes)+p.Unmanaged > 0 || diag.HasErrors(p.Problems) {
			text, err := p.MarshalJSON()
			if err != nil {
				rt.Fatal(err)
			}
			rt.Fatalf("plan after import: %s\n%v, %d unmanaged", text, p.Problems, p.Unmanaged)
		}
	})
}

// drawHostile makes what the service takes of what is drawn.
func drawHostile(t *testing.T, rt *rapid.T, s *emulatortest.Service) {
	name := rapid.SampledFrom(hostileNames)
	made := func(path string, body map[string]any) (string, bool) {
		r := s.Do(t, "POST", path, body)
		if r.Status >= 300 {
			return "", false
		}
		return r.ID(t), true
	}
	s.Campaign(t, "One at least")
	for range rapid.IntRange(1, 4).Draw(rt, "campaigns") {
		campaign := emulatortest.CampaignBody(name.Draw(rt, "campaign"))
		campaign["description"] = name.Draw(rt, "description")
		id, there := made("/campaigns", campaign)
		for range rapid.IntRange(0, 3).Draw(rt, "ad groups") {
			group := emulatortest.AdGroupBody(id, name.Draw(rt, "ad group"))
			group["context_hints"] = rapid.SliceOfN(name, 0, 4).Draw(rt, "hints")
			groupID, grouped := made("/ad_groups", group)
			for range rapid.IntRange(0, 2).Draw(rt, "ads") {
				if ad := name.Draw(rt, "ad"); there && grouped {
					made("/ads", emulatortest.AdBody(groupID, ad, s.File(t)))
				}
			}
		}
	}
}

// importedFiles writes what was imported in one of the formats.
func importedFiles(rt *rapid.T, s *resource.Snapshot) (map[string][]byte, config.Account) {
	account := config.Account{ID: emulatortest.AccountID, Currency: "USD", TimeZone: "America/New_York"}
	schemas := kinds.All()
	switch format := rapid.SampledFrom([]string{"yaml", "xlsx", "csv"}).Draw(rt, "format"); format {
	case "yaml":
		env, err := config.Project{Account: account}.Env()
		if err != nil {
			rt.Fatal(err)
		}
		files, err := workbook.YAMLFiles(config.Project{Account: account}, schemas, s, env)
		if err != nil {
			rt.Fatal(err)
		}
		return files, account
	case "csv":
		files, err := workbook.WriteCSVFiles(schemas, s, account)
		if err != nil {
			rt.Fatal(err)
		}
		return files, account
	default:
		var book strings.Builder
		if err := workbook.WriteWorkbook(&book, schemas, s, account); err != nil {
			rt.Fatal(err)
		}
		return map[string][]byte{"live." + format: []byte(book.String())}, account
	}
}
