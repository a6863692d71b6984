package conformance

import (
	"adsync/internal/testing/conformance/rules"
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

func answerOf(t *testing.T, status int, body string) Answer {
	t.Helper()
	a := Answer{Status: status, Body: []byte(body), Header: map[string][]string{"Retry-After": {"10"}}}
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.UseNumber()
	if err := d.Decode(&a.JSON); err != nil {
		t.Fatal(err)
	}
	return a
}

func testValues() *values {
	return &values{
		n: 3, saved: map[string]string{"campaign": "cmpn_1", "revision": "7", "few": "6"}, now: func() time.Time {
			return time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC)
		},
	}
}

func TestChecksHoldAndFail(t *testing.T) {
	a := answerOf(t, 400, `{"id":"cmpn_1","n":7,"list":[{"s":"a"},`+
		`{"s":"b"}],"same":[{"s":"a"}],"empty":[],"null":null,"error":{"message":"No `+
		`such name.","type":"t","param":"name","code":"unknown"}}`)
	rows := []struct {
		name        string
		holds, does check // the first holds of the answer, the second does not
	}{
		{"is", is("id", "{campaign}"), is("id", "cmpn_2")},
		{"is, a number", is("n", "#{revision}"), is("n", "7")},
		{"is, null is not nothing", is("null", nil), is("none", nil)},
		{"is, an entry", is("list[1].s", "b"), is("list[2].s", "b")},
		{"is, the last entry", is("list[last].s", "b"), is("empty[last].s", "b")},
		{"not", not("id", "cmpn_2"), not("id", "{campaign}")},
		{"oneOf", oneOf("n", 6, 7), oneOf("n", 5, 6)},
		{"has", has("null", "list[0].s"), has("none")},
		{"lacks", lacks("none"), lacks("null")},
		{"text", text("id"), text("n")},
		{"integer", integer("n", 7), integer("n", 8)},
		{"more", more("n", "few"), more("n", "revision")},
		{"count", count("list", 2), count("empty", 1)},
		{"count of nothing", count("empty", 0), count("none", 0)},
		{"some", some("list", "s", "b"), some("list", "s", "c")},
		{"none", none("list", "s", "c"), none("list", "s", "b")},
		{"none of nothing", none("empty", "s", "c"), none("none", "s", "c")},
		{"every", every("same", "s", "a"), every("list", "s", "a")},
		{"every of nothing", has("empty"), every("empty", "s", "a")},
		{"contains", contains("id", "{campaign}"), contains("id", "cmpn_2")},
		{"omits", omits("id", "cmpn_2"), omits("id", "{campaign}")},
		{"omits of nothing", omits("id", "x"), omits("none", "x")},
		{"silent", silent("secret"), silent("{campaign}")},
		{"header", header("Retry-After", "10"), header("Retry-After", "11")},
		{"says", says("No such"), says("Never")},
		{"param", paramIs("name"), paramIs("names")},
		{"code", codeIs("unknown"), codeIs("x")},
	}
	for _, row := range rows {
		v := testValues()
		if wrong := row.holds(a, v); wrong != "" {
			t.Errorf("%s: %s, want it to hold", row.name, wrong)
		}
		if row.does(a, v) == "" {
			t.Errorf("%s: the check that does not hold found nothing wrong", row.name)
		}
	}
}

func TestARefusalHasThePublishedBody(t *testing.T) {
	for body, good := range map[string]bool{
		`{"error":{"message":"m","type":"t","param":null,"code":null}}`:  true,
		`{"error":{"message":"m","type":"t","param":"name","code":"x"}}`: true,
		`{"error":{"message":"m","type":"t","param":null}}`:              false,
		`{"error":{"message":"","type":"t","param":null,"code":null}}`:   false,
		`{"error":{"message":"m","type":null,"param":null,"code":null}}`: false,
		`{"message":"m"}`: false,
		`"m"`:             false,
	} {
		if wrong := refusal(answerOf(t, 400, body), testValues()); (wrong == "") != good {
			t.Errorf("refusal(%s) = %q, want good: %v", body, wrong, good)
		}
	}
}

func TestJudgeNamesWhatIsWrong(t *testing.T) {
	r := &run{values: testValues()}
	ok := answerOf(t, 200, `{"id":"x"}`)
	rows := []struct {
		name     string
		step     Step
		answer   Answer
		problems int
		ends     bool
	}{
		{"as wanted", get("/x").gives(is("id", "x")), ok, 0, false},
		{"another status", get("/x").wants(accepted()), ok, 1, false},
		{"one check of two", get("/x").gives(is("id", "x"), is("id", "y")), ok, 1, false},
		{"a given step that fails", get("/x"), answerOf(t, 404, `{}`), 0, true},
		{"nothing to save", get("/x").save("name", "name"), ok, 0, true},
	}
	for _, row := range rows {
		problems, err := r.judge(row.step, row.answer)
		if len(problems) != row.problems || (err != nil) != row.ends {
			t.Errorf("%s: problems %q, error %v; want %d problems, an end: %v",
				row.name, problems, err, row.problems, row.ends)
		}
	}
}

func TestNamesAreFilled(t *testing.T) {
	for text, want := range map[string]string{
		`/campaigns/{campaign}`:   `/campaigns/cmpn_1`,
		`c={campaign_id}`:         `c={campaign_id}`,
		`{"n":"#{revision}"}`:     `{"n":7}`,
		`{"n":"#{revision+1}"}`:   `{"n":8}`,
		`{day} {day+1} {day-365}`: `2026-12-31 2027-01-01 2025-12-31`,
		`{now-60}`:                `1798757940`,
		`row {n}`:                 `row 3`,
	} {
		if got := testValues().fill(text); got != want {
			t.Errorf("fill(%s) = %s, want %s", text, got, want)
		}
	}
}

func TestEndpointsTakeTheirPaths(t *testing.T) {
	for call, want := range map[string]string{
		"POST /custom_audiences/merge":              "POST /custom_audiences/merge",
		"GET /custom_audiences/{audience}":          "GET /custom_audiences/{custom_audience_id}",
		"POST /campaigns/{campaign}/archive":        "POST /campaigns/{campaign_id}/archive",
		"GET /campaigns?limit=1":                    "GET /campaigns",
		"GET /ad_account/spend_limit_windows":       "GET /ad_account/spend_limit_windows",
		"POST /ad_account/daily_spend_limit/delete": "POST /ad_account/daily_spend_limit/delete",
		"POST /ad_account/spend_limit_windows/{w}":  "POST /ad_account/spend_limit_windows/{window_id}",
	} {
		var found []string
		method, path, _ := bytes.Cut([]byte(call), []byte(" "))
		for _, e := range rules.Endpoints {
			if e.Takes(string(method), string(path)) {
				found = append(found, e.Name())
			}
		}
		if len(found) != 1 || found[0] != want {
			t.Errorf("%s is taken by %v, want %s", call, found, want)
		}
	}
}
