package oracle

import "testing"

// A second agent that could not tell what the first made may spend what the files
// say once more, and no more; one that could is refused.
func TestOnlyWhatCouldNotBeToldMayBeSpentTwice(t *testing.T) {
	for _, row := range []struct {
		name  string
		shown string // what the files call it by now
		spent int64
		lets  bool
	}{
		{"under another name", "c1 boots", 150, true},
		{"under another name, and more than the files say", "c1 boots", 151, false},
		{"under the same name", "c1 shoes", 150, false},
	} {
		h := sound()
		h.Shared, h.Alone = true, false
		second := func(path, action string, before, after Record) {
			r, e := h.more("first", path, action, after)
			r.Agent, r.Process, r.Key = 1, 3, path
			e.Actor, e.ID, e.Before, e.Key = "second", "cmp_2", before, path
		}
		named := func(status string) Record {
			r := campaign(status, row.spent)
			r["name"] = row.shown
			return r
		}
		h.Applies = append(h.Applies, &Apply{Agent: 1, Process: 3, Commit: 2, From: 3})
		second("/campaigns", "create", nil, named("paused"))
		second("/campaigns/cmp_2/activate", "activate", named("paused"), named("active"))
		if err := ExposurePath(h); (err == nil) != row.lets {
			t.Errorf("%s: %v; want it let pass: %v", row.name, err, row.lets)
		}
	}
}

// A second agent makes again what stands beneath a campaign only beneath one of its own
// that it made as it could not tell the first.
func TestOnlyBeneathWhatCouldNotBeToldIsAChildMadeTwice(t *testing.T) {
	for _, row := range []struct {
		name, shown, parent string
		told, lets          bool
	}{
		{"the campaign has another name by now", "c1 boots", "cmp_2", false, true},
		{"the campaign has the name it had", "c1 shoes", "cmp_2", false, false},
		{"beneath the campaign of the first", "c1 boots", "cmp_1", false, false},
		{"the service had told it of the ad group", "c1 boots", "cmp_2", true, false},
	} {
		h := sound()
		h.Shared, h.Alone, h.KeysHold = true, false, false
		made := func(agent int, kind, id, key string, after Record) {
			r := h.send(2, 3+agent, "/"+kind+"s", key, id)
			r.Agent = agent
			h.write(r, h.Actors[agent], "create", kind, id, nil, after)
		}
		group := func(parent string) Record {
			return Record{"name": "g1 runners", "status": "active", "campaign_id": parent}
		}
		made(0, "ad_group", "ag_1", "group-1", group("cmp_1"))
		if row.told {
			h.send(2, 4, "/ad_groups", "group-1", "other").Agent = 1
			h.Requests[len(h.Requests)-1].Conflicts = []string{"group-1"}
		}
		again := campaign("paused", 150)
		again["name"] = row.shown
		made(1, "campaign", "cmp_2", "create-2", again)
		made(1, "ad_group", "ag_2", "group-2", group(row.parent))
		if lets := h.births().blind(h.births().madeAs("ag_1"), h.births().madeAs("ag_2")); lets != row.lets {
			t.Errorf("%s: let pass: %v; want %v", row.name, lets, row.lets)
		}
	}
}

// Who made its campaign first could tell: that another one stands there since excuses
// nothing.
func TestAParentThatWasMadeFirstExcusesNoChild(t *testing.T) {
	h := sound()
	h.Shared, h.Alone, h.KeysHold, h.ListsHold = true, false, true, true
	made := func(agent int, kind, id, key string, after Record) {
		r := h.send(2, 3+agent, "/"+kind+"s", key, id)
		r.Agent = agent
		h.write(r, h.Actors[agent], "create", kind, id, nil, after)
	}
	made(1, "campaign", "cmp_2", "create-2", campaign("paused", 150))
	for i, parent := range []string{"cmp_2", "cmp_1"} {
		made(1-i, "ad_group", "ag_"+parent, "group-"+parent, Record{
			"name": "g1 runners", "status": "active", "campaign_id": parent,
		})
	}
	if h.births().beneathBlind(h.births().madeAs("ag_cmp_2"), h.births().madeAs("ag_cmp_1")) {
		t.Error("an ad group beneath the first " +
			"campaign is let pass; want it only beneath one that was made as nobody could tell")
	}
}

