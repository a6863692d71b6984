package ads

import (
	"fmt"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// adverts serves ads.
type adverts struct{ serving *Serving }

func (r adverts) routes() []service.Route {
	list := get("/ads", r.list)
	list.Point = openpoint.ListAds
	return append([]service.Route{
		list,
		create("/ads", r.create),
		get("/ads/{ad_id}", r.read),
		update("/ads/{ad_id}", r.update),
		act("/ads/{ad_id}/preview", r.preview),
	}, resourceActions("/ads/{ad_id}", r.act)...)
}

// listAds lists the ads of an ad group, or of the account (published, not in the interface).
func (r adverts) list(c *service.Call) (list any, err error) {
	issues := wantIssues(c)
	group := c.Query.Text("ad_group_id", 1, 255)
	err = c.View(func() error {
		t := c.Account.Ads
		find := func() error { _, err := findAdGroup(c.Account, group); return err }
		rows, err := beneath[world.Ad]{openpoint.ListAds, "ad_group_id", group, find, t.All, c.Account.AdsOf.Of}.rows(c)
		if err != nil {
			return err
		}
		list, err = service.List(c, service.Rows[world.Ad]{All: rows, Version: t.Version(), Entry: adEntry},
			func(d world.Ad) adView { return r.view(c, d, issues) })
		return err
	})
	return list, err
}

func adEntry(d world.Ad) service.Entry {
	return service.Entry{ID: d.ID, Name: d.Name, Created: d.CreatedAt, Archived: d.Status == world.Archived}
}

func (r adverts) read(c *service.Call) (view any, err error) {
	issues := wantIssues(c)
	err = c.View(func() error {
		d, err := findAd(c.Account, c.Path("ad_id"))
		view = r.view(c, d, issues)
		return err
	})
	return view, err
}

func findAd(a *world.Account, id string) (world.Ad, error) {
	d, ok := a.Ads.Get(id)
	if !ok {
		return d, wire.NotFoundf("No ad found with id '%s'.", id)
	}
	return d, nil
}

func (r adverts) create(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	draft := readAdCreate(o, c.Points)
	if err := o.Err(); err != nil {
		return nil, err
	}
	key := KeyUse{Via: ViaHeader, Resource: "ad", Key: c.Key, BodyHash: c.BodyHash}
	err = c.Update(func(tx *world.Tx) error {
		made, _, err := AddAd(tx, key, draft)
		view = r.view(c, made, false)
		return err
	})
	return view, err
}

// AddAd makes an ad under draft.AdGroupID and starts its review, or gives the
// one that an earlier create with this key made; reused says which.
func AddAd(tx *world.Tx, key KeyUse, draft world.Ad) (made world.Ad, reused bool, err error) {
	a := tx.Account
	if made, reused, err = AdOfKey(tx, key); reused || err != nil {
		return made, reused, err
	}
	group, err := findAdGroup(a, draft.AdGroupID)
	if err != nil {
		return made, false, err
	}
	if err := underParent(a.Points(), "ad group", group.ID, group.Status); err != nil {
		return made, false, err
	}
	if err := checkAd(a, group, draft); err != nil {
		return made, false, err
	}
	if err := underLimit("ad", a.LiveAd.Count("active", "paused"), a.Profile().Features.MaxAds); err != nil {
		return made, false, err
	}
	made = draft
	made.ID = tx.NewID("ad_")
	made.CampaignID = group.CampaignID
	made.CreatedAt, made.UpdatedAt = tx.Now.Unix(), tx.Now.Unix()
	made.UserExternalID = key.Key
	submit(tx, &made)
	a.Ads.Put(tx, made)
	key.Remember(tx, made.ID)
	tx.Record(adMutation("create", made), nil, made)
	return made, false, nil
}

// AdOfKey is the ad that an earlier create with this key made.
func AdOfKey(tx *world.Tx, key KeyUse) (d world.Ad, found bool, err error) {
	a := tx.Account
	id, err := key.Find(tx, a.Points(), func(id string) world.Status { d, _ := a.Ads.Get(id); return d.Status })
	if id == "" || err != nil {
		return d, false, err
	}
	d, err = findAd(a, id)
	return d, true, err
}

// submit makes the creative a new version and starts its review.
func submit(tx *world.Tx, d *world.Ad) {
	d.VersionID = tx.NewID("adver_")
	d.SubmittedAt = tx.Now.UnixMilli()
}

func adMutation(action string, d world.Ad) world.Mutation {
	return world.Mutation{
		Action: action, Resource: "ad", ResourceID: d.ID, CampaignID: d.CampaignID, AdGroupID: d.AdGroupID,
	}
}

func (r adverts) update(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	change := readAdUpdate(o, c.Points)
	if err := o.Err(); err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		changed, err := ChangeAd(tx, c.Path("ad_id"), "update", change)
		view = r.view(c, changed, false)
		return err
	})
	return view, err
}

// AdChange is what an update does: the status it asks for, a whole creative, and the rest.
type AdChange struct {
	Status   *world.Status
	Creative *world.Creative // a new version, which starts another review
	Apply    func(*world.Ad)
}

// ChangeAd applies a change by the rules of parts 2 and 3.
func ChangeAd(tx *world.Tx, id, action string, change AdChange) (world.Ad, error) {
	before, err := findAd(tx.Account, id)
	if err != nil {
		return before, err
	}
	if err := mayChange(tx.Account.Points(), "ad", id, before.Status, orSame(change.Status)); err != nil {
		return before, err
	}
	after := before
	if change.Apply != nil {
		change.Apply(&after)
	}
	if change.Creative != nil {
		after.Creative = *change.Creative
		group, err := findAdGroup(tx.Account, before.AdGroupID)
		if err != nil {
			return before, err
		}
		if err := checkAd(tx.Account, group, after); err != nil {
			return before, err
		}
		submit(tx, &after)
	}
	if change.Status != nil {
		after.Status = *change.Status
	}
	after.UpdatedAt = tx.Now.Unix()
	tx.Account.Ads.Put(tx, after)
	tx.Record(adMutation(action, after), before, after)
	return after, nil
}

func (r adverts) act(c *service.Call, action string, to world.Status) (view any, err error) {
	err = c.Update(func(tx *world.Tx) error {
		d, err := findAd(c.Account, c.Path("ad_id"))
		if err != nil {
			return err
		}
		same, err := again(c.Points, "ad", d.ID, d.Status, to)
		if err != nil {
			return err
		}
		if !same {
			d, err = ChangeAd(tx, d.ID, action, AdChange{Status: &to})
		}
		view = r.view(c, d, false)
		return err
	})
	return view, err
}

// previewAd gives the published preview: a frame of 390 by 220 pixels. It
// changes nothing and says nothing about serving.
func (r adverts) preview(c *service.Call) (view any, err error) {
	type preview struct {
		Body string `json:"body"`
	}
	err = c.View(func() error {
		d, err := findAd(c.Account, c.Path("ad_id"))
		if err != nil {
			return err
		}
		token := world.HashKey(d.VersionID + c.Now().UTC().Format("2006-01-02"))
		frame := fmt.Sprintf(`<iframe src="https://ads.example.com/previews/adprev_%s?token=%s" `+
			`width="390" height="220"></iframe>`, token[:24], token[24:])
		view = map[string][]preview{"data": {{frame}}}
		return nil
	})
	return view, err
}
