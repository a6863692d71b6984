package ads_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/emulator/ads"
	"adsync/internal/emulator/openapi"
	"adsync/internal/testing/emulatortest"
)

type object = map[string]any

// samples are two values of each attribute that is no plain text or list.
var samples = map[string][2]any{
	"status": {"paused", "active"},
	"bidding_config": {
		object{"billing_event_type": "click", "strategy": "fixed_bid", "max_bid_micros": 1_250_000},
		object{"billing_event_type": "click", "strategy": "fixed_bid", "max_bid_micros": 700_000},
	},
	"product_set": {
		object{"product_feed_id": "fd_test", "filters": []any{}},
		object{"product_feed_id": "fd_test", "filters": []any{
			object{"field": "brand", "operator": "in", "values": []any{"Acme"}}}},
	},
	"landing_page_configuration": {
		object{"query_string_template": "a={ad_id}"}, object{"query_string_template": "b={ad_id}"},
	},
}

func sample(t *testing.T, a ads.Attribute, turn int) any {
	t.Helper()
	if known, ok := samples[a.Name]; ok {
		return known[turn]
	}
	text := fmt.Sprintf("value %d of <%s> & more", turn+1, a.Name)
	switch a.JSON {
	case "string":
		return text
	case "strings":
		return []any{text}
	}
	t.Fatalf("%s is an object; want two samples of it in the table of this test", a.Name)
	return nil
}

// given is what a call may give of an ad group, by the table.
func given(t *testing.T, call ads.Calls, turn int) object {
	t.Helper()
	body := object{}
	for _, a := range ads.AdGroupAttributes {
		if a.In&call != 0 {
			body[a.Name] = sample(t, a, turn)
		}
	}
	return body
}

// shows wants an answer to have what was given, and nothing of what is hidden.
func shows(t *testing.T, what string, answer, want object) {
	t.Helper()
	for _, a := range ads.AdGroupAttributes {
		got, shown := answer[a.Name]
		if shown == a.Hidden {
			t.Errorf("%s: %s shown is %t; want %t", what, a.Name, shown, !a.Hidden)
		}
		value, isGiven := want[a.Name]
		if !isGiven || a.Hidden {
			continue
		}
		if diff := cmp.Diff(text(t, value), text(t, got)); diff != "" {
			t.Errorf("%s: %s, given (-) and shown (+):\n%s", what, a.Name, diff)
		}
	}
}