// Two ad groups under two keys are let pass beneath two campaigns that the service made
// of one key, each its agent's own, and nowhere else.
func TestTwoParentsOfOneKeyExcuseAChildOfEachAgent(t *testing.T) {
	for _, row := range []struct {
		name        string
		keysHold    bool
		second, key string // the campaign of the second agent's ad group, and the key of its create
		lets        bool
	}{
		{"two of one key", false, "cmp_2", "create-1", true},
		{"the service keeps keys", true, "cmp_2", "create-1", false},
		{"two of two keys", false, "cmp_2", "create-2", false},
		{"both beneath the first", false, "cmp_1", "create-1", false},
	} {
		h := sound()
		h.Shared, h.Alone, h.KeysHold, h.ListsHold = true, false, row.keysHold, true
		made := func(agent int, kind, id, key string, after Record) {
			r := h.send(2, 3+agent, "/"+kind+"s", key, id)
			r.Agent = agent
			h.write(r, h.Actors[agent], "create", kind, id, nil, after)
		}
		made(0, "campaign", "cmp_8", "create-1", campaign("paused", 150))
		made(0, "ad_group", "ag_1", "group-1", Record{"name": "g1 runners", "status": "active", "campaign_id": "cmp_8"})
		second := "cmp_8"
		if row.second == "cmp_2" {
			made(1, "campaign", "cmp_2", row.key, campaign("paused", 150))
			second = "cmp_2"
		}
		made(1, "ad_group", "ag_2", "group-2", Record{"name": "g1 runners", "status": "active", "campaign_id": second})
		if lets := h.births().beneathTwins(h.births().madeAs("ag_1"), h.births().madeAs("ag_2")); lets != row.lets {
			t.Errorf("%s: let pass: %v; want %v", row.name, lets, row.lets)
		}
	}
}

// A key that the files changed excuses a second one only of an agent that made it at
// another commit than the first and had not looked since.
func TestAKeyThatChangedExcusesOnlyWhoDidNotLook(t *testing.T) {
	for _, row := range []struct {
		name         string
		moved, looks bool
		lets         bool
	}{
		{"the key changed in between", true, false, true},
		{"it changed, and the second had looked", true, true, false},
		{"it had changed before both", false, false, false},
	} {
		h := sound()
		h.Shared, h.Alone = true, false
		item := h.Commits[2]["c1"]
		item.Key, item.Was = "c1-k1", []string{"c1"}
		h.Commits[2]["c1"] = item
		if !row.moved {
			h.Commits[1]["c1"] = item
		}
		if row.looks {
			h.read()
			list := h.Requests[len(h.Requests)-1]
			list.Agent, list.Path = 1, "/campaigns"
		}
		r := h.send(2, 4, "/campaigns", "create-2", "again")
		r.Agent = 1
		h.write(r, "second", "create", "campaign", "cmp_2", nil, campaign("paused", 150))
		if err := SingleBirth(h); (err == nil) != row.lets {
			t.Errorf("%s: %v; want it let pass: %v", row.name, err, row.lets)
		}
	}
}

