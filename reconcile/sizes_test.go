package reconcile_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
)

// A plan that begins to include an audience that is too small says so, by what the service
// shows of its size and takes for the use. Where it takes it all the same, where the size
// is not known, and where it is large enough, the plan says nothing.
func TestAPlanWarnsOfAnAudienceThatIsTooSmall(t *testing.T) {
	const small, large = 100, 25_000
	for _, row := range []struct {
		name   string
		people int
		says   func(id string) (status int, body string) // in the place of the service; nil: it says so itself
		want   string
	}{
		{"small", small, nil, "under_25k"},
		{"large", large, nil, ""},
		{"small, and what it is taken for cannot be read", small,
			func(string) (int, string) { return http.StatusBadRequest, "{}" }, "under_25k"},
		{"small, and taken all the same", small, func(id string) (int, string) {
			return http.StatusOK, fmt.Sprintf(`{"data": [{"id": %q}], "has_more": false}`, id)
		}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.audience("customers", 0, row.people)
			w.campaign("spring", "paused", 90_000_000)
			w.clean()
			id := w.last("audience/customers").ID
			w.write("campaign/spring", map[string]any{"targeting.audiences": []string{"audience/customers"}})
			var asked []string
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				use := r.URL.Query().Get("intended_use")
				if use == "" {
					return send(r)
				}
				asked = append(asked, use+" of "+strings.Join(r.URL.Query()["custom_audience_ids[]"], ","))
				if row.says == nil {
					return send(r)
				}
				answer := httptest.NewRecorder()
				status, body := row.says(id)
				answer.WriteHeader(status)
				_, _ = answer.WriteString(body)
				return answer.Result(), nil
			}), w.store)
			got := ""
			for _, p := range w.plan().Plan.Problems {
				if p.Code == diag.TooFewPeople {
					got += p.Message
				}
			}
			if (got == "") != (row.want == "") || !strings.Contains(got, row.want) {
				t.Errorf("warns %q; want it to name %q", got, row.want)
			}
			if want := []string{"inclusion of " + id}; row.people == small && !slices.Equal(asked, want) ||
				row.people == large && len(asked) > 0 {
				t.Errorf("asked for %q; want %q of a small one only", asked, want)
			}
		})
	}
}
