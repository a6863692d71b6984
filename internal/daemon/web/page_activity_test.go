package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/activity"
	"adsync/internal/orders"
	"adsync/internal/outside"
	"adsync/internal/planview"
)

// busy is an account in which all kinds of things happened.
func (d *fakeDesk) busy() {
	d.mu.Lock()
	defer d.mu.Unlock()
	run := d.runs["shoes"][1]
	run.Started, run.Touched = noon.AddDate(0, 0, -10), 14
	d.ordered = []daemon.Ordered{{
		Time: noon.AddDate(0, 0, -1), Order: "suspend", By: "<b>Bob", Reason: "stock ran out",
	}}
	p := *d.plans["shoes"]
	p.Changes = slices.Clone(p.Changes)
	fields := slices.Clone(p.Changes[0].Fields)
	by := fmt.Sprintf(`{"actor": "Eve in the console", "at": %d}`, noon.AddDate(0, 0, -2).Unix())
	if err := json.Unmarshal([]byte(by), &fields[0].Foreign); err != nil {
		panic(err)
	}
	p.Changes[0].Fields = fields
	d.plans["shoes"] = &p
}

// Runs, orders, approvals and what was changed outside are in one line of time. Figures are compared where all days
// are known: the campaigns of the tests spent 30 a day until three days ago, in which a third one began.
func TestActivityIsOneLineOfTime(t *testing.T) {
	a := ask(t, nil)
	a.desk.busy()
	body := text(t, a.get("/accounts/shoes/activity"))
	last := 0
	for _, want := range []string{
		"Suspended the account <span class=\"why\">by &lt;b&gt;Bob</span><br>stock ran out", "Approved: It starts",
		"Changed outside: ", "by Eve in the console", "/accounts/shoes/runs/run-000001", "spend 210 and 240 USD",
		"clicks 147 and 159",
	} {
		at := strings.Index(body[last:], want)
		if at < 0 {
			t.Fatalf("the page has no %q, or not there:\n%s", want, body)
		}
		last += at
	}
	if !strings.Contains(body, "#"+planview.Anchor(a.desk.plans["shoes"].Changes[0].Address)) {
		t.Error("what was changed outside does not lead to its change")
	}
	var d activityDocument
	if err := json.Unmarshal([]byte(text(t, a.get("/api/v1/accounts/shoes/activity"))), &d); err != nil {
		t.Fatal(err)
	}
	newest := func(a, b activity.Event) int { return b.Time.Compare(a.Time) }
	if len(d.Events) != 5 || d.More || !slices.IsSortedFunc(d.Events, newest) {
		t.Errorf("the API has %d events, more %v; want all of them", len(d.Events), d.More)
	}
}

// What others did is told as the audit log has it, once: where the last plan shows it too, it leads to that. What they
// wrote is text.
func TestActivityTellsWhatOthersDid(t *testing.T) {
	a := ask(t, nil)
	a.desk.busy()
	c := &a.desk.plans["shoes"].Changes[0]
	at := func(days int) time.Time { return noon.AddDate(0, 0, -days) }
	a.desk.outside = outside.Kept{Store: orders.Folder(t.TempDir())}
	if err := a.desk.outside.Note([]outside.Entry{
		{ID: "log_1", Time: at(2), By: "Eve in the console", Action: "update_campaign", Of: "x", Address: c.Address,
			Name: "Both ways", Fields: []string{"name", "bidding_config"}},
		{ID: "log_2", Time: at(3), By: "user <script>", Action: "pause_ad_group", Of: "group_7",
			Name: "<b>Hero</b>\u202e"},
		{ID: "log_3", Time: at(4), Action: "create_<i>", Of: "<u>1"},
		{ID: "log_4", Time: at(5), By: "system", Action: "odd", Of: "campaign_0", Address: "campaign/campaign_0"},
	}); err != nil {
		t.Fatal(err)
	}
	body := text(t, a.get("/accounts/shoes/activity"))
	for want, times := range map[string]int{
		"Changed outside: campaign “Both ways”: Name, Bidding config<": 1, "by Eve in the console": 1,
		"Paused outside: ad group “&lt;b&gt;Hero&lt;/b&gt;": 1, "by user &lt;script&gt;": 1,
		"Created outside: &lt;i&gt; &lt;u&gt;1": 1, "#" + planview.Anchor(c.Address): 1,
		"Changed outside: campaign “campaign_0”": 1,
		"<b>": 0, "<i>": 0, "<u>": 0, "\u202e": 0, "<script>": 0,
	} {
		if have := strings.Count(body, want); have != times {
			t.Errorf("the page has %q %d times; want %d:\n%s", want, have, times, body)
		}
	}
	for of, want := range map[string]string{
		"group_7": "Paused outside: ad group", "campaign/campaign_0": "by system", "campaign_0": "by system",
	} {
		var d activityDocument
		answer := text(t, a.get("/api/v1/accounts/shoes/activity?of="+url.QueryEscape(of)))
		if err := json.Unmarshal([]byte(answer), &d); err != nil {
			t.Fatal(err)
		}
		told := slices.DeleteFunc(d.Events, func(e activity.Event) bool { return e.Kind != "outside" })
		if len(told) != 1 || !strings.Contains(told[0].What+" by "+told[0].By, want) {
			t.Errorf("of %s there is %v; want one, %q", of, told, want)
		}
	}
}

