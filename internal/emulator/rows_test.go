package emulator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"adsync/internal/testing/emulatortest"
)

// tree is an emulator with one of everything, and the ids of them.
type tree struct {
	*emulatortest.Service
	campaign, adGroup, ad, file string
}

func newTree(t testing.TB, s *emulatortest.Service) *tree {
	t.Helper()
	w := &tree{Service: s}
	w.campaign = s.Campaign(t, "Spring")
	w.adGroup = s.AdGroup(t, w.campaign, "Runners")
	w.ad = s.Ad(t, w.adGroup, "Hero")
	w.file = s.File(t)
	return w
}

// fill writes the ids into text: {campaign}, {ad_group}, {ad}, {file}.
func (w *tree) fill(text string) string {
	return strings.NewReplacer("{campaign}", w.campaign,
		"{ad_group}", w.adGroup, "{ad}", w.ad, "{file}", w.file).Replace(text)
}

// refusal is what a request is expected to get: "" for code means success.
type refusal struct {
	status int
	code   string
	param  string
}

var fine = refusal{status: 200}

func bad(code, param string) refusal { return refusal{400, code, param} }

// expect compares an answer with what is wanted.
func expect(t *testing.T, what string, got emulatortest.Reply, want refusal) {
	t.Helper()
	var body struct {
		Error struct{ Message, Type, Param, Code string }
	}
	if err := json.Unmarshal(got.Body, &body); err != nil {
		t.Fatalf("%s = %d %q, want JSON", what, got.Status, got.Body)
	}
	have := refusal{got.Status, body.Error.Code, body.Error.Param}
	if have != want {
		t.Errorf("%s = %+v, want %+v\n%s", what, have, want, got.Body)
	}
	if want.code != "" && body.Error.Message == "" {
		t.Errorf("%s: the refusal has no message: %s", what, got.Body)
	}
}

// with is a body with one field set; a dotted name reaches into objects. absent
// takes the field away.
func with(body map[string]any, name string, value any) map[string]any {
	body = maps.Clone(body)
	first, rest, nested := strings.Cut(name, ".")
	switch {
	case nested:
		inner, _ := body[first].(map[string]any)
		body[first] = with(inner, rest, value)
	case value == absent:
		delete(body, first)
	default:
		if body == nil {
			body = map[string]any{}
		}
		body[first] = value
	}
	return body
}

type nothing struct{}

var absent any = nothing{}

func text(n int) string { return strings.Repeat("é", n) }

func texts(n int, each string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%s %d", each, i)
	}
	return all
}

type object = map[string]any

// serialised is how many bytes a body has on the line.
func serialised(t *testing.T, body any) int {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}
