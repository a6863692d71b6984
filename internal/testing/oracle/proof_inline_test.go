package oracle

import (
	"encoding/json"
	"testing"
)

// adds is an operation that names its people itself, carried out.
func (h *History) adds(id, key string, people []string) {
	type identifier struct {
		Identifier string `json:"identifier"`
	}
	var named []identifier
	for _, p := range people {
		named = append(named, identifier{p})
	}
	body, _ := json.Marshal(map[string]any{"identifiers": named})
	sent := h.send(1, 3, "/custom_audiences/ca_1/add", key, string(body))
	h.write(sent, "first", "add", membership, id, nil, operation1(id, "processing"))
	h.write(sent, theService, "succeeded", membership, id, operation1(id, "processing"), operation1(id, "succeeded"))
}

// Where the service takes no files, a list that is to be all of an audience is put into
// a new one by adding its people: that list, whole and once.
func TestAListThatGoesInARequestIsJudged(t *testing.T) {
	for _, row := range []struct {
		name    string
		noFiles bool
		do      func(h *History)
		passes  bool
	}{
		{"it fills the new one", true, func(h *History) { h.adds("op_1", "key-1", people(0, 12)) }, true},
		{"there are files", false, func(h *History) { h.adds("op_1", "key-1", people(0, 12)) }, false},
		{"another list", true, func(h *History) { h.adds("op_1", "key-1", people(2, 12)) }, false},
		{"not all of it", true, func(h *History) { h.adds("op_1", "key-1", people(0, 11)) }, false},
		{"twice", true, func(h *History) {
			h.adds("op_1", "key-1", people(0, 12))
			h.adds("op_2", "key-2", people(0, 12))
		}, false},
		{"behind another list", true, func(h *History) {
			h.adds("op_1", "key-1", people(0, 12))
			h.Commits[1]["u1"].Values["members.file"] = "sha256:bb"
			h.adds("op_2", "key-2", people(2, 12))
		}, false},
	} {
		h := sound()
		h.NoFiles = row.noFiles
		h.Lists = map[string][]string{"sha256:aa": people(0, 12), "sha256:bb": people(2, 12)}
		h.Commits[1]["u1"] = Item{
			Kind: "audience", Tag: "u1", Values: map[string]any{"name": "u1 people", "members.file": "sha256:aa"},
		}
		h.Applies = append(h.Applies, &Apply{Process: 3, Commit: 1, From: 3})
		made := h.send(1, 3, "/custom_audiences", "", `{"name": "u1 people"}`)
		h.write(made, "first", "create", "audience", "ca_1", nil, Record{"name": "u1 people", "status": "processing"})
		row.do(h)
		if err := OperationsOnce(h); (err == nil) != row.passes {
			t.Errorf("%s: OperationsOnce() = %v; want that it passes: %t", row.name, err, row.passes)
		}
	}
}
