package oracle

import "testing"

// takenBack has a third run take one of the two before it back: it writes what is
// given, nothing for none.
func takenBack(h *History, run int, action string, after Record) {
	for _, r := range h.Requests {
		r.Origin = r.Process
	}
	to := h.Applies[1].To
	if after != nil {
		r, _ := h.more("first", "/campaigns/cmp_1", action, after)
		r.Process, r.Origin = 3, 3
	}
	h.Applies[1].To = to
	h.Applies = append(h.Applies, &Apply{
		Process: 3, Commit: 2, From: to, To: int64(len(h.W)),
		Planned: 1, Counted: 1, Outcomes: map[string]string{"c1": "update applied"}, Reverts: h.Applies[run],
	})
}

// What takes a run back writes what that run found, and no more.
func TestARunIsTakenBackAsItFoundThings(t *testing.T) {
	for what, do := range map[string]func(*History){
		"a budget as it was":       func(h *History) { takenBack(h, 1, "update", campaign("active", 100)) },
		"a pause of what was made": func(h *History) { takenBack(h, 0, "pause", campaign("paused", 150)) },
		"what is held and not sent": func(h *History) {
			takenBack(h, 1, "update", nil)
			h.Applies[2].Outcomes["c1"] = "update held"
		},
	} {
		h := sound()
		do(h)
		if err := Judge(h, Safety); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, do := range map[string]func(*History){
		"another budget":              func(h *History) { takenBack(h, 1, "update", campaign("active", 120)) },
		"a pause of what was changed": func(h *History) { takenBack(h, 1, "pause", campaign("paused", 150)) },
		"a budget of what was made":   func(h *History) { takenBack(h, 0, "update", campaign("active", 100)) },
		"an archive of what was made": func(h *History) { takenBack(h, 0, "archive", campaign("archived", 150)) },
		"what somebody changed since": func(h *History) {
			h.more("person", "/campaigns/cmp_1", "update", campaign("active", 130))
			takenBack(h, 1, "update", campaign("active", 100))
		},
	} {
		refuses(t, 2, what, do)
	}
	refuses(t, 32, "what is called taken back and is not", func(h *History) { takenBack(h, 1, "update", nil) })
}

// Another resource takes the place of one where the files edit what never changes.
func TestAReplacementIsAskedForByTheFiles(t *testing.T) {
	replaced := func(h *History) {
		r, _ := h.more("first", "/campaigns/cmp_1/archive", "archive", campaign("archived", 150))
		again, e := h.more("first", "/campaigns", "create", campaign("paused", 150))
		r.Commit, again.Commit, again.Key = 3, 3, "create-2"
		e.ID, e.Before, e.Key = "cmp_2", nil, "create-2"
	}
	edited := func(h *History) {
		item := h.Commits[2]["c1"]
		values := map[string]any{"bidding_type": "impressions"}
		for name, value := range item.Values {
			values[name] = value
		}
		item.Values = values
		h.Commits = append(h.Commits, Files{"c1": item})
	}
	same := func(h *History) { h.Commits = append(h.Commits, h.Commits[2]) }
	refuses(t, 2, "an archive as if another took the place", func(h *History) { same(h); replaced(h) })
	h := sound()
	edited(h)
	replaced(h)
	for _, e := range h.W[len(h.W)-1:] {
		e.After["billing_event_type"], e.After["bidding_type"] = "impressions", "impressions"
	}
	if err := Judge(h, Safety); err != nil {
		t.Errorf("a replacement: %v", err)
	}
	h.Commits[3] = h.Commits[2]
	if err := SingleBirth(h); err == nil {
		t.Error("a second create that replaces nothing passes")
	}
}

// What somebody wrote to a resource that made room for another changes nothing of that; an archive by somebody makes
// no room.
func TestAReplacementStandsThoughSomebodyEditsWhatItEnded(t *testing.T) {
	for who, passes := range map[string]bool{"first": true, "person": false} {
		h := sound()
		values := map[string]any{"name": "c1 shoes", "status": "active", "bidding_type": "impressions"}
		h.Commits = append(h.Commits, Files{"c1": {Kind: "campaign", Tag: "c1", Values: values}})
		ends, _ := h.more(who, "/campaigns/cmp_1/archive", "archive", campaign("archived", 150))
		ends.Commit = 3
		h.more("person", "/campaigns/cmp_1", "update", campaign("archived", 160))
		r, e := h.more("first", "/campaigns", "create", campaign("paused", 150))
		r.Commit, r.Key, e.ID, e.Before, e.Key = 3, "create-2", "cmp_2", nil, "create-2"
		if err := SingleBirth(h); (err == nil) != passes {
			t.Errorf("ended by %s, and edited by somebody: %v; want it let pass: %v", who, err, passes)
		}
	}
}

// The bytes that made what another took the place of may come a second time, later than the service knows their key.
func TestACreateThatComesAgainAfterAReplacementIsTheServices(t *testing.T) {
	for _, row := range []struct {
		name      string
		keysHold  bool
		key, body string
		passes    bool
	}{
		{"the same bytes, long after", false, "create-1", "/campaignscreate-1", true},
		{"the service keeps what it says of keys", true, "create-1", "/campaignscreate-1", false},
		{"another key", false, "create-3", "/campaignscreate-1", false},
		{"other bytes", false, "create-1", "others", false},
	} {
		h := sound()
		values := map[string]any{"name": "c1 shoes", "status": "active", "bidding_type": "impressions"}
		h.Commits = append(h.Commits, Files{"c1": {Kind: "campaign", Tag: "c1", Values: values}})
		creates := func(id, key, body string) {
			r, e := h.more("first", "/campaigns", "create", campaign("paused", 150))
			r.Commit, r.Key, r.Body, e.ID, e.Before, e.Key, e.Body = 3, key, body, id, nil, key, body
		}
		ends, _ := h.more("first", "/campaigns/cmp_1/archive", "archive", campaign("archived", 150))
		ends.Commit = 3
		creates("cmp_2", "create-2", "again")
		creates("cmp_3", row.key, row.body)
		h.KeysHold = row.keysHold
		if err := SingleBirth(h); (err == nil) != row.passes {
			t.Errorf("%s: %v; want it let pass: %v", row.name, err, row.passes)
		}
	}
}

// What a run made beneath what it replaced took the place of another only where one stood there before.
func TestWhatIsNewBeneathAReplacementTakesNoPlace(t *testing.T) {
	for _, stood := range []bool{true, false} {
		h := sound()
		h.Commits = append(h.Commits, Files{
			"c1": {Kind: "campaign", Tag: "c1", Values: map[string]any{"bidding_type": "impressions"}},
			"g1": {Kind: "ad_group", Tag: "g1", Parent: "c1"},
		})
		if stood {
			h.write(h.send(2, 2, "/ad_groups", "group-1", ""), "first", "create", "ad_group", "ag_1", nil,
				Record{"name": "g1 runners", "status": "active", "campaign_id": "cmp_1"})
		}
		r, e := h.more("first", "/campaigns/cmp_1/archive", "archive", campaign("archived", 150))
		r.Commit, r.Origin, e.Before = 3, 3, campaign("active", 150)
		if is := h.runs().madeRoomIn(&Apply{Process: 3, Commit: 3}, "g1"); is != stood {
			t.Errorf("an ad group that stood there before: %v; it is taken for replaced: %v", stood, is)
		}
	}
}

// Of two agents with a state each, one may write what the other wrote a moment earlier: each found what was there
// before both, and puts that back.
func TestARunIsTakenBackAsItFoundThingsThoughAnotherWroteTheSame(t *testing.T) {
	for _, row := range []struct {
		name   string
		shared bool
		before bool // the other had written before the run began
		budget int64
		passes bool
	}{
		{"as both found it", true, false, 100, true},
		{"another budget", true, false, 120, false},
		{"the other had written before the run began", true, true, 100, false},
		{"somebody had", false, false, 100, false},
	} {
		h := sound()
		h.Shared = row.shared
		h.W[2].Actor, h.W[2].Request = "second", 0
		_, same := h.more("first", "/campaigns/cmp_1", "update", campaign("active", 150))
		again := h.Requests[len(h.Requests)-1]
		again.Process, same.Before = 2, h.W[2].After
		if row.before {
			h.Applies[1].From = 3
		}
		takenBack(h, 1, "update", campaign("active", row.budget))
		if err := ExactAmounts(h); (err == nil) != row.passes {
			t.Errorf("%s: judged %v; want it let pass: %v", row.name, err, row.passes)
		}
	}
}
