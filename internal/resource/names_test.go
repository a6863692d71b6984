package resource

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatIsNamedShowsItsKeyAndItsID(t *testing.T) {
	goal := Attribute{Name: "conversion_goal", Type: TypeID, Addressed: "event_setting"}
	audiences := Attribute{Name: "targeting.audiences", Type: TypeIDs, Addressed: "audience"}
	feed := Attribute{Name: "product_feed", Type: TypeID}
	tests := []struct {
		name string
		a    *Attribute
		v    Value
		want string
	}{
		{"an id alone", &goal, Text("ces_1"), "ces_1"},
		{"a key that has no id yet", &goal, Text("event_setting/orders"), "event_setting/orders"},
		{"a key and its id", &goal, goal.Called(Text("event_setting/orders"),
			[]string{"ces_1"}, []string{"event_setting/orders"}), "event_setting/orders (ces_1)"},
		{"a list of both", &audiences, audiences.Called(List([]string{"audience/a", "ca_1"}),
			[]string{"ca_9", "ca_1"}, []string{"audience/a", "ca_1"}), "ca_1, audience/a (ca_9)"},
		{"one that is said twice", &audiences, audiences.Called(List([]string{"audience/a", "ca_9"}),
			[]string{"ca_9", "ca_9"}, []string{"ca_9", "audience/a"}), "audience/a (ca_9)"},
		{"an empty list", &audiences, List(nil), "(empty)"},
		{"what no file names by key", &feed, Text("fd_1"), "fd_1"},
	}
	for _, tt := range tests {
		if got := tt.a.Show(tt.v); got != tt.want {
			t.Errorf("%s: shown is %q; want %q", tt.name, got, tt.want)
		}
	}
}

// Keys and ids stand for each other where both are known, and nothing else changes.
func TestKeysAndIDsStandForEachOther(t *testing.T) {
	known := map[string]Address{"ca_9": {Kind: "audience", Key: "a"}, "px_1": {Kind: "pixel", Key: "shop"}}
	address := func(id string) Address { return known[id] }
	id := func(at Address) string {
		for id, address := range known {
			if address == at {
				return id
			}
		}
		return ""
	}
	a := Attribute{Name: "targeting.audiences", Type: TypeIDs, Addressed: "audience"}
	ids := List([]string{"ca_1", "ca_9", "px_1"})
	keys := a.ByKeys(ids, address)
	if got := strings.Join(keys.Items(), " "); got != "audience/a ca_1 px_1" {
		t.Errorf("by keys it is %q", got)
	}
	if back := a.ByIDs(keys, id); !back.Equal(ids) || !slices.Equal(ids.Items(), []string{"ca_1", "ca_9", "px_1"}) {
		t.Errorf("by ids it is %v; want %v", back, ids)
	}
	if other := (&Attribute{Type: TypeIDs}); !other.ByKeys(ids, address).Equal(ids) {
		t.Error("an attribute that takes ids alone has keys")
	}
}
