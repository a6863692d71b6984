package insights

import (
	"adsync/internal/emulator/world"
)

// level is a step of the hierarchy that results are summed up to.
type level int

const (
	account level = iota
	campaign
	adGroup
	ad
)

var levelNames = [...]string{"ad_account", "campaign", "ad_group", "ad"}

func (l level) String() string { return levelNames[l] }

func levelOf(name string) level {
	for i, each := range levelNames {
		if each == name {
			return level(i)
		}
	}
	return account
}

// entity is one thing of a level with its ancestors; lower ones are nil.
type entity struct {
	level    level
	birth    int64 // order of creation
	profile  *world.Profile
	campaign *world.Campaign
	group    *world.AdGroup
	ad       *world.Ad
}

func (e *entity) id() string {
	switch e.level {
	case account:
		return e.profile.ID
	case campaign:
		return e.campaign.ID
	case adGroup:
		return e.group.ID
	}
	return e.ad.ID
}

func (e *entity) archived() bool {
	switch e.level {
	case account:
		return false
	case campaign:
		return e.campaign.Status == world.Archived
	case adGroup:
		return e.group.Status == world.Archived
	}
	return e.ad.Status == world.Archived
}

func (e *entity) createdAt() int64 {
	switch e.level {
	case account:
		return 0
	case campaign:
		return e.campaign.CreatedAt
	case adGroup:
		return e.group.CreatedAt
	}
	return e.ad.CreatedAt
}

// tree finds entities of one account; each is made once.
type tree struct {
	account *world.Account
	profile world.Profile
	known   map[string]*entity
}

func newTree(a *world.Account) *tree {
	return &tree{account: a, profile: a.Profile(), known: map[string]*entity{}}
}

// find is the entity of a level and id, or nil.
func (t *tree) find(l level, id string) *entity {
	key := l.String() + id
	if e, ok := t.known[key]; ok {
		return e
	}
	e := t.build(l, id)
	t.known[key] = e
	return e
}

func (t *tree) build(l level, id string) *entity {
	switch l {
	case account:
		if id == t.profile.ID {
			return &entity{level: account, profile: &t.profile}
		}
	case campaign:
		if c, ok := t.account.Campaigns.Get(id); ok {
			return &entity{level: campaign, birth: t.account.Campaigns.Birth(id), profile: &t.profile, campaign: &c}
		}
	case adGroup:
		if g, ok := t.account.AdGroups.Get(id); ok {
			return t.below(t.find(campaign, g.CampaignID), adGroup, t.account.AdGroups.Birth(id), func(e *entity) {
				e.group = &g
			})
		}
	case ad:
		if d, ok := t.account.Ads.Get(id); ok {
			return t.below(t.find(adGroup, d.AdGroupID), ad, t.account.Ads.Birth(id), func(e *entity) { e.ad = &d })
		}
	}
	return nil
}

// below is a copy of a parent, one level down.
func (t *tree) below(parent *entity, l level, birth int64, set func(*entity)) *entity {
	if parent == nil {
		return nil
	}
	e := *parent
	e.level, e.birth = l, birth
	set(&e)
	return &e
}

// up is the entity or its ancestor at a level above.
func (t *tree) up(e *entity, l level) *entity {
	switch {
	case e.level == l:
		return e
	case l == account:
		return t.find(account, t.profile.ID)
	case l == campaign:
		return t.find(campaign, e.campaign.ID)
	}
	return t.find(adGroup, e.group.ID)
}

// all are the ids of a level, in order of creation.
func (t *tree) all(l level) []string {
	var ids []string
	switch l {
	case account:
		return []string{t.profile.ID}
	case campaign:
		for _, c := range t.account.Campaigns.All() {
			ids = append(ids, c.ID)
		}
	case adGroup:
		for _, g := range t.account.AdGroups.All() {
			ids = append(ids, g.ID)
		}
	case ad:
		for _, d := range t.account.Ads.All() {
			ids = append(ids, d.ID)
		}
	}
	return ids
}