func text(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func with(body object, more object) object {
	all := object{}
	for _, each := range []object{body, more} {
		for name, value := range each {
			all[name] = value
		}
	}
	return all
}

// TestAnAttributeIsOneRow adds attributes by a row each and holds them, and those that are there, to what the table
// says: created, changed, cleared, in bulk too, read back, kept over a restart and described. What the emulator takes
// and answers on the way is held to its OpenAPI document.
func TestAnAttributeIsOneRow(t *testing.T) {
	ads.NewRows(t)
	dir := t.TempDir()
	kept := func(o *emulator.Options) { o.Dir = dir }
	var id string
	var last object
	t.Run("requests", func(t *testing.T) {
		s := emulatortest.Start(t, kept)
		campaign := s.Must(t, "POST", "/campaigns", with(emulatortest.CampaignBody("Feed"),
			object{"mode": "product_feed", "product_feed_id": "fd_test"})).ID(t)
		first := given(t, ads.Create, 0)
		made := s.Must(t, "POST", "/ad_groups", with(first, object{"campaign_id": campaign}))
		id = made.ID(t)
		shows(t, "create", made.Map(t), first)
		shows(t, "read", s.Must(t, "GET", "/ad_groups/"+id, nil).Map(t), first)
		for _, a := range ads.AdGroupAttributes {
			if a.In&ads.Update != 0 {
				change := object{a.Name: sample(t, a, 1)}
				shows(t, "update "+a.Name, s.Must(t, "POST", "/ad_groups/"+id, change).Map(t), change)
			}
			checkNull(t, s, id, a)
			checkLimit(t, s, id, a)
		}
		last = given(t, ads.Update, 1)
		shows(t, "update of all", s.Must(t, "POST", "/ad_groups/"+id, last).Map(t), last)
	})
	t.Run("after a restart", func(t *testing.T) {
		s := emulatortest.Start(t, kept)
		shows(t, "read", s.Must(t, "GET", "/ad_groups/"+id, nil).Map(t), last)
		audit := string(s.Must(t, "GET", "/audit_logs?limit=100", nil).Body)
		for _, a := range ads.AdGroupAttributes {
			if a.In&ads.Update != 0 && !strings.Contains(audit, `"`+a.Name+`":`) {
				t.Errorf("the audit log has no change of %s", a.Name)
			}
		}
	})
}

func checkNull(t *testing.T, s *emulatortest.Service, id string, a ads.Attribute) {
	t.Helper()
	if a.In&ads.Update == 0 {
		return
	}
	got := s.Do(t, "POST", "/ad_groups/"+id, object{a.Name: nil})
	switch {
	case got.Status < 300 != a.Clears:
		t.Errorf("null for %s = %d %s; want it taken: %t", a.Name, got.Status, got.Body, a.Clears)
	case a.Clears && got.Map(t)[a.Name] != nil:
		t.Errorf("%s after null is %v; want null", a.Name, got.Map(t)[a.Name])
	}
}

func checkLimit(t *testing.T, s *emulatortest.Service, id string, a ads.Attribute) {
	t.Helper()
	if a.Most == 0 || a.In&ads.Update == 0 {
		return
	}
	long := any(strings.Repeat("x", a.Most+1))
	if a.JSON == "strings" {
		long = slices.Repeat([]string{"x"}, a.Most+1)
	}
	if got := s.Do(t, "POST", "/ad_groups/"+id, object{a.Name: long}); got.Status != 400 {
		t.Errorf("%s one above its limit = %d; want 400", a.Name, got.Status)
	}
}

func TestAnAttributeIsOneRowInBulk(t *testing.T) {
	ads.NewRows(t)
	s := emulatortest.Start(t)
	first := with(given(t, ads.BulkCreate, 0), object{"campaign_idempotency_key": "c"})
	runs(t, s,
		object{"operation_id": "1", "type": "campaign.create", "idempotency_key": "c", "input": object{
			"name": "Bulk", "max_budget_micros": 5_000_000, "billing_event_type": "click"}},
		object{"operation_id": "2", "type": "ad_group.create", "idempotency_key": "g", "input": first},
	)
	group := one(t, s)
	shows(t, "bulk create", group, first)
	second := given(t, ads.BulkUpdate, 1)
	update := func(input object) {
		t.Helper()
		runs(t, s, object{"operation_id": "3", "type": "ad_group.update",
			"target_resource_id": group["id"], "input": input})
	}
	update(second)
	shows(t, "bulk update", one(t, s), second)
	for _, a := range ads.AdGroupAttributes {
		if a.Clears && a.In&ads.BulkUpdate != 0 {
			update(object{a.Name: nil})
			if got := one(t, s)[a.Name]; got != nil {
				t.Errorf("%s after null in bulk is %v; want null", a.Name, got)
			}
		}
	}
}

// one is the only ad group of the account.
func one(t *testing.T, s *emulatortest.Service) object {
	t.Helper()
	campaigns := s.Must(t, "GET", "/campaigns", nil).Map(t)["data"].([]any)
	path := "/ad_groups?campaign_id=" + campaigns[0].(object)["id"].(string)
	return s.Must(t, "GET", path, nil).Map(t)["data"].([]any)[0].(object)
}

// runs wants a job to do all of its operations.
func runs(t *testing.T, s *emulatortest.Service, operations ...object) {
	t.Helper()
	id := s.Must(t, "POST", "/bulk_mutation_jobs", object{"operations": operations}).ID(t)
	if job := s.JobEnd(t, id); job["status"] != "completed" {
		t.Fatalf("job is %v: %s", job["status"], s.Must(t, "GET", "/bulk_mutation_jobs/"+id+"/operations", nil).Body)
	}
}

func TestTheDocumentHasEveryAttribute(t *testing.T) {
	ads.NewRows(t)
	document, _ := openapi.New(emulatortest.Start(t).Routes())
	for schema, call := range map[string]ads.Calls{
		"AdGroupCreate": ads.Create, "AdGroupUpdate": ads.Update,
		"BulkAdGroupCreate": ads.BulkCreate, "BulkAdGroupUpdate": ads.BulkUpdate,
	} {
		for _, a := range ads.AdGroupAttributes {
			has := document.Components.Schemas[schema].Fields.Named(a.Name) != nil
			if want := a.In&call != 0; has != want {
				t.Errorf("%s has %s: %t; want %t", schema, a.Name, has, want)
			}
		}
	}
	for _, a := range ads.AdGroupAttributes {
		if has := document.Components.Schemas["AdGroup"].Fields.Named(a.Name) != nil; has == a.Hidden {
			t.Errorf("AdGroup has %s: %t; want %t", a.Name, has, !a.Hidden)
		}
	}
}
