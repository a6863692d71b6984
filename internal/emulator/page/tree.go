package page

import (
	"net/http"
	"slices"

	"adsync/internal/emulator/world"
)

// How much of a tree one page shows.
const (
	campaignsAPage = 25
	childrenAPage  = 50
	childrenInside = 10 // of a parent that is not the page's own
	openAtOnce     = 10 // nodes that a page shows with what is in them
)

type treeView struct {
	Account   accountRow
	Address   string // of the page, without a query
	Status    string // the campaigns it shows; "" is all
	Statuses  []statusCount
	Campaigns []campaignNode
	Pager     pager
}

type statusCount struct {
	Name, Address string
	Count         int
	Chosen        bool
}

type campaignNode struct {
	world.Campaign
	Currency string
	Address  string
	Total    int // ad groups
	Open     bool
	AdGroups []adGroupNode
}

type adGroupNode struct {
	world.AdGroup
	Currency string
	Address  string
	Total    int // ads
	Open     bool
	Ads      []adNode
}

type adNode struct {
	world.Ad
	Review, Reason string
}

// account shows the account's campaigns, newest first, with what is in them.
func (p *Page) account(r *http.Request) (view, bool, error) {
	return p.inAccount(r, func(a *world.Account) (view, bool) {
		t := treeView{Account: p.accountRow(a), Address: addressOf(a.ID), Status: r.FormValue("status")}
		t.Statuses = statusCounts(a, t.Address, t.Status)
		rows := a.Campaigns.All()
		if t.Status != "" {
			rows = a.LiveCampaign.Of(t.Status)
		}
		slices.Reverse(rows)
		rows, t.Pager = cut(rows, r, campaignsAPage)
		for _, c := range rows {
			n := p.campaignNode(a, c, childrenInside)
			n.Open = n.Total > 0 && len(rows) <= openAtOnce
			t.Campaigns = append(t.Campaigns, n)
		}
		return view{Template: "account", Title: t.Account.AccountName, Trail: []link{top}, Content: t}, true
	})
}

func statusCounts(a *world.Account, address, chosen string) []statusCount {
	all := []statusCount{{Name: "all", Address: address, Count: a.Campaigns.Len(), Chosen: chosen == ""}}
	for _, s := range []world.Status{world.Active, world.Paused, world.Archived} {
		name := string(s)
		all = append(all, statusCount{name, address + "?status=" + name, a.LiveCampaign.Count(name), chosen == name})
	}
	return all
}

// inAccount makes a view of the account in the path, inside View.
func (p *Page) inAccount(r *http.Request, make func(a *world.Account) (view, bool)) (v view, found bool, err error) {
	a := p.source.World.Account(r.PathValue("account_id"))
	if a == nil {
		return view{}, false, nil
	}
	err = a.View(func() error {
		v, found = make(a)
		return nil
	})
	return v, found, err
}

func (p *Page) campaignNode(a *world.Account, c world.Campaign, most int) campaignNode {
	groups := a.AdGroupsOf.Of(c.ID)
	n := campaignNode{
		Campaign: c, Currency: a.Profile().Currency, Address: addressOf(a.ID, "campaigns", c.ID), Total: len(groups),
	}
	for _, g := range groups[:min(most, len(groups))] {
		n.AdGroups = append(n.AdGroups, p.adGroupNode(a, g, childrenInside))
	}
	return n
}

func (p *Page) adGroupNode(a *world.Account, g world.AdGroup, most int) adGroupNode {
	ads := a.AdsOf.Of(g.ID)
	n := adGroupNode{
		AdGroup: g, Currency: a.Profile().Currency, Address: addressOf(a.ID, "ad_groups", g.ID), Total: len(ads),
	}
	for _, d := range ads[:min(most, len(ads))] {
		n.Ads = append(n.Ads, p.adNode(d))
	}
	return n
}

func (p *Page) adNode(d world.Ad) adNode {
	n := adNode{Ad: d}
	n.Review, n.Reason = p.source.Review.Outcome(d, p.source.World.Clock.Now())
	return n
}

type campaignView struct {
	Campaign campaignNode
	AdGroups []adGroupNode
	Pager    pager
}

func (p *Page) campaign(r *http.Request) (view, bool, error) {
	return p.inAccount(r, func(a *world.Account) (view, bool) {
		c, ok := a.Campaigns.Get(r.PathValue("campaign_id"))
		if !ok {
			return view{}, false
		}
		v := campaignView{Campaign: p.campaignNode(a, c, 0)}
		rows, pages := cut(a.AdGroupsOf.Of(c.ID), r, childrenAPage)
		v.Pager = pages
		for _, g := range rows {
			n := p.adGroupNode(a, g, childrenInside)
			n.Open = n.Total > 0 && len(rows) <= openAtOnce
			v.AdGroups = append(v.AdGroups, n)
		}
		return view{Template: "campaign", Title: c.Name, Trail: trail(a), Content: v}, true
	})
}

type adGroupView struct {
	AdGroup adGroupNode
	Ads     []adNode
	Pager   pager
}

func (p *Page) adGroup(r *http.Request) (view, bool, error) {
	return p.inAccount(r, func(a *world.Account) (view, bool) {
		g, ok := a.AdGroups.Get(r.PathValue("ad_group_id"))
		if !ok {
			return view{}, false
		}
		v := adGroupView{AdGroup: p.adGroupNode(a, g, 0)}
		rows, pages := cut(a.AdsOf.Of(g.ID), r, childrenAPage)
		v.Pager = pages
		for _, d := range rows {
			v.Ads = append(v.Ads, p.adNode(d))
		}
		parent, _ := a.Campaigns.Get(g.CampaignID)
		above := append(trail(a), link{parent.Name, addressOf(a.ID, "campaigns", parent.ID)})
		return view{Template: "ad_group", Title: g.Name, Trail: above, Content: v}, true
	})
}

func trail(a *world.Account) []link {
	return []link{top, {a.Profile().AccountName, addressOf(a.ID)}}
}