// A long past is shown by pages, each event on one of them.
func TestActivityIsPaged(t *testing.T) {
	a := ask(t, nil)
	for i := range 120 {
		a.desk.ordered = append(a.desk.ordered, daemon.Ordered{
			Time: noon.AddDate(0, 0, -100-i), Order: "resume", By: fmt.Sprintf("person-%d.", i),
		})
	}
	var all string
	for page := 1; page <= 3; page++ {
		body := text(t, a.get(fmt.Sprintf("/accounts/shoes/activity?page=%d", page)))
		if n := strings.Count(body, "<li>"); n > 50 {
			t.Errorf("page %d has %d events; want at most 50", page, n)
		}
		if older := strings.Contains(body, `rel="next"`); older != (page < 3) {
			t.Errorf("page %d leads to an older one: %v", page, older)
		}
		all += body
	}
	for i := range 120 {
		if n := strings.Count(all, fmt.Sprintf("person-%d.", i)); n != 1 {
			t.Errorf("the order of person %d is shown %d times; want once", i, n)
		}
	}
	for _, page := range []string{"0", "x", "99999999999999999999"} {
		wantStatus(t, a.get("/accounts/shoes/activity?page="+page), http.StatusBadRequest)
	}
	wantStatus(t, a.get("/accounts/shoes/activity?page=1000000"), http.StatusOK)
}

// Of a resource there are the runs that changed it, and what somebody changed of it, and nothing else.
func TestActivityOfOneResource(t *testing.T) {
	for _, row := range []struct {
		name, of string
		want     []string
		never    []string
	}{
		{"a run changed it", "campaign_0", []string{"Activity of Name of campaign_0", "/runs/run-000004"},
			[]string{"/runs/run-000002", "Eve", "Suspended", "Approved"}},
		{"by its address", "campaign/campaign_2", []string{"Activity of Name of campaign_2", "/runs/run-000002"},
			[]string{"/runs/run-000004", "Eve"}},
		{"somebody changed it outside", "campaign_1", []string{"Activity of Second", "by Eve in the console"},
			[]string{"/runs/"}},
		{"a run could not change it", "campaign_9", []string{"Nothing is known to have happened"}, []string{"/runs/"}},
		{"there is none", "<b>", []string{"Activity of &lt;b&gt;", "Nothing is known"}, []string{"<b>"}},
	} {
		a := ask(t, nil)
		a.desk.changedThisWeek()
		a.desk.ordered = []daemon.Ordered{{Time: noon, Order: "suspend", By: "Bob", Reason: "x"}}
		answer := a.get("/accounts/shoes/activity?of=" + url.QueryEscape(row.of))
		wantStatus(t, answer, http.StatusOK)
		body := text(t, answer)
		for _, want := range row.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: the page has no %q:\n%s", row.name, want, body)
			}
		}
		for _, never := range row.never {
			if strings.Contains(body, never) {
				t.Errorf("%s: the page has %q", row.name, never)
			}
		}
	}
}
