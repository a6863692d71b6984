package emulator_test

import (
	"strings"
	"testing"

	"adsync/internal/testing/emulatortest"
)

// creates are the three creates that take an Idempotency-Key, by path.
func (w *tree) creates() map[string]object {
	return map[string]object{
		"/campaigns": emulatortest.CampaignBody("Twin"),
		"/ad_groups": emulatortest.AdGroupBody(w.campaign, "Twin"),
		"/ads":       emulatortest.AdBody(w.adGroup, "Twin", w.file),
	}
}

func TestKeyMakesACreateRetrySafe(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	for path, body := range w.creates() {
		first := w.Must(t, "POST", path, body, "Idempotency-Key", "k1").ID(t)
		w.Must(t, "POST", path+"/"+first, `{"name":"Renamed"}`)
		again := w.Must(t, "POST", path, body, "Idempotency-Key", "k1").Map(t)
		if again["id"] != first || again["name"] != "Renamed" {
			t.Errorf("%s again = %v %v, want %s as it is now", path, again["id"], again["name"], first)
		}
		if other := w.Must(t, "POST", path, body, "Idempotency-Key", "k2").ID(t); other == first {
			t.Errorf("%s under another key = the same object %s", path, other)
		}
		if none := w.Must(t, "POST", path, body).ID(t); none == first {
			t.Errorf("%s without a key = the same object %s", path, none)
		}
	}
}

func TestKeyLength(t *testing.T) {
	s := emulatortest.Start(t)
	rows := []struct {
		name, key string
		want      refusal
	}{
		{"255 characters", strings.Repeat("k", 255), fine},
		{"256 characters", strings.Repeat("k", 256), bad("invalid_header", "Idempotency-Key")},
		{"blanks", " \t ", bad("invalid_header", "Idempotency-Key")},
	}
	for _, row := range rows {
		expect(t, "key of "+row.name,
			s.Do(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"), "Idempotency-Key", row.key), row.want)
	}
}

func TestKeyBelongsToOneAccount(t *testing.T) {
	s := emulatortest.Start(t, twoAccounts)
	first := s.Must(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"), "Idempotency-Key", "k").ID(t)
	other := s.Must(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"),
		"Idempotency-Key", "k", "Authorization", "Bearer sk-other").ID(t)
	if first == other {
		t.Errorf("two accounts share the campaign %s", first)
	}
}

func TestOpenPointsOfKeys(t *testing.T) {
	conflict := refusal{409, "idempotency_conflict", ""}
	rows := []struct {
		name, points string
		between      func(t *testing.T, w *tree, path, id string)
		body         string // field changed in the second body
		want         refusal
		same         bool
	}{
		{"other body", "", nil, "name", fine, true},
		{"other body", "key_with_other_body=refused", nil, "name", conflict, false},
		{"within its life", "key_ttl=30m", advance(1799), "", fine, true},
		{"after its life", "key_ttl=30m", advance(1800), "", fine, false},
		{"before it is visible", "key_visibility_lag=5s", advance(4), "", fine, false},
		{"when it is visible", "key_visibility_lag=5s", advance(5), "", fine, true},
		{"archived", "", archive, "", fine, true},
		{"archived", "key_of_archived=created", archive, "", fine, false},
		{"archived", "key_of_archived=refused", archive, "", conflict, false},
	}
	for _, row := range rows {
		w := newTree(t, emulatortest.Start(t, emulatortest.WithPoints(t, row.points)))
		for path, body := range w.creates() {
			what := row.points + " " + row.name + " " + path
			first := w.Must(t, "POST", path, body, "Idempotency-Key", "k").ID(t)
			if row.between != nil {
				row.between(t, w, path, first)
			}
			if row.body != "" {
				body = with(body, row.body, "Other")
			}
			got := w.Do(t, "POST", path, body, "Idempotency-Key", "k")
			expect(t, what, got, row.want)
			if row.want == fine && (got.ID(t) == first) != row.same {
				t.Errorf("%s: second create = %s after %s, want same object: %v", what, got.ID(t), first, row.same)
			}
		}
	}
}

func advance(seconds float64) func(*testing.T, *tree, string, string) {
	return func(t *testing.T, w *tree, _, _ string) { w.Advance(t, seconds) }
}

func archive(t *testing.T, w *tree, path, id string) { w.Must(t, "POST", path+"/"+id+"/archive", nil) }

func TestKeyScopes(t *testing.T) {
	for points, want := range map[string]refusal{
		"": fine, "key_scope_endpoints=account": {409, "idempotency_conflict", ""},
	} {
		w := newTree(t, emulatortest.Start(t, emulatortest.WithPoints(t, points)))
		w.Must(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"), "Idempotency-Key", "k")
		expect(t, points+": the key of a campaign on an ad group",
			w.Do(t, "POST", "/ad_groups", emulatortest.AdGroupBody(w.campaign, "Group"), "Idempotency-Key", "k"), want)
	}
	for points, same := range map[string]bool{"": false, "key_scope_bulk=shared": true} {
		s := emulatortest.Start(t, emulatortest.WithPoints(t, points))
		first := s.Must(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"), "Idempotency-Key", "k").ID(t)
		results := (&tree{Service: s}).runJob(t, campaignOp("k"))
		if got := results[0]["resource_id"]; (got == first) != same {
			t.Errorf("%s: bulk create under the key of a single one = %v, first was %s, want same: %v",
				points, got, first, same)
		}
	}
}
