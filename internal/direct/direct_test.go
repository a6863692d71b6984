package direct

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/state"
)

// kept is the history of a test: what it said each time, in order.
type kept struct{ said []string }

func (k *kept) NextSequence(context.Context) (int64, error) { return 7, nil }

func (k *kept) RecordRun(_ context.Context, run state.Run) error {
	k.said = append(k.said, run.ID+" "+run.Summary)
	return nil
}

// A client of a verb sends its one endpoint, whoever asks for what.
func TestAClientSendsTheEndpointOfItsVerbOnly(t *testing.T) {
	var reached []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached = append(reached, r.Method+" "+r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"id":"x","operation_id":"op_1"}`))
	}))
	defer service.Close()
	for _, v := range Verbs() {
		if v.Elsewhere {
			continue
		}
		client, err := v.Dial(func(cfg adsapi.Config) (*adsapi.Client, error) {
			cfg.BaseURL, cfg.Key = service.URL+"/v1", adsapi.NewSecret("secret-of-a-test")
			return adsapi.New(cfg)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range Verbs() {
			path := strings.ReplaceAll(other.Path, "{id}", "a")
			if other.Elsewhere {
				path = "/campaigns/a/pause"
			}
			reached = nil
			_, err := client.Send(t.Context(), adsapi.Mutation{Path: path, IDField: "id"})
			if other.Name == v.Name && (err != nil || len(reached) != 1) {
				t.Errorf("%s by itself: %v, reached %q", v.Name, err, reached)
			}
			if other.Name != v.Name && (err == nil || len(reached) > 0 ||
				adsapi.AppliedOf(err) != adsapi.Never) {
				t.Errorf("%s sends %s: %v, reached %q; want it refused", v.Name, path, err, reached)
			}
		}
		for path, want := range map[string]int{"/campaigns": 0, "/ad_account": 1} {
			reached = nil
			_, err := client.Reader().Get(t.Context(), path, nil)
			if len(reached) != want || (err == nil) != (want == 1) {
				t.Errorf("%s reads %s: %v, reached %q; want %d", v.Name, path, err, reached, want)
			}
		}
	}
}

func TestWhatIsSentElsewhereGoesToItsAddressOnly(t *testing.T) {
	address, _ := url.Parse("https://events.example/v1/events")
	for target, want := range map[string]bool{
		"https://events.example/v1/events?pid=1":    true,
		"https://events.example/v1/others":          false,
		"https://events.example:444/v1/events":      false,
		"http://events.example/v1/events":           false,
		"https://ads.example/v1/events":             false,
		"https://user@events.example/v1/events":     false,
		"https://events.example/v1/x/%2e%2e/events": false,
	} {
		reached := false
		carrier := Named("conversions send").Carry(address, trip(func(*http.Request) (*http.Response, error) {
			reached = true
			return &http.Response{StatusCode: http.StatusOK}, nil
		}))
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := carrier.RoundTrip(r); reached != want || (err == nil) != want {
			t.Errorf("%s: reached %t, %v; want %t", target, reached, err, want)
		}
	}
}

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTheHistoryKnowsAVerbBeforeItIsSent(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		failure    error
		unknown    bool
	}{
		{"done", `direct-000007 keys create of "d": done, sa_1 by ann, 2026-03-01T00:00:00Z`, nil, false},
		{"certainly not done", `direct-000007 keys create of "d": not done by ann, 2026-03-01T00:00:00Z`,
			ErrNotDone, false},
		{"lost", `direct-000007 keys create of "d": unknown, no answer was read by ann, 2026-03-01T00:00:00Z`,
			errors.New("secret words"), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := &kept{}
			h := History{Store: k, By: "ann", Now: func() time.Time {
				return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			}}
			err := h.Do(t.Context(), Named("keys create"), `"d"`, func(context.Context) (string, error) {
				if len(k.said) != 1 || !strings.Contains(k.said[0], "unknown, as no answer is recorded") {
					t.Errorf("before it is sent the history says %q", k.said)
				}
				return "sa_1", tc.failure
			})
			_, unknown := errors.AsType[*UnknownError](err)
			if len(k.said) != 2 || k.said[1] != tc.want || unknown != tc.unknown || !errors.Is(err, tc.failure) {
				t.Errorf("Do = %v, and the history says %q; want %q", err, k.said[1:], tc.want)
			}
		})
	}
}

func TestNobodyLooksOn(t *testing.T) {
	allowed := func(word string) string {
		return map[string]string{"direct=audience-cancel": "Ann", "direct=keys-create": "Ann"}[word]
	}
	for name, want := range map[string]string{"audience cancel": "Ann", "keys create": "", "audience resume": ""} {
		owner, err := Named(name).Consent(t.Context(), Attendance{Allowed: allowed}, "?")
		if _, unattended := errors.AsType[*UnattendedError](err); owner != want || unattended != (want == "") {
			t.Errorf("%s: %q, %v; want %q", name, owner, err, want)
		}
	}
}
