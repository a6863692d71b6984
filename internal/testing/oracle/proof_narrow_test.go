package oracle

import "testing"

// What is let pass of audiences and limits goes no further than what it is for.
func TestExcusesGoNoFurtherThanTheirReason(t *testing.T) {
	for _, row := range []struct {
		number int
		what   string
		spoil  func(*History)
	}{
		{1, "a replacement under another key, where the first went twice and was refused then", func(h *History) {
			h.KeysHold = false
			again := *h.Requests[len(h.Requests)-2]
			again.N, again.Status = len(h.Requests)+1, 409
			h.Requests[len(h.Requests)-2].Status = 0
			h.Requests = append(h.Requests, &again)
			h.replaced("op_3", "fb", "key-3")
		}},
		{8, "people taken out after a list that failed", func(h *History) {
			h.Lists["sha256:dd"] = people(4, 12) // 4 of 12, and 2 of 10
			h.upload("fd", "dd")
			h.W[10].After = operation1("op_2", "failed")
			h.replaced("op_3", "fd", "key-3")
		}},
		{14, "somebody's people replaced where adsync sent nobody, and nobody allowed it", func(h *History) {
			for _, r := range h.Requests {
				if r.Path != "/uploads" {
					r.Content = nil
				}
			}
			h.byHand("person")
			h.upload("fe", "bb")
			h.replaced("op_3", "fe", "key-3")
		}},
		{5, "a campaign written over a lost answer, after an audience was read", func(h *History) {
			lost := h.send(2, 4, "/campaigns/cmp_1", "", "once")
			lost.Whole = false
			h.Requests = append(h.Requests, &Request{
				N: lost.N + 1, At: lost.Answered, Answered: lost.Answered, Process: 4, Commit: 2, Method: "GET",
				Path: "/custom_audiences/ca_1/operations", Status: 200, Whole: true, Credential: "k1",
			})
			h.send(2, 4, "/campaigns/cmp_1", "", "twice")
		}},
	} {
		refuses(t, row.number, row.what, func(h *History) { beyond(h); row.spoil(h) })
	}
	for what, spoil := range map[string]func(*History) map[string]string{
		"a limit that is held for another reason where the account has none": func(h *History) map[string]string {
			h.Commits[2]["w1"].Values["amount"] = int64(300)
			h.refuseLimits()
			return map[string]string{"w1": "conflict held"}
		},
		"an audience in doubt, and held for another reason": func(h *History) map[string]string {
			h.Commits[2]["u1"].Values["members.file"] = "sha256:cc"
			h.send(2, 4, "/custom_audiences/ca_1/replace", "key-9", "{}").Status = 409
			return map[string]string{"u1": "incomplete held"}
		},
		"what is held over somebody who did nothing": func(h *History) map[string]string {
			h.Alone = false
			h.Commits[2]["c1"].Values["name"] = "c1 boots"
			return map[string]string{"c1": "conflict held"}
		},
		"two limits of one create, neither of which was ended": func(h *History) map[string]string {
			h.write(h.send(2, 4, limitsPath, "", "again"),
				"first", "create", "spend_limit_window", "slw_2", nil, window(400, "2026-04-01"))
			h.Commits[2]["w1"].Values["status"] = "archived"
			return nil
		},
		"a person of a list who is taken out after somebody put one in": func(h *History) map[string]string {
			h.byHand("person")
			r := h.send(2, 4, "/custom_audiences/ca_1/remove", "key-3", `{"file_id": "fb"}`)
			h.write(r, "first", "remove", membership, "op_3", nil, operation1("op_3", "succeeded"))
			h.write(r, theService, "succeeded", membership,
				"op_3", operation1("op_3", "processing"), operation1("op_3", "succeeded"))
			return nil
		},
	} {
		h := sound()
		beyond(h)
		if Convergence(h, spoil(h)) == nil {
			t.Errorf("invariant 25: %s is let pass", what)
		}
	}
}

// What two agents with a state each make beneath two parents is made twice only where
// a person said that nothing was made, and never beneath one parent.
func TestAReleasedCreateIsMadeBeneathItsOwnParent(t *testing.T) {
	for _, row := range []struct {
		parent   string
		released bool
		passes   bool
	}{{"cmp_2", true, true}, {"cmp_2", false, false}, {"cmp_1", true, false}} {
		h := sound()
		h.Released = map[string]bool{"g1": row.released}
		for i, by := range []string{"second", "first"} {
			r := h.send(2, 2, "/ad_groups", "key-"+by, by)
			parent := []string{"cmp_1", row.parent}[i]
			h.write(r, by, "create", "ad_group", "ag_"+by, nil, Record{
				"name": "g1 runners", "status": "paused", "campaign_id": parent,
			})
		}
		if err := SingleBirth(h); (err == nil) != row.passes {
			t.Errorf("beneath %s, released: %v: %v; want it let pass: %v", row.parent, row.released, err, row.passes)
		}
	}
}
