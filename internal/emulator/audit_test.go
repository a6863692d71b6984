package emulator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/testing/emulatortest"
)

// logs are the entries of one answer, each as type:name.
func logs(t *testing.T, s *emulatortest.Service, query string) (entries []string, list map[string]any) {
	t.Helper()
	list = s.Must(t, "GET", "/audit_logs?"+query, nil).Map(t)
	for _, each := range list["data"].([]any) {
		e := each.(map[string]any)
		entries = append(entries, fmt.Sprintf("%v:%v", e["audit_log_type"], e["item_name"]))
	}
	return entries, list
}

// busy is an account in which two campaigns came to be and one was changed.
func busy(t *testing.T) *tree {
	t.Helper()
	s := emulatortest.Start(t, frozen)
	w := &tree{Service: s}
	w.campaign = s.Campaign(t, "Spring")
	s.Campaign(t, "Summer")
	s.Advance(t, 10)
	w.adGroup = s.AdGroup(t, w.campaign, "Runners")
	w.file = s.File(t)
	w.ad = s.Must(t, "POST", "/ads", emulatortest.AdBody(w.adGroup, "Hero", w.file)).ID(t)
	s.Advance(t, 10)
	s.Must(t, "POST", "/campaigns/"+w.campaign, `{"name":"Spring sale"}`)
	s.Must(t, "POST", "/ads/"+w.ad+"/activate", nil)
	return w
}

func TestAuditLogFilters(t *testing.T) { // part 4, audit log query
	w := busy(t)
	const now = 1796112000 // 2026-12-01T08:00:00Z
	key := w.World().Account(emulatortest.AccountID)
	var actor string
	if err := key.View(func() error { actor = key.APIKeys.All()[0].Actor; return nil }); err != nil {
		t.Fatal(err)
	}
	all := []string{"create_campaign:Spring", "create_campaign:Summer", "create_ad_group:Runners",
		"create_file:<nil>", "create_ad:Hero", "update_campaign:Spring sale", "activate_ad:Hero"}
	rows := []struct {
		name, query string
		want        []string
	}{
		{"everything", "", all},
		{"a campaign, its ad groups and ads", "campaign_id={campaign}",
			[]string{all[0], all[2], all[4], all[5], all[6]}},
		{"an ad group and its ads", "ad_group_id={ad_group}", []string{all[2], all[4], all[6]}},
		{"an ad", "ad_id={ad}", []string{all[4], all[6]}},
		{"the actor", "actor_id=" + actor, all},
		{"another actor", "actor_id=key_none", nil},
		{"from a second on", fmt.Sprint("start_time=", now+20), all[5:]},
		{"to a second, inclusive", fmt.Sprint("end_time=", now), all[:2]},
		{"within", fmt.Sprintf("start_time=%d&end_time=%d", now+10, now+19), all[2:5]},
		{"all must hold", fmt.Sprintf("campaign_id={campaign}&end_time=%d", now+9), all[:1]},
		{"a campaign that is not there", "campaign_id=cmpn_none", nil},
	}
	for _, row := range rows {
		got, _ := logs(t, w.Service, "order=asc&"+w.fill(row.query))
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
		newest, _ := logs(t, w.Service, w.fill(row.query))
		slices.Reverse(newest)
		if diff := cmp.Diff(row.want, newest); diff != "" {
			t.Errorf("%s, newest first by default (-want +got):\n%s", row.name, diff)
		}
	}
}

func TestAuditLogParameters(t *testing.T) {
	w := busy(t)
	for query, want := range map[string]refusal{
		"limit=0":                     bad("integer_below_min_value", "limit"),
		"limit=1":                     fine,
		"limit=100":                   fine,
		"limit=101":                   bad("integer_above_max_value", "limit"),
		"order=up":                    bad("invalid_value", "order"),
		"start_time=946684799":        bad("integer_below_min_value", "start_time"),
		"start_time=946684800":        fine,
		"end_time=4102444800":         fine,
		"end_time=4102444801":         bad("integer_above_max_value", "end_time"),
		"start_time=today":            bad("invalid_type", "start_time"),
		"campaign_id=":                bad("invalid_value", "campaign_id"),
		"after=alog_x":                bad("invalid_cursor", "after"),
		"after=cmpn_1":                bad("invalid_cursor", "after"),
		"after=a&before=b":            bad("invalid_value", "before"),
		"after=alog_00000000000fffff": bad("invalid_cursor", "after"),
	} {
		expect(t, "GET /audit_logs?"+query, w.Do(t, "GET", "/audit_logs?"+query, nil), want)
	}
}

