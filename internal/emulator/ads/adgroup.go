package ads

import (
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// adGroups serves ad groups.
type adGroups struct{ serving *Serving }

func (r adGroups) routes() []service.Route {
	return append([]service.Route{
		get("/ad_groups", r.list),
		create("/ad_groups", r.create),
		get("/ad_groups/{ad_group_id}", r.read),
		update("/ad_groups/{ad_group_id}", r.update),
	}, resourceActions("/ad_groups/{ad_group_id}", r.act)...)
}

// listAdGroups lists the ad groups of a campaign, or of the account.
func (r adGroups) list(c *service.Call) (list any, err error) {
	show := wantAdGroup(c)
	campaign := c.Query.Text("campaign_id", 1, 255)
	err = c.View(func() error {
		t := c.Account.AdGroups
		find := func() error { _, err := findCampaign(c.Account, campaign); return err }
		rows, err := beneath[world.AdGroup]{openpoint.ListAdGroups,
			"campaign_id", campaign, find, t.All, c.Account.AdGroupsOf.Of}.rows(c)
		if err != nil {
			return err
		}
		whole := c.Points.Is(openpoint.AdGroupPaging, "whole")
		page := service.Rows[world.AdGroup]{All: rows, Version: t.Version(), Entry: adGroupEntry, Whole: whole}
		list, err = service.List(c, page, func(g world.AdGroup) adGroupView {
			return r.view(c, g, show)
		})
		return err
	})
	return list, err
}

func adGroupEntry(g world.AdGroup) service.Entry {
	return service.Entry{ID: g.ID, Name: g.Name, Created: g.CreatedAt, Archived: g.Status == world.Archived}
}

func (r adGroups) read(c *service.Call) (view any, err error) {
	show := wantAdGroup(c)
	err = c.View(func() error {
		g, err := findAdGroup(c.Account, c.Path("ad_group_id"))
		view = r.view(c, g, show)
		return err
	})
	return view, err
}

func findAdGroup(a *world.Account, id string) (world.AdGroup, error) {
	g, ok := a.AdGroups.Get(id)
	if !ok {
		return g, wire.NotFoundf("No ad group found with id '%s'.", id)
	}
	return g, nil
}

func (r adGroups) create(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	draft := readAdGroupCreate(o, c.Points)
	if err := o.Err(); err != nil {
		return nil, err
	}
	if isMaximize(draft.Bidding.Strategy) && c.Key == "" && c.Points.Is(openpoint.MaximizeKey, "required") {
		return nil, wire.Invalidf("Idempotency-Key", "missing_required_parameter",
			"Missing required header: 'Idempotency-Key' with strategy '%s'.", draft.Bidding.Strategy)
	}
	key := KeyUse{Via: ViaHeader, Resource: "ad_group", Key: c.Key, BodyHash: c.BodyHash}
	err = c.Update(func(tx *world.Tx) error {
		made, _, err := AddAdGroup(tx, key, draft)
		view = r.view(c, made, shownParts{})
		return err
	})
	return view, err
}

// AddAdGroup makes an ad group under draft.CampaignID, or gives the one that an
// earlier create with this key made; reused says which.
func AddAdGroup(tx *world.Tx, key KeyUse, draft world.AdGroup) (made world.AdGroup, reused bool, err error) {
	a := tx.Account
	id, err := key.Find(tx, a.Points(), func(id string) world.Status { g, _ := a.AdGroups.Get(id); return g.Status })
	if err != nil {
		return made, false, err
	}
	if id != "" {
		made, err = findAdGroup(a, id)
		return made, true, err
	}
	campaign, err := findCampaign(a, draft.CampaignID)
	if err != nil {
		return made, false, err
	}
	if err := underParent(a.Points(), "campaign", campaign.ID, campaign.Status); err != nil {
		return made, false, err
	}
	if err := checkAdGroup(campaign, draft); err != nil {
		return made, false, err
	}
	if err := checkFactors(a, draft); err != nil {
		return made, false, err
	}
	if err := underLimit("ad_group", a.LiveAdGroup.Count("active", "paused"),
		a.Profile().Features.MaxAdGroups); err != nil {
		return made, false, err
	}
	made = draft
	made.ID = tx.NewID("adgrp_")
	made.CreatedAt, made.UpdatedAt = tx.Now.Unix(), tx.Now.Unix()
	made.UserExternalID = key.Key
	a.AdGroups.Put(tx, made)
	key.Remember(tx, made.ID)
	tx.Record(world.Mutation{Action: "create", Resource: "ad_group",
		ResourceID: made.ID, CampaignID: made.CampaignID, AdGroupID: made.ID}, nil, made)
	return made, false, nil
}

func (r adGroups) update(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	change := readAdGroupUpdate(o, c.Points)
	if err := o.Err(); err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		changed, err := ChangeAdGroup(tx, c.Path("ad_group_id"), "update", change)
		view = r.view(c, changed, shownParts{})
		return err
	})
	return view, err
}

// AdGroupChange is what an update does: the status it asks for, and the rest.
type AdGroupChange struct {
	Status *world.Status
	Bids   bool // it has a bidding_config
	Apply  func(g *world.AdGroup, parent world.Campaign) error
}

// ChangeAdGroup applies a change by the rules of parts 2 and 3.
func ChangeAdGroup(tx *world.Tx, id, action string, change AdGroupChange) (world.AdGroup, error) {
	before, err := findAdGroup(tx.Account, id)
	if err != nil {
		return before, err
	}
	if err := mayChange(tx.Account.Points(), "ad group", id, before.Status, orSame(change.Status)); err != nil {
		return before, err
	}
	after := before
	if change.Apply != nil {
		campaign, err := findCampaign(tx.Account, before.CampaignID)
		if err != nil {
			return before, err
		}
		if err := change.Apply(&after, campaign); err != nil {
			return before, err
		}
		if err := checkAdGroup(campaign, after); err != nil {
			return before, err
		}
		if change.Bids {
			if err := checkFactors(tx.Account, after); err != nil {
				return before, err
			}
		}
	}
	if change.Status != nil {
		after.Status = *change.Status
	}
	after.UpdatedAt = tx.Now.Unix()
	tx.Account.AdGroups.Put(tx, after)
	tx.Record(world.Mutation{Action: action, Resource: "ad_group",
		ResourceID: id, CampaignID: after.CampaignID, AdGroupID: id}, before, after)
	return after, nil
}

func (r adGroups) act(c *service.Call, action string, to world.Status) (view any, err error) {
	err = c.Update(func(tx *world.Tx) error {
		g, err := findAdGroup(c.Account, c.Path("ad_group_id"))
		if err != nil {
			return err
		}
		same, err := again(c.Points, "ad group", g.ID, g.Status, to)
		if err != nil {
			return err
		}
		if !same {
			g, err = ChangeAdGroup(tx, g.ID, action, AdGroupChange{Status: &to})
		}
		view = r.view(c, g, shownParts{})
		return err
	})
	return view, err
}
