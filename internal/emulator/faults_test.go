package emulator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/emulator/world"
	"adsync/internal/testing/emulatortest"
)

// armed arms one fault and gives its state when asked.
func armed(t *testing.T, s *emulatortest.Service, match, action string) {
	t.Helper()
	s.Must(t, "POST", "/_emulator/faults",
		fmt.Sprintf(`{"faults":[{"name":"it","match":%s,"action":%s}]}`, match, action))
}

func faultState(t *testing.T, s *emulatortest.Service) map[string]any {
	t.Helper()
	return s.Must(t, "GET", "/_emulator/faults", nil).Map(t)["data"].([]any)[0].(map[string]any)
}

func countOf(t *testing.T, s *emulatortest.Service, counter string) string {
	t.Helper()
	return fmt.Sprint(faultState(t, s)[counter])
}

// TestFaultsOfARequest sends one create under each fault: what the caller sees,
// and what the mutation log says happened.
func TestFaultsOfARequest(t *testing.T) {
	rows := []struct {
		action string
		sees   string // status, or no answer
		body   string // a part of the body
		made   int64
	}{
		{`{"drop_before_commit":{}}`, "no answer", "", 0},
		{`{"drop_after_commit":{}}`, "no answer", "", 1},
		{`{"duplicate":{}}`, "200", `"name":"Spring"`, 2},
		{`{"slow":{"bytes_per_second":20000}}`, "200", `"name":"Spring"`, 1},
		{`{"status":{"code":503,"retry_after":7}}`, "503 after 7", `"code":"injected_fault"`, 0},
		{`{"status":{"code":500,"body":"upstream","commit":true}}`, "500", "upstream", 1},
		{`{"status":{"code":502,"body":{"oops":1}}}`, "502", `{"oops":1}`, 0},
		{`{"mutate_body":{"how":"html"}}`, "200", "<!doctype html>", 1},
		{`{"mutate_body":{"how":"unknown_enum"}}`, "200", `"status":"unknown_v2"`, 1},
		{`{"mutate_body":{"how":"unknown_enum","field":"bidding_type","value":"views"}}`,
			"200", `"bidding_type":"views"`, 1},
	}
	for _, row := range rows {
		s := emulatortest.Start(t)
		armed(t, s, `{"method":"POST","path":"/campaigns"}`, row.action)
		got, err := s.Send(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"))
		if sees := seen(got, err); sees != row.sees || !strings.Contains(string(got.Body), row.body) {
			t.Errorf("%s: %s %s, want %s with %s", row.action, sees, got.Body, row.sees, row.body)
		}
		if made := s.World().MutationCount(); made != row.made {
			t.Errorf("%s: %d mutations, want %d", row.action, made, row.made)
		}
		if fired := countOf(t, s, "fired"); fired != "1" {
			t.Errorf("%s: fired %s times, want 1", row.action, fired)
		}
	}
}

func seen(got emulatortest.Reply, err error) string {
	if err != nil {
		return "no answer"
	}
	if after := got.Header.Get("Retry-After"); after != "" {
		return fmt.Sprint(got.Status, " after ", after)
	}
	return fmt.Sprint(got.Status)
}

func TestBodiesThatAreCutOrEmpty(t *testing.T) {
	rows := []struct{ action, missing string }{
		{`{"mutate_body":{"how":"truncate"}}`, "}\n"},
		{`{"mutate_body":{"how":"empty"}}`, "{"},
		{`{"mutate_body":{"how":"drop_field","field":"bidding_type"}}`, "bidding_type"},
	}
	for _, row := range rows {
		s := emulatortest.Start(t)
		s.Campaign(t, "Spring")
		armed(t, s, `{"path":"/campaigns"}`, row.action)
		got := s.Do(t, "GET", "/campaigns", nil)
		if got.Status != 200 || strings.HasSuffix(string(got.Body), row.missing) ||
			row.missing != "}\n" && strings.Contains(string(got.Body), row.missing) {
			t.Errorf("%s: %d %q, want 200 without %q", row.action, got.Status, got.Body, row.missing)
		}
	}
}

func TestWhenAFaultStrikes(t *testing.T) {
	rows := []struct{ match, want string }{
		{`{}`, "xxxxxx"},
		{`{"method":"POST"}`, "......"},
		{`{"path":"/campaigns"}`, "xxxxxx"},
		{`{"path":"/ad_groups"}`, "......"},
		{`{"nth":3}`, "..x..."},
		{`{"every":2}`, ".x.x.x"},
		{`{"times":2}`, "xx...."},
		{`{"every":2,"times":2}`, ".x.x.."},
		{`{"actor":"key_of_another"}`, "......"},
		{`{"probability":0.5}`, ""},
	}
	for _, row := range rows {
		first, second := pattern(t, row.match), pattern(t, row.match)
		if row.want != "" && first != row.want {
			t.Errorf("match %s strikes %s, want %s", row.match, first, row.want)
		}
		if first != second {
			t.Errorf("match %s strikes %s, then %s; a seed gives the same", row.match, first, second)
		}
	}
}

// pattern is which of six reads a fault strikes.
func pattern(t *testing.T, match string) (struck string) {
	t.Helper()
	s := emulatortest.Start(t)
	armed(t, s, match, `{"status":{"code":503}}`)
	for range 6 {
		mark := "."
		if s.Do(t, "GET", "/campaigns", nil).Status == 503 {
			mark = "x"
		}
		struck += mark
	}
	return struck
}

func TestPathsOfFaults(t *testing.T) {
	for path, want := range map[string]int{
		"/campaigns/{campaign_id}": 503, "/campaigns/*": 503, "/campaigns": 200, "/*": 200,
	} {
		s := emulatortest.Start(t)
		id := s.Campaign(t, "Spring")
		armed(t, s, `{"path":"`+path+`"}`, `{"status":{"code":503}}`)
		if got := s.Do(t, "GET", "/campaigns/"+id, nil).Status; got != want {
			t.Errorf("path %s gives %d for a campaign, want %d", path, got, want)
		}
	}
}

// TestALateArrival holds a create back, lets its caller give up, and releases it.
func TestALateArrival(t *testing.T) {
	s := emulatortest.Start(t)
	armed(t, s, `{"method":"POST","path":"/campaigns"}`, `{"hold_until":{"step":"later"}}`)
	s.Client.Timeout = 20 * time.Millisecond
	if _, err := s.Send(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring")); err == nil {
		t.Fatal("a held request was answered")
	}
	s.Client.Timeout = 0
	if held, made := countOf(t, s, "held"), s.World().MutationCount(); held != "1" || made != 0 {
		t.Fatalf("held %s, %d mutations; want 1 and 0", held, made)
	}
	expect(t, "another step", s.Do(t, "POST", "/_emulator/faults/release", `{"step":"other"}`),
		refusal{404, "not_found", ""})
	if got := s.Must(t, "POST", "/_emulator/faults/release",
		`{"step":"later"}`).Map(t)["released"]; fmt.Sprint(got) != "1" {
		t.Errorf("released %v, want 1", got)
	}
	eventually(t, "the late create is carried out", func() bool { return s.World().MutationCount() == 1 })
	s.Campaign(t, "After the step is reached nothing waits")
}

func TestAHeldAnswerWasCarriedOut(t *testing.T) {
	s := emulatortest.Start(t)
	armed(t, s, `{"method":"POST"}`, `{"hold_until":{"step":"later","side":"answer"}}`)
	answered := make(chan int)
	go func() {
		got, _ := s.Send(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"))
		answered <- got.Status
	}()
	eventually(t, "the answer is held", func() bool { return countOf(t, s, "held") == "1" })
	if made := s.World().MutationCount(); made != 1 {
		t.Errorf("%d mutations while the answer is held, want 1", made)
	}
	s.Must(t, "DELETE", "/_emulator/faults/it", nil)
	if status := <-answered; status != 200 {
		t.Errorf("status after the fault was disarmed = %d, want 200", status)
	}
}

// eventually waits for what another goroutine does, at most ten seconds of real time.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("not in 10 s: %s", what)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func TestDelayRunsOnTheEmulatorsClock(t *testing.T) {
	s := emulatortest.Start(t, frozen)
	armed(t, s, `{"method":"POST"}`, `{"delay":{"for":"1h"}}`)
	answered := make(chan int)
	go func() {
		got, _ := s.Send(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"))
		answered <- got.Status
	}()
	eventually(t, "the create is delayed", func() bool { return countOf(t, s, "fired") == "1" })
	if made := s.World().MutationCount(); made != 0 {
		t.Errorf("%d mutations before the delay is over", made)
	}
	eventually(t, "the create is answered when the clock is moved", func() bool {
		s.Advance(t, 3600)
		select {
		case status := <-answered:
			return status == 200
		default:
			return false
		}
	})
}

func TestForeignWrites(t *testing.T) {
	rows := []struct{ match, write, method, path, want string }{
		{`{"method":"GET","path":"/campaigns/{campaign_id}"}`,
			`"patch":{"name":"Theirs"}`, "GET", "/campaigns/{campaign}", "update Theirs paused"},
		{`{"method":"POST","path":"/campaigns/{campaign_id}"}`,
			`"patch":{"name":"Theirs"},"when":"after"`, "POST", "/campaigns/{campaign}", "update Theirs paused"},
		{`{"method":"GET"}`, `"path":"/campaigns/{campaign_id}/activate","patch":{}`,
			"GET", "/campaigns/{campaign}", "activate Spring active"},
		{`{"method":"POST"}`, `"path":"/campaigns/{id}/archive","patch":{},"when":"after"`,
			"POST", "/campaigns", "archive Mine archived"},
	}
	for _, row := range rows {
		s := emulatortest.Start(t)
		id := s.Campaign(t, "Spring")
		armed(t, s, row.match, `{"foreign_write":{"actor":"somebody",`+row.write+`}}`)
		body := any(nil)
		if row.method == "POST" {
			body = map[string]any{"name": "Mine"}
		}
		if row.path == "/campaigns" {
			body = emulatortest.CampaignBody("Mine")
		}
		s.Must(t, row.method, strings.ReplaceAll(row.path, "{campaign}", id), body)
		log, err := s.World().Mutations(0, 100)
		if err != nil {
			t.Fatal(err)
		}
		last := log[len(log)-1]
		if got := last.Action + " " + nameAndStatus(mapOf(t, last)); got != row.want || last.Actor != "somebody" {
			t.Errorf("%s: %s by %s, want %s by somebody (%v)", row.write, got, last.Actor, row.want, faultState(t, s))
		}
	}
}

func mapOf(t *testing.T, m world.Mutation) any {
	t.Helper()
	return emulatortest.Reply{Body: m.After}.Map(t)
}

func TestAForeignWriteThatIsRefusedSaysWhy(t *testing.T) {
	s := emulatortest.Start(t)
	armed(t, s, `{}`, `{"foreign_write":{"actor":"somebody","path":"/campaigns/none","patch":{"name":"Theirs"}}}`)
	s.Must(t, "GET", "/campaigns", nil)
	if problem := countOf(t, s, "problem"); !strings.Contains(problem, "No campaign found with id 'none'") {
		t.Errorf("problem = %q", problem)
	}
}

func TestFlips(t *testing.T) {
	rows := []struct {
		flip, path string
		before     int
		after      int
	}{
		{`{"what":"billing"}`, "/ad_account/spend_limit_windows", 200, 403},
		{`{"what":"feature","feature":"bulk"}`, "/bulk_mutation_jobs/blkmtnjob_1", 404, 404},
		{`{"what":"account"}`, "/ad_account", 200, 200},
	}
	for _, row := range rows {
		s := emulatortest.Start(t)
		a := s.World().Account(emulatortest.AccountID)
		was := profileOf(a)
		if got := s.Do(t, "GET", row.path, nil).Status; got != row.before {
			t.Errorf("%s: %d before the flip, want %d", row.flip, got, row.before)
		}
		armed(t, s, `{"nth":1}`, `{"flip":`+row.flip+`}`)
		s.Must(t, "GET", "/campaigns", nil)
		if got := s.Do(t, "GET", row.path, nil).Status; got != row.after {
			t.Errorf("%s: %d after the flip, want %d", row.flip, got, row.after)
		}
		if is := profileOf(a); is == was {
			t.Errorf("%s: the account is as it was: %s", row.flip, is)
		}
	}
}

func profileOf(a *world.Account) (text string) {
	a.View(func() error {
		p := a.Profile()
		text = fmt.Sprint(p.Status, p.Features)
		return nil
	})
	return text
}

func TestControlOfFaults(t *testing.T) {
	s := emulatortest.Start(t)
	armed(t, s, `{}`, `{"slow":{"bytes_per_second":1000000}}`)
	expect(t, "a name that is taken", s.Do(t, "POST",
		"/_emulator/faults", `{"faults":[{"name":"it","action":{"duplicate":{}}}]}`), refusal{409, "name_taken", ""})
	expect(t, "an unknown field", s.Do(t, "POST", "/_emulator/faults",
		`{"faults":[{"nmae":"x","action":{"duplicate":{}}}]}`), bad("unknown_parameter", "faults[0].nmae"))
	s.Must(t, "POST", "/_emulator/faults", `{"faults":[{"action":{"duplicate":{}}},{"action":{"duplicate":{}}}]}`)
	var names []string
	for _, each := range s.Must(t, "GET", "/_emulator/faults", nil).Map(t)["data"].([]any) {
		names = append(names, fmt.Sprint(each.(map[string]any)["name"]))
	}
	if got := fmt.Sprint(names); got != "[it duplicate-1 duplicate-2]" {
		t.Errorf("names = %s", got)
	}
	s.Must(t, "DELETE", "/_emulator/faults/duplicate-1", nil)
	expect(t, "disarmed twice", s.Do(t, "DELETE", "/_emulator/faults/duplicate-1", nil), refusal{404, "not_found", ""})
	if got := s.Must(t, "DELETE", "/_emulator/faults", nil).Map(t)["disarmed"]; fmt.Sprint(got) != "2" {
		t.Errorf("disarmed %v, want 2", got)
	}
}

// TestFaultsStrikeServiceRequestsOnly: the emulator's own addresses stay usable.
func TestFaultsStrikeServiceRequestsOnly(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) { o.Seed = 7 })
	armed(t, s, `{}`, `{"drop_before_commit":{}}`)
	for _, path := range []string{"/_emulator/faults", "/_emulator/clock", "/_emulator/mutations"} {
		s.Must(t, "GET", path, nil)
	}
	if _, err := s.Send(t, "GET", "/campaigns", nil); err == nil {
		t.Error("a dropped request was answered")
	}
}
