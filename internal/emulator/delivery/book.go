package delivery

import (
	"slices"
	"time"
)

const slotMs = 15 * 60 * 1000

// Book is an account's history and what was delivered by it so far. It remembers
// the days it has worked out. One goroutine may use it at a time.
type Book struct {
	account Account
	changes []Change // in the order they were made
	pages
}

// pages is everything that follows from the changes.
type pages struct {
	applied int   // changes that hold
	next    int64 // start of the first slot that is not delivered; 0: nothing is

	standing  Standing
	blocked   int64 // slot in which the account changed
	campaigns map[string]*campaign
	groups    map[string]*adGroup
	byAd      map[string]*ad
	ads       []*ad // in order of creation
	limits    []Limit

	live  []*ad // ads whose own and ancestors' status is active
	stale bool  // live is to be made anew

	days  []*Day
	today *Day
	caps  []int64 // what each limit that holds today left at its start, micros
}

type campaign struct {
	Campaign
	blocked   int64 // slot in which it changed
	day       *Day  // the day of spentToday
	today     int64 // micros spent on day
	ever      int64 // micros spent at all
	allowance int64 // micros a paced lifetime budget leaves for day; unpaced: to be worked out
	exhausted *Day  // the last day it wanted more than its budget has
}

type adGroup struct {
	AdGroup
	blocked  int64
	campaign *campaign
}

type ad struct {
	Ad
	index   int
	blocked int64
	group   *adGroup
	market
}

// NewBook is the book of an account without history.
func NewBook(a Account) *Book {
	b := &Book{account: a}
	b.reset()
	return b
}

// reset forgets what was worked out; the next RunTo works it out again.
func (b *Book) reset() {
	b.pages = pages{
		standing:  b.account.Standing,
		campaigns: map[string]*campaign{}, groups: map[string]*adGroup{}, byAd: map[string]*ad{},
	}
}

// Add appends a change. A change that is earlier than one before it (the clock
// was moved back) takes the later ones along: what is recorded last holds.
func (b *Book) Add(c Change) {
	for i := len(b.changes) - 1; i >= 0 && b.changes[i].At > c.At; i-- {
		b.changes[i].At = c.At
	}
	b.changes = append(b.changes, c)
	if c.At < b.next {
		b.reset()
	}
}

// RunTo delivers every slot that has ended by now. A now before what is delivered
// already goes back to it.
func (b *Book) RunTo(now time.Time) {
	at := now.UnixMilli()
	if at < b.next {
		b.reset()
	}
	if b.next == 0 {
		if len(b.changes) == 0 {
			return
		}
		b.next = floorSlot(b.changes[0].At)
	}
	for b.next+slotMs <= at {
		b.apply(b.next)
		if len(b.live) == 0 {
			b.next = b.idleUntil(at)
			continue
		}
		b.deliver(b.next)
		b.next += slotMs
	}
}

func floorSlot(at int64) int64 { return at - at%slotMs }

// idleUntil is the next slot in which something changes, at most now's.
func (b *Book) idleUntil(now int64) int64 {
	if b.applied < len(b.changes) {
		now = min(now, b.changes[b.applied].At)
	}
	return max(b.next+slotMs, floorSlot(now))
}

// apply makes every change before the end of the slot hold; those inside it
// block what they change.
func (b *Book) apply(slot int64) {
	for b.applied < len(b.changes) && b.changes[b.applied].At < slot+slotMs {
		b.applyOne(b.changes[b.applied], slot)
		b.applied++
	}
	if b.stale {
		b.enlist()
	}
}

func (b *Book) applyOne(c Change, slot int64) {
	block := int64(0)
	if c.At > slot {
		block = slot
	}
	switch {
	case c.Standing != nil && *c.Standing != b.standing:
		b.standing, b.blocked, b.stale = *c.Standing, block, true
	case c.Campaign != nil:
		b.applyCampaign(*c.Campaign, block)
	case c.AdGroup != nil:
		b.applyAdGroup(*c.AdGroup, block)
	case c.Ad != nil:
		b.applyAd(*c.Ad, block)
	case c.Limit != nil:
		b.applyLimit(*c.Limit, block)
	}
}

func (b *Book) applyCampaign(to Campaign, block int64) {
	known := b.campaigns[to.ID]
	if known == nil {
		known = &campaign{}
		b.campaigns[to.ID] = known
	}
	if known.Campaign == to {
		return
	}
	known.Campaign, known.blocked, b.stale = to, block, true
	known.allowance, known.exhausted = unpaced, nil
}

func (b *Book) applyAdGroup(to AdGroup, block int64) {
	known := b.groups[to.ID]
	if known == nil {
		known = &adGroup{campaign: b.campaigns[to.CampaignID]}
		if known.campaign == nil {
			return // a history without its campaign serves nothing
		}
		b.groups[to.ID] = known
	}
	if known.AdGroup == to {
		return
	}
	known.AdGroup, known.blocked, b.stale = to, block, true
}

func (b *Book) applyAd(to Ad, block int64) {
	known := b.byAd[to.ID]
	if known == nil {
		group := b.groups[to.AdGroupID]
		if group == nil {
			return
		}
		known = &ad{index: len(b.ads), group: group, market: newMarket(b.account.Seed, to.ID)}
		b.ads, b.byAd[to.ID] = append(b.ads, known), known
	}
	if known.Ad == to {
		return
	}
	known.Ad, known.blocked, b.stale = to, block, true
}

func (b *Book) applyLimit(to Limit, block int64) {
	i := slices.IndexFunc(b.limits, func(l Limit) bool { return l.ID == to.ID && l.Daily == to.Daily })
	switch {
	case i < 0:
		b.limits = append(b.limits, to)
	case b.limits[i] == to:
		return
	default:
		b.limits[i] = to
	}
	b.blocked = max(b.blocked, block)
	b.setCaps()
}

// enlist finds the ads that statuses let serve, at their present bids.
func (b *Book) enlist() {
	b.live, b.stale = b.live[:0], false
	if !b.standing.Active || b.standing.Rejected {
		return
	}
	for _, a := range b.ads {
		if a.Active && !a.Rejected && a.group.Active && a.group.campaign.Active {
			a.reprice(a.group.Bid, a.group.campaign.Campaign)
			b.live = append(b.live, a)
		}
	}
}
