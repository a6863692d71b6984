package ads

import (
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// campaigns serves campaigns.
type campaigns struct{ serving *Serving }

func (r campaigns) routes() []service.Route {
	return append([]service.Route{
		get("/campaigns", r.list),
		create("/campaigns", r.create),
		get("/campaigns/{campaign_id}", r.read),
		update("/campaigns/{campaign_id}", r.update),
	}, resourceActions("/campaigns/{campaign_id}", r.act)...)
}

func (r campaigns) list(c *service.Call) (list any, err error) {
	issues := wantIssues(c)
	err = c.View(func() error {
		t := c.Account.Campaigns
		list, err = service.List(c, service.Rows[world.Campaign]{All: t.All(),
			Version: t.Version(), Entry: campaignEntry}, func(row world.Campaign) campaignView {
			return r.view(c, row, issues)
		})
		return err
	})
	return list, err
}

func campaignEntry(c world.Campaign) service.Entry {
	return service.Entry{ID: c.ID, Name: c.Name, Created: c.CreatedAt, Archived: c.Status == world.Archived}
}

func (r campaigns) read(c *service.Call) (view any, err error) {
	issues := wantIssues(c)
	err = c.View(func() error {
		row, err := findCampaign(c.Account, c.Path("campaign_id"))
		view = r.view(c, row, issues)
		return err
	})
	return view, err
}

// findCampaign is the campaign of that id in this account; others do not exist here.
func findCampaign(a *world.Account, id string) (world.Campaign, error) {
	row, ok := a.Campaigns.Get(id)
	if !ok {
		return row, wire.NotFoundf("No campaign found with id '%s'.", id)
	}
	return row, nil
}

func (r campaigns) create(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	draft := readCampaignCreate(o, c.Points)
	if err := o.Err(); err != nil {
		return nil, err
	}
	key := KeyUse{Via: ViaHeader, Resource: "campaign", Key: c.Key, BodyHash: c.BodyHash}
	err = c.Update(func(tx *world.Tx) error {
		made, _, err := AddCampaign(tx, key, draft)
		view = r.view(c, made, false)
		return err
	})
	return view, err
}

// AddCampaign makes a campaign, or gives the one that an earlier create with
// this key made; reused says which.
func AddCampaign(tx *world.Tx, key KeyUse,
	draft world.Campaign) (made world.Campaign, reused bool, err error) {
	a := tx.Account
	id, err := key.Find(tx, a.Points(), func(id string) world.Status {
		row, _ := a.Campaigns.Get(id)
		return row.Status
	})
	if err != nil {
		return made, false, err
	}
	if id != "" {
		made, err = findCampaign(a, id)
		return made, true, err
	}
	if err := checkCampaign(a, draft); err != nil {
		return made, false, err
	}
	if err := underLimit("campaign", a.LiveCampaign.Count("active", "paused"),
		a.Profile().Features.MaxCampaigns); err != nil {
		return made, false, err
	}
	made = draft
	made.ID = tx.NewID("cmpn_")
	made.CreatedAt, made.UpdatedAt = tx.Now.Unix(), tx.Now.Unix()
	made.UserExternalID = key.Key
	a.Campaigns.Put(tx, made)
	key.Remember(tx, made.ID)
	tx.Record(world.Mutation{Action: "create", Resource: "campaign",
		ResourceID: made.ID, CampaignID: made.ID}, nil, made)
	return made, false, nil
}

func (r campaigns) update(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	change := readCampaignUpdate(o, c.Points)
	if err := o.Err(); err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		changed, err := ChangeCampaign(tx, c.Path("campaign_id"), "update", change)
		view = r.view(c, changed, false)
		return err
	})
	return view, err
}

// CampaignChange is what an update does: the status it asks for, and the rest.
type CampaignChange struct {
	Status *world.Status
	Apply  func(*world.Campaign) error
}

// ChangeCampaign applies a change by the rules of parts 2 and 3.
func ChangeCampaign(tx *world.Tx, id, action string, change CampaignChange) (world.Campaign, error) {
	before, err := findCampaign(tx.Account, id)
	if err != nil {
		return before, err
	}
	if err := mayChange(tx.Account.Points(), "campaign", id, before.Status, orSame(change.Status)); err != nil {
		return before, err
	}
	after := before
	if change.Apply != nil {
		if err := change.Apply(&after); err != nil {
			return before, err
		}
		if err := checkCampaignChange(tx.Account, before, after); err != nil {
			return before, err
		}
	}
	if change.Status != nil {
		after.Status = *change.Status
	}
	after.UpdatedAt = tx.Now.Unix()
	tx.Account.Campaigns.Put(tx, after)
	tx.Record(world.Mutation{Action: action, Resource: "campaign", ResourceID: id, CampaignID: id}, before, after)
	return after, nil
}

// orSame is the status asked for, "" when none is.
func orSame(status *world.Status) world.Status {
	if status == nil {
		return ""
	}
	return *status
}

func (r campaigns) act(c *service.Call, action string, to world.Status) (view any, err error) {
	err = c.Update(func(tx *world.Tx) error {
		row, err := findCampaign(c.Account, c.Path("campaign_id"))
		if err != nil {
			return err
		}
		same, err := again(c.Points, "campaign", row.ID, row.Status, to)
		if err != nil {
			return err
		}
		if !same {
			row, err = ChangeCampaign(tx, row.ID, action, CampaignChange{Status: &to})
		}
		view = r.view(c, row, false)
		return err
	})
	return view, err
}

// underLimit refuses one object too many (interface, part 8). limit 0 is the published 5,000.
func underLimit(what string, have, limit int) error {
	if limit == 0 {
		limit = 5000
	}
	if have >= limit {
		return wire.Invalidf("", what+"_limit_reached",
			"The account has %d %ss that are not archived, which is the limit.", have, what)
	}
	return nil
}
