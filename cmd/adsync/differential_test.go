package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/plan/compare"
	"adsync/sources"
	"adsync/sources/config"
)

var trees = flag.Int("trees", 400, "how many trees near the limits are shown to adsync and to the service")

// TestWhatAdsyncLetsThroughTheServiceTakes draws trees near every limit of the
// interface. Where files and plan have no problem the service takes each
// resource of the tree; so where it refuses one, adsync has said a problem. That
// the test shows something is held by what it counts: many trees of both sorts.
func TestWhatAdsyncLetsThroughTheServiceTakes(t *testing.T) {
	t.Parallel()
	service := emulatortest.Start(t)
	pixel := service.Must(t, "POST", "/conversions/pixels", map[string]any{"name": "Shop", "client_type": "web"}).ID(t)
	goal := service.Must(t, "POST", "/conversions/event_settings", map[string]any{
		"name": "Orders", "event_type": "order_created", "attribution_window_days": 30, "source_ids": []string{pixel},
	}).ID(t)
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	taken, refused := 0, map[string]int{}
	for number := range *trees {
		tree := drawnTree(rand.New(rand.NewPCG(uint64(number), 1)), number, goal)
		desired, problems := offline(t, tree)
		if said := firstError(problems); said != "" {
			refused[said]++
			continue
		}
		taken++
		if answer := sendTree(t, service, desired, zone); answer != "" {
			t.Errorf("tree %d: adsync finds no problem and the service says\n%s\nof\n%s",
				number, answer, shortLines(tree))
		}
	}
	t.Logf("%d of %d trees were taken; the others have %d sorts of problems: %v", taken, *trees, len(refused), refused)
	if taken < *trees/8 || *trees >= 400 && len(refused) < 8 {
		t.Errorf("%d of %d trees were taken and the others have %d sorts of problems; want a good part of each",
			taken, *trees, len(refused))
	}
}

// offline is what validate and plan say of one file for an empty account.
func offline(t *testing.T, tree string) (*resource.Snapshot, []diag.Problem) {
	t.Helper()
	dir := t.TempDir()
	project := "account: {id: adacct_test, currency: USD, timezone: America/New_York}\nsources: [tree.yaml]\n"
	for name, content := range map[string]string{"adsync.yaml": project, "tree.yaml": tree} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, problems := config.ReadProject(dir)
	d := sources.Load(t.Context(), p, kinds.All())
	problems = append(problems, d.Problems...)
	if diag.HasErrors(problems) {
		return d.Snapshot, problems
	}
	in := plan.Input{Schemas: kinds.All(), Desired: d.Snapshot, Policy: plan.DefaultPolicy(), Today: "2026-11-21"}
	return d.Snapshot, append(problems, compare.Diff(in).Problems...)
}

// firstError names the sort of the first problem, "" where there is none.
func firstError(problems []diag.Problem) string {
	for _, p := range problems {
		if p.Severity == diag.Error {
			return string(p.Code) + " " +
				strings.Join(strings.Fields(strings.TrimPrefix(p.Message, p.Address+": "))[:2], " ")
		}
	}
	return ""
}

// sendTree creates the tree from the top down by single requests and gives the
// first refusal.
func sendTree(t *testing.T, service *emulatortest.Service, desired *resource.Snapshot, zone *time.Location) string {
	t.Helper()
	ids := map[resource.Address]string{}
	for r := range desired.All() {
		schema := kinds.All().Of(r.Address.Kind)
		body := wireOf(t, service, schema, r, desired, zone)
		if schema.ParentWire != "" {
			body[schema.ParentWire] = ids[r.Address.Up(schema.Parent)]
		}
		key := fmt.Sprintf("tree-%s-%d", r.Address, len(ids))
		answer := service.Do(t, "POST", "/"+schema.Collection, body, "Idempotency-Key", key)
		if answer.Status >= 300 {
			return fmt.Sprintf("%d %.1000s", answer.Status, answer.Body)
		}
		ids[r.Address] = answer.ID(t)
	}
	return ""
}

// wireOf writes a create by the description alone, without what reconcile does
// to find a better way.
func wireOf(t *testing.T, service *emulatortest.Service,
	schema *resource.Schema, r *resource.Resource, desired *resource.Snapshot, zone *time.Location) map[string]any {
	t.Helper()
	body := map[string]any{"name": schema.NameOf(r), "status": "paused"}
	for _, n := range r.Attributes {
		a, _ := schema.Attribute(n.Name)
		if n.Value.IsSet() && a.Wire.Path != "" {
			putAt(body, strings.Split(a.Wire.Path, "."), wireValue(t, service, a, n.Value, zone))
		}
	}
	for _, f := range schema.Fixed {
		value := f.Value
		if f.From != nil {
			value = f.Map[desired.Get(kinds.All().Ancestor(r.Address, f.From.Ancestor)).Value(f.From.Attribute).Text()]
		}
		if f.If == "" || r.Value(f.If).IsSet() {
			putAt(body, strings.Split(f.Wire, "."), value)
		}
	}
	return body
}

func wireValue(t *testing.T, service *emulatortest.Service,
	a *resource.Attribute, v resource.Value, zone *time.Location) any {
	t.Helper()
	if n, isNumber := v.Number(); isNumber {
		return n
	}
	var seconds int64
	var err error
	switch a.Wire.Codec {
	case resource.StartTime:
		seconds, err = resource.StartSeconds(v.Text(), zone)
	case resource.EndTime:
		seconds, err = resource.EndSeconds(v.Text(), zone)
	case resource.SingleItem:
		return []string{v.Text()}
	case resource.RawJSON:
		return json.RawMessage(v.Text())
	case resource.FileID:
		return service.File(t)
	case resource.IDObjects:
		objects := []map[string]string{}
		for _, id := range v.Items() {
			objects = append(objects, map[string]string{"id": id})
		}
		return objects
	default:
		if a.Type.IsList() {
			return v.Items()
		}
		return v.Text()
	}
	if err != nil {
		t.Fatal(err)
	}
	return seconds
}

// shortLines cuts lines that are as long as the service lets them be.
func shortLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if len(line) > 200 {
			lines[i] = fmt.Sprintf("%.80s… (%d characters)", line, utf8.RuneCountInString(line))
		}
	}
	return strings.Join(lines, "\n")
}

func putAt(body map[string]any, path []string, value any) {
	for _, key := range path[:len(path)-1] {
		inner, ok := body[key].(map[string]any)
		if !ok {
			inner = map[string]any{}
			body[key] = inner
		}
		body = inner
	}
	body[path[len(path)-1]] = value
}
