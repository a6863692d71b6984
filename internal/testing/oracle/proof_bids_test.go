package oracle

import (
	"encoding/json"
	"strconv"
	"testing"
)

// Invariant 8 sees what each audience is bid, and who is in none.
func TestARiseOfABidIsSeenForWhomItIs(t *testing.T) {
	number := func(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }
	group := func(bid int64, factors ...int64) Record {
		var list []any
		for i, micros := range factors {
			if micros != 0 {
				list = append(list, map[string]any{
					"custom_audience_id": "caud_" + strconv.Itoa(i+1), "bid_multiplier_micros": number(micros),
				})
			}
		}
		return Record{"name": "g1 runners", "bidding_config": map[string]any{
			"max_bid_micros": number(bid * 10_000), "custom_audience_bid_multipliers": list,
		}}
	}
	for _, row := range []struct {
		what     string
		was      Record
		stranger Record // nil: nobody wrote in between
		is       Record
		holds    bool
	}{
		{"a bid, by less", group(100), nil, group(130), true},
		{"a bid, by more", group(100), nil, group(131), false},
		{"a factor, by less", group(100, 2_000_000), nil, group(100, 2_600_000), true},
		{"a factor, by more", group(100, 2_000_000), nil, group(100, 2_700_000), false},
		{"a factor that is new", group(100), nil, group(100, 10_000_000), false},
		{"a small factor beside a large one", group(100, 10_000_000, 1_000_000), nil,
			group(100, 10_000_000, 2_000_000), false},
		{"a factor below 1 that goes", group(100, 500_000), nil, group(100), false},
		{"the bid, while the factor falls by as much", group(100, 4_000_000), nil, group(200, 2_000_000), false},
		{"a factor, while the bid falls by as much", group(200, 1_000_000), nil, group(100, 2_000_000), true},
		{"a bid that a stranger raised", group(100), group(300), group(310), true},
	} {
		h := sound()
		beyond(h)
		made := h.send(1, 3, "/ad_groups", "", row.what)
		h.W = append([]Entry{{Seq: 0, Account: "acct", Actor: "first", Body: made.Body, Kind: "ad_group", ID: "g_1",
			Action: "create", After: row.was, Commit: 2, Request: made.N}}, h.W...)
		before := row.was
		if row.stranger != nil {
			theirs := h.send(2, 4, "/ad_groups/g_1", "", "theirs")
			h.write(theirs, "person", "update", "ad_group", "g_1", before, row.stranger)
			before = row.stranger
		}
		h.write(h.send(2, 4, "/ad_groups/g_1", "", "ours"), "first", "update", "ad_group", "g_1", before, row.is)
		if err := BidsHold(h); err == nil != row.holds {
			t.Errorf("%s: %v; want it to hold: %v", row.what, err, row.holds)
		}
	}
}
