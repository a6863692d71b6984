package adsapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// collect returns the ids of a list and the error that ended it.
func collect(c *Client, collection string, q url.Values) (ids []string, err error) {
	for record, err := range c.List(context.Background(), collection, q) {
		if err != nil {
			return ids, err
		}
		ids = append(ids, record.ID)
	}
	return ids, nil
}

func TestListFollowsTheCursor(t *testing.T) {
	w := &wire{answers: []answer{
		{status: 200, body: `{"object":"list","data":[{"id":"a","odd":{"x":1}},` +
			`{"id":"b"}],"first_id":"a","last_id":"b","has_more":true}`},
		{status: 200, body: `{"object":"list","data":[{"id":"b"},{"id":"c"}],"last_id":"c","has_more":true}`},
		{status: 200, body: `{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":false}`},
	}}
	q := url.Values{"include": {"serving_issues"}}
	ids, err := collect(clientOf(t, w), "ads", q)
	if diff := cmp.Diff([]string{"a", "b", "c"}, ids); err != nil || diff != "" {
		t.Fatalf("List = %v, %v; want each id once\n%s", ids, err, diff)
	}
	var urls []string
	for _, s := range w.requests() {
		urls = append(urls, strings.TrimPrefix(s.url, "https://ads.example/v1/ads?"))
	}
	want := []string{
		"include%5B%5D=serving_issues&limit=500",
		"after=b&include%5B%5D=serving_issues&limit=500",
		"after=c&include%5B%5D=serving_issues&limit=500",
	}
	if diff := cmp.Diff(want, urls); diff != "" {
		t.Errorf("queries (-want +got):\n%s", diff)
	}
	if len(q) != 1 {
		t.Errorf("the caller's query became %v", q)
	}
}

func TestListKeepsTheWholeRecord(t *testing.T) {
	w := &wire{
		answers: []answer{{status: 200,
			body: `{"data":[{"id":"a","status":"resting","odd":{"x":1.50}}],"has_more":false}`}},
	}
	for record, err := range clientOf(t, w).List(t.Context(), "campaigns", nil) {
		if err != nil || string(record.JSON) != `{"id":"a","status":"resting","odd":{"x":1.50}}` {
			t.Fatalf("record %s, %v; want it as it came", record.JSON, err)
		}
	}
}

// N24: what is not the whole list is an error, never a short list.
func TestListThatIsNotWhole(t *testing.T) {
	full := `{"data":[` + strings.TrimSuffix(strings.Repeat(`{"id":"x"},`, 2), ",") + `]}`
	for _, tc := range []struct {
		name    string
		pages   []string
		problem string
	}{
		{name: "a cursor that comes twice", pages: []string{`{"data":[{"id":"a"}],"last_id":"a","has_more":true}`,
			`{"data":[{"id":"b"}],"last_id":"a","has_more":true}`}, problem: `cursor "a" came twice`},
		{name: "cursors in a circle", pages: []string{`{"data":[{"id":"a"}],"last_id":"a","has_more":true}`,
			`{"data":[{"id":"b"}],"last_id":"b","has_more":true}`,
			`{"data":[{"id":"c"}],"last_id":"a","has_more":true}`}, problem: `cursor "a" came twice`},
		{name: "more without a cursor", pages: []string{`{"data":[{"id":"a"}],"has_more":true}`},
			problem: "last_id is absent"},
		{name: "more with a null cursor", pages: []string{`{"data":[{"id":"a"}],"last_id":null,"has_more":"true"}`},
			problem: "last_id is absent"},
		{name: "a full page that does not say", pages: []string{full}, problem: "full page without has_more"},
		{name: "no data", pages: []string{`{"has_more":false}`}, problem: "no data"},
		{name: "null data", pages: []string{`{"data":null,"has_more":false}`}, problem: "no data"},
		{name: "data of another type", pages: []string{`{"data":"none","has_more":false}`},
			problem: `member "data" is a JSON string`},
		{name: "an array", pages: []string{`[{"id":"a"}]`}, problem: "not a whole JSON object"},
		{name: "a row without an id", pages: []string{`{"data":[{"id":"a"},{"name":"b"}],"has_more":false}`},
			problem: "row 2 of the page: it has no id"},
		{name: "a row that is null", pages: []string{`{"data":[null],"has_more":false}`}, problem: "row 1 of the page"},
		{name: "a later page fails", pages: []string{`{"data":[{"id":"a"}],"last_id":"a","has_more":true}`, `<html>`},
			problem: "not a whole JSON object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wire{}
				for _, page := range tc.pages {
					w.answers = append(w.answers, answer{status: 200, body: page})
				}
				_, err := collect(clientOf(t, w), "campaigns", url.Values{"limit": {"2"}})
				if !errors.Is(err, ErrUnreadable) ||
					!strings.Contains(err.Error(), tc.problem) || !strings.Contains(err.Error(), "GET /campaigns") {
					t.Fatalf("List = %v; want an error about %q", err, tc.problem)
				}
			})
		})
	}
}