// A second agent looks for what stands beneath a campaign where it knows that campaign: one that the first gave the
// name of the files after the list it does not, and what the files gave another key is made beneath it again.
func TestWhatIsBeneathACampaignRenamedSinceTheListCannotBeTold(t *testing.T) {
	for _, row := range []struct {
		name           string
		moved, renamed bool // the files gave it another key; the campaign is renamed after the list
		lets           bool
	}{
		{"another key, and the campaign is renamed", true, true, true},
		{"another key alone", true, false, false},
		{"the campaign is renamed alone", false, true, false},
	} {
		h := sound()
		h.Shared, h.Alone, h.KeysHold, h.ListsHold = true, false, true, true
		group := Record{"name": "g1 runners", "status": "active", "campaign_id": "cmp_1"}
		for i := range h.Commits {
			if i > 0 {
				h.Commits[i]["g1"] = Item{Kind: "ad_group", Tag: "g1", Parent: "c1"}
			}
		}
		if row.moved {
			h.Commits[2]["g1"] = Item{Kind: "ad_group", Tag: "g1", Parent: "c1", Key: "g1-k1", Was: []string{"g1"}}
		}
		h.write(h.send(1, 1, "/ad_groups", "group-1", ""), "first", "create", "ad_group", "ag_1", nil, group)
		h.read()
		list := h.Requests[len(h.Requests)-1]
		list.Agent, list.Path = 1, "/ad_groups"
		if row.renamed {
			h.Commits[2]["c1"].Values["name"] = "c1 boots"
		}
		r := h.send(2, 4, "/ad_groups", "group-2", "again")
		r.Agent = 1
		h.write(r, "second", "create", "ad_group", "ag_2", nil, group)
		if err := SingleBirth(h); (err == nil) != row.lets {
			t.Errorf("%s: %v; want it let pass: %v", row.name, err, row.lets)
		}
	}
}

// A second agent goes by the list it had: what has the name of the files again since could
// not be told, and what had it in the list could.
func TestWhatIsThereIsToldByTheListThatShowedIt(t *testing.T) {
	for _, row := range []struct {
		name   string
		before bool // the second lists before the first agent writes the name back
		lets   bool
	}{
		{"listed under another name", true, true},
		{"listed under the name of the files", false, false},
	} {
		h := sound()
		h.Shared, h.Alone, h.Revert = true, false, true
		list := func() {
			h.read()
			r := h.Requests[len(h.Requests)-1]
			r.Agent, r.Path = 1, "/campaigns"
		}
		h.more("person", "/campaigns/cmp_1", "update", renamed("c1 by hand"))
		if row.before {
			list()
		}
		h.more("first", "/campaigns/cmp_1", "update", campaign("active", 150))
		if !row.before {
			list()
		}
		r := h.send(2, 4, "/campaigns", "create-2", "again")
		r.Agent = 1
		h.write(r, "second", "create", "campaign", "cmp_2", nil, campaign("paused", 150))
		if err := SingleBirth(h); (err == nil) != row.lets {
			t.Errorf("%s: %v; want it let pass: %v", row.name, err, row.lets)
		}
	}
}

// What another agent made beneath a campaign that somebody archived is made anew beneath
// another one, though the service tells of it.
func TestWhatIsBeneathAnArchivedCampaignIsMadeAnew(t *testing.T) {
	for _, row := range []struct {
		name, status, parent string
		agent                int
		lets                 bool
	}{
		{"archived", "archived", "cmp_2", 1, true},
		{"paused", "paused", "cmp_2", 1, false},
		{"beneath the archived one again", "archived", "cmp_1", 1, false},
		{"the agent that made it", "archived", "cmp_2", 0, false},
	} {
		h := sound()
		h.Shared, h.Alone, h.KeysHold, h.ListsHold = true, false, true, true
		group := func(agent int, id, key, parent string) {
			r := h.send(2, 3+agent, "/ad_groups", key, id)
			r.Agent = agent
			h.write(r, h.Actors[agent], "create", "ad_group", id, nil, Record{
				"name": "g1 runners", "status": "active", "campaign_id": parent,
			})
		}
		group(0, "ag_1", "group-1", "cmp_1")
		h.more("person", "/campaigns/cmp_1", "update", campaign(row.status, 150))
		h.W[len(h.W)-1].Before = campaign("active", 150)
		told := h.send(2, 4, "/ad_groups", "group-1", "other")
		told.Agent, told.Conflicts = 1, []string{"group-1"}
		group(row.agent, "ag_2", "group-2", row.parent)
		if err := SingleBirth(h); (err == nil) != row.lets {
			t.Errorf("%s: %v; want it let pass: %v", row.name, err, row.lets)
		}
	}
}