func TestAuditLogPages(t *testing.T) {
	w := busy(t)
	for _, order := range []string{"asc", "desc"} {
		all, _ := logs(t, w.Service, "order="+order)
		var forward []string
		cursor := ""
		for {
			page, list := logs(t, w.Service, "limit=3&order="+order+cursor)
			forward = append(forward, page...)
			cursor = fmt.Sprint("&after=", list["last_id"])
			if list["has_more"] != true {
				break
			}
		}
		if diff := cmp.Diff(all, forward); diff != "" {
			t.Errorf("pages of three, %s, against one page (-want +got):\n%s", order, diff)
		}
		last := strings.TrimPrefix(cursor, "&after=")
		back, list := logs(t, w.Service, "limit=2&order="+order+"&before="+last)
		if diff := cmp.Diff(all[len(all)-3:len(all)-1], back); diff != "" || list["has_more"] != true {
			t.Errorf("the two before the last, %s: more %v (-want +got):\n%s", order, list["has_more"], diff)
		}
	}
}

func TestAuditLogEntryIsAsPublished(t *testing.T) { // service facts 9.4
	w := busy(t)
	_, list := logs(t, w.Service, "limit=2")
	update := list["data"].([]any)[1].(map[string]any)
	delete(update, "id")
	delete(update, "actor_id")
	want := emulatortest.Reply{Body: fmt.Appendf(nil, `{
		"audit_log_type": "update_campaign", "obj_type": "Campaign", "obj_id": %q, "item_name": "Spring sale",
		"actor_type": "api_key", "campaign_id": %q, "ad_group_id": null,
		"changes": {"obj_type": "Campaign", "name": {"before": "Spring", "after": "Spring sale"}},
		"hierarchy_info": {"ad_account_id": "adacct_test", "campaign_id": %q, "ad_group_id": null},
		"ts": 1796112020}`, w.campaign, w.campaign, w.campaign)}.Map(t)
	if diff := cmp.Diff(want, update); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	w.Must(t, "POST", "/_emulator/open_points", object{"audit_log_types": "update"})
	if got, _ := logs(t, w.Service, "limit=1"); got[0] != "update_ad:Hero" {
		t.Errorf("audit_log_types=update: an activate is %s, want update_ad:Hero", got[0])
	}
}

func TestEveryMutationHasOneEntry(t *testing.T) {
	w := busy(t)
	addWindow(t, w.Service, "2026-12-10", "2026-12-20", 5_000_000)
	addDaily(t, w.Service, "2026-12-02", nil, 1_000_000)
	w.Must(t, "POST", "/ad_account/brand", `{"brand_name":"Zoom"}`)
	w.Must(t, "POST", "/ad_account/pause", nil)
	w.Must(t, "POST", "/api_keys", `{}`)
	w.JobEnd(t, w.Must(t, "POST", "/bulk_mutation_jobs", job(campaignOp("k1"))).ID(t))
	history, err := w.World().History()
	if err != nil {
		t.Fatal(err)
	}
	got, _ := logs(t, w.Service, "limit=100")
	if len(got) != len(history) {
		t.Errorf("%d entries for %d mutations", len(got), len(history))
	}
	for _, want := range []string{"create_spend_limit_window:<nil>",
		"create_daily_spend_limit:<nil>", "pause_ad_account:Test account", "create_api_key:", "create_file:<nil>"} {
		if !slices.Contains(got, want) {
			t.Errorf("no entry %s in %v", want, got)
		}
	}
}

func TestAuditLogsAreTheAccountsOwn(t *testing.T) {
	s := emulatortest.Start(t, twoAccounts)
	s.Campaign(t, "Spring")
	_, list := logs(t, s, "")
	other := []string{"Authorization", "Bearer sk-other"}
	if got := s.Must(t, "GET", "/audit_logs", nil, other...).Map(t)["data"].([]any); len(got) != 0 {
		t.Errorf("another account sees %v", got)
	}
	expect(t, "cursor of another account", s.Do(t,
		"GET", fmt.Sprint("/audit_logs?after=", list["last_id"]), nil, other...), bad("invalid_cursor", "after"))
	user := login(t, s, "usr_owner", "ads.admin.all.read ads.admin.all.write")
	expect(t, "OAuth", s.Do(t, "GET", "/audit_logs", nil, append(user, "OpenAI-Ad-Account", emulatortest.AccountID)...),
		refusal{403, "permission_denied", ""})
}

func TestAuditLogLag(t *testing.T) { // faults.md, open points
	s := emulatortest.Start(t, frozen, emulatortest.WithPoints(t, "audit_log_lag=60s"))
	s.Campaign(t, "Spring")
	s.Advance(t, 59)
	if got, _ := logs(t, s, ""); len(got) != 0 {
		t.Errorf("after 59 s the log shows %v, want nothing yet", got)
	}
	s.Advance(t, 1)
	if got, _ := logs(t, s, ""); len(got) != 1 {
		t.Errorf("after 60 s the log shows %v, want the create", got)
	}
}