// N24: a cursor that others' writes made invalid, or that led in a circle once,
// costs a pass from the beginning, and every id still comes once.
func TestListBeginsAnew(t *testing.T) {
	const first, second = `{"data":[{"id":"a"}],"last_id":"a","has_more":true}`,
		`{"data":[{"id":"b"}],"last_id":"b","has_more":true}`
	moved := answer{status: 400, body: `{"error":{"message":"Invalid pagination cursor."}}`}
	for name, answers := range map[string][]answer{
		"a cursor that was refused": {{status: 200, body: first}, moved, {status: 200, body: first},
			{status: 200, body: second}, {status: 200, body: `{"data":[{"id":"c"}],"has_more":false}`}},
		"a cursor that came twice": {{status: 200, body: first}, {status: 200, body: first}, {status: 200,
			body: first}, {status: 200, body: second}, {status: 200, body: `{"data":[{"id":"c"}],"has_more":false}`}},
		"rows that moved to the front": {{status: 200, body: second}, moved,
			{status: 200, body: first}, {status: 200, body: `{"data":[{"id":"c"},{"id":"b"}],"has_more":false}`}},
		"a list that got shorter, and is": {{status: 200,
			body: `{"data":[{"id":"a"},{"id":"b"}],"last_id":"b","has_more":true}`},
			moved, {status: 200, body: `{"data":[{"id":"c"}],"has_more":false}`}},
	} {
		ids, err := collect(clientOf(t, &wire{answers: answers}), "campaigns", nil)
		slices.Sort(ids)
		if err != nil || !slices.Equal(ids, []string{"a", "b", "c"}) {
			t.Errorf("%s: List = %v, %v; want a, b and c", name, ids, err)
		}
	}
}

// A list whose cursors are always refused ends as not whole, and not as missing.
func TestListThatIsAlwaysRefused(t *testing.T) {
	n := 0
	c, _ := serving(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		if r.URL.Query().Has("after") {
			respond(w, 404, `{"message":"no such cursor"}`)
			return
		}
		respond(w, 200, `{"data":[{"id":"a"}],"last_id":"a","has_more":true}`)
	})
	_, err := collect(c, "ads", nil)
	if !errors.Is(err, ErrUnreadable) || errors.Is(err, ErrNotFound) ||
		n != 2*(maxRestarts+1) || !strings.Contains(err.Error(), "no such cursor") {
		t.Fatalf("List = %v after %d requests; want unreadable after %d", err, n, 2*(maxRestarts+1))
	}
}

func TestListTolerates(t *testing.T) {
	for _, tc := range []struct{ name, page string }{
		{name: "no has_more on a short page", page: `{"data":[{"id":"7"}]}`},
		{name: "has_more as text", page: `{"data":[{"id":"7"}],"has_more":"false"}`},
		{name: "an id that is a number", page: `{"data":[{"id":7}],"has_more":false,"count":"1"}`},
	} {
		w := &wire{answers: []answer{{status: 200, body: tc.page}}}
		if ids, err := collect(clientOf(t, w), "campaigns", nil); err != nil || !cmp.Equal(ids, []string{"7"}) {
			t.Errorf("%s: List = %v, %v; want 7", tc.name, ids, err)
		}
	}
}

func TestListThatNeverEnds(t *testing.T) {
	n := 0
	c, _ := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		n++
		respond(w, 200, fmt.Sprintf(`{"data":[{"id":"same"}],"last_id":"%d","has_more":true}`, n))
	})
	if _, err := collect(c, "ads", nil); err == nil || !strings.Contains(err.Error(), "brought nothing new") || n > 30 {
		t.Fatalf("List = %v after %d pages; want an error soon", err, n)
	}
}

func TestListStopsWhenTheCallerDoes(t *testing.T) {
	w := &wire{answers: []answer{{status: 200, body: `{"data":[{"id":"a"},{"id":"b"}],"last_id":"b","has_more":true}`}}}
	for range clientOf(t, w).List(t.Context(), "ads", nil) {
		break
	}
	if len(w.requests()) != 1 {
		t.Fatalf("%d pages were read; want 1", len(w.requests()))
	}
}

func TestListOfManyPagesIsWhole(t *testing.T) {
	const total = 1234
	c, _ := serving(t, func(w http.ResponseWriter, r *http.Request) {
		from, _ := strconv.Atoi(r.URL.Query().Get("after"))
		to := min(from+500, total)
		rows := make([]map[string]string, 0, 500)
		for i := from; i < to; i++ {
			rows = append(rows, map[string]string{"id": strconv.Itoa(i + 1)})
		}
		text, _ := json.Marshal(map[string]any{"data": rows, "last_id": strconv.Itoa(to), "has_more": to < total})
		respond(w, 200, string(text))
	})
	ids, err := collect(c, "campaigns", nil)
	if err != nil || len(ids) != total || ids[total-1] != "1234" {
		t.Fatalf("List = %d ids, %v; want %d", len(ids), err, total)
	}
}

func TestRowsKeepsEveryRow(t *testing.T) {
	w := &wire{
		answers: []answer{{status: 200,
			body: `{"data":[{"clicks":1},{"clicks":1}],"count":2,"has_more":false,"last_id":null}`}},
	}
	var rows []string
	for row, err := range clientOf(t, w).Rows(t.Context(), "ad_account/insights", url.Values{"fields": {"clicks"}}) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, string(row))
	}
	if len(rows) != 2 || !strings.HasSuffix(w.requests()[0].url,
		"/v1/ad_account/insights?fields%5B%5D=clicks&limit=2000") {
		t.Fatalf("Rows = %v from %s; want two rows", rows, w.requests()[0].url)
	}
}

func TestReadRefusesIDsThatWouldChangeThePath(t *testing.T) {
	w := &wire{answers: []answer{okRecord}}
	for _, id := range []string{"", ".", "..", "a/b", "../ad_account", "a\nb", "a\x00"} {
		if _, err := clientOf(t, w).Read(t.Context(), "campaigns", id, nil); !errors.Is(err, errInvalidRequest) {
			t.Errorf("Read(%q) = %v; want a refusal here", id, err)
		}
		if _, err := clientOf(t, w).Job(t.Context(), id); !errors.Is(err, errInvalidRequest) {
			t.Errorf("Job(%q) = %v; want a refusal here", id, err)
		}
	}
	if len(w.requests()) != 0 {
		t.Fatalf("%d requests were sent", len(w.requests()))
	}
}
