package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"adsync/internal/emulator/population"
)

// standing are the ids of what is there of some kinds.
func (w *world) standing(of func(kind string) bool) []string {
	live := w.history.Live(1 << 60)
	return slices.DeleteFunc(w.history.Standing(), func(id string) bool { return !of(live[id].Kind) })
}

// foreignOther is what somebody else does to limits, audiences and the account.
func (w *world) foreignOther(a action) {
	w.collect()
	ids := w.standing(func(kind string) bool {
		return mostOther[kind] > 0 && kind != "pixel" && kind != "event_setting"
	})
	if len(ids) == 0 || a.What%10 == 9 {
		w.foreignAccount(a)
		return
	}
	id := ids[a.Target%len(ids)]
	switch kind := w.history.Live(1 << 60)[id].Kind; kind {
	case "audience":
		if a.What%4 == 0 {
			w.person("/custom_audiences/"+id+"/archive", nil)
			return
		}
		w.addByHand(id, a.Value)
	case "spend_limit_window":
		path := "/ad_account/spend_limit_windows/" + id
		switch a.What % 4 {
		case 0:
			w.person(path+"/delete", nil)
		case 1:
			w.person(path, map[string]any{"name": w.history.TagOf(id) + " by hand"})
		default:
			w.person(path, map[string]any{"amount_micros": int64(12+a.Value%70) * 1_000_000})
		}
	case "daily_spend_limit":
		w.foreignDaily(id, a)
	}
}

func (w *world) foreignDaily(id string, a action) {
	_, limits := w.ask(http.MethodGet, "/ad_account/spend_limit_windows", nil)
	body := map[string]any{"window_id": id, "expected_revision": limits["revision"]}
	if a.What%4 == 0 {
		w.person("/ad_account/daily_spend_limit/delete", body)
		return
	}
	body["amount_micros"] = int64(12+a.Value%70) * 1_000_000
	w.person("/ad_account/daily_spend_limit", body)
}

func (w *world) foreignAccount(a action) {
	switch a.Value % 4 {
	case 0:
		w.person("/ad_account/pause", nil)
	case 1:
		w.person("/ad_account/activate", nil)
	case 2:
		w.person("/ad_account/brand", map[string]any{"brand_name": fmt.Sprintf("Brand by hand %d", a.Value)})
	default:
		w.person("/ad_account/spend_limit_windows", map[string]any{
			"name": "x stranger", "start_date": "2050-01-01", "end_date": "2050-02-01", "amount_micros": 5_000_000,
		})
	}
}

// addByHand has somebody put a person into an audience.
func (w *world) addByHand(id string, n int) {
	body := map[string]any{
		"identifiers": []map[string]string{{"identifier_type": "email",
			"identifier": population.Identifier(population.Email, 500+n)}},
	}
	w.person("/custom_audiences/"+id+"/add", body,
		"Idempotency-Key", fmt.Sprintf("somebody-%d-%d", n, len(w.history.W)))
}

// beforeHand has somebody come first, between an agent's look and its write that
// names a revision.
func (w *world) beforeHand(r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	if !w.race || r.Method != http.MethodPost {
		return
	}
	switch {
	case strings.HasPrefix(path, "/custom_audiences/") && strings.HasSuffix(path, "/replace"):
		w.addByHand(strings.Split(path, "/")[2], 30)
	case strings.HasPrefix(path, "/ad_account/daily_spend_limit"):
		id := ""
		if body, err := r.GetBody(); err == nil {
			var names struct {
				ID string `json:"window_id"`
			}
			_ = json.NewDecoder(body).Decode(&names) // a new one has none
			id = names.ID
		}
		if id == "" {
			return
		}
		w.foreignDaily(id, action{What: 1, Value: 44})
	default:
		return
	}
	w.race = false
	w.count("somebody first at " + path[strings.LastIndex(path, "/")+1:])
}

// otherFaults are faults of the kinds beyond the tree.
var otherFaults = strings.Split(strings.TrimSpace(`
{"match": {"method": "POST", "path": "/custom_audiences", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"method": "POST", "path": "/custom_audiences", "times": 1}, "action": {"duplicate": {}}}
{"match": {"method": "POST", "path": "/uploads", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"path": "/custom_audiences/{custom_audience_id}/replace", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"path": "/custom_audiences/{custom_audience_id}/replace", "times": 2}, "action": {"drop_before_commit": {}}}
{"match": {"path": "/custom_audiences/{custom_audience_id}/replace", "times": 1}, "action": {"status": {"code": 409}}}
{"match": {"path": "/custom_audiences/{custom_audience_id}/replace", "times": 1}, "action": {"status": {"code": 503, "commit": true}}}
{"match": {"path": "/custom_audiences/{custom_audience_id}/add", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"path": "/custom_audiences/{custom_audience_id}/remove", "times": 1}, "action": {"duplicate": {}}}
{"match": {"path": "/custom_audiences/{custom_audience_id}/operations/{operation_id}", "times": 3}, "action": {"status": {"code": 503}}}
{"match": {"path": "/custom_audiences/merge", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"path": "/custom_audiences/{custom_audience_id}/archive", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"method": "POST", "path": "/ad_account/daily_spend_limit", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"method": "POST", "path": "/ad_account/daily_spend_limit", "times": 1}, "action": {"status": {"code": 409}}}
{"match": {"method": "POST", "path": "/ad_account/daily_spend_limit", "times": 1}, "action": {"status": {"code": 503, "commit": true}}}
{"match": {"method": "POST", "path": "/ad_account/spend_limit_windows", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"method": "POST", "path": "/ad_account/spend_limit_windows", "times": 1}, "action": {"mutate_body": {"how": "truncate"}}}
{"match": {"path": "/ad_account/spend_limit_windows/{window_id}", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"path": "/ad_account/spend_limit_windows/{window_id}", "times": 1}, "action": {"status": {"code": 422}}}
{"match": {"path": "/ad_account/spend_limit_windows/{window_id}/delete", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"method": "GET", "path": "/ad_account/spend_limit_windows", "every": 3, "times": 3}, "action": {"drop_after_commit": {}}}
{"match": {"path": "/ad_account/brand", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"method": "POST", "path": "/conversions/event_settings", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"method": "POST", "path": "/conversions/pixels", "times": 1}, "action": {"drop_after_commit": {}}}
`), "\n")
