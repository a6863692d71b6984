package delivery

import "time"

// setCaps works out what the account's limits leave for today.
func (b *Book) setCaps() {
	b.caps = b.caps[:0]
	if b.today == nil {
		return
	}
	for _, l := range b.limits {
		switch {
		case !l.holds(b.today.Name):
		case l.Daily:
			b.caps = append(b.caps, l.Micros)
		default:
			b.caps = append(b.caps, l.Micros-b.Spent(l.Since, b.today.Name))
		}
	}
}

// deliver serves one slot. The ads take turns at being first, so that an account
// limit does not starve the youngest.
func (b *Book) deliver(slot int64) {
	b.open(slot)
	review := b.account.ReviewDelay.Milliseconds()
	if b.blocked == slot || slot < b.standing.SubmittedAt+review && b.standing.SubmittedAt > 0 {
		return
	}
	local := time.UnixMilli(slot).In(b.account.Zone)
	crowd := crowdAt[local.Hour()] * crowdOn[local.Weekday()]
	first := int(mix(b.account.Seed, uint64(slot)) % uint64(len(b.live)))
	for i := range b.live {
		a := b.live[(i+first)%len(b.live)]
		if a.ready(slot, review) {
			b.serve(a, slot, crowd)
		}
	}
}

// ready reports whether review, schedule and changes let an ad serve all of a slot.
func (a *ad) ready(slot, reviewMs int64) bool {
	g, c := a.group, a.group.campaign
	if a.blocked == slot || g.blocked == slot || c.blocked == slot || slot < a.SubmittedAt+reviewMs {
		return false
	}
	return slot >= c.Start*1000 && (c.End == 0 || slot+slotMs <= c.End*1000)
}

// serve shows one ad in one slot for as much as its budgets have.
func (b *Book) serve(a *ad, slot, crowd int64) {
	c := a.group.campaign
	if c.day != b.today {
		c.day, c.today, c.allowance = b.today, 0, unpaced
	}
	if c.allowance == unpaced {
		c.allowance = b.paced(c)
	}
	draw := mix(a.hash, uint64(slot))
	price := a.price(draw)
	own := c.room()
	room := min(own, b.room())
	if own < price {
		c.exhausted = b.today
	}
	if room < price {
		return
	}
	t := a.demand(draw, crowd)
	t.fit(price, room, c.PerImpression)
	if t.Impressions == 0 {
		return
	}
	if c.exhausted == b.today {
		c.exhausted = nil
	}
	c.today += t.Spend
	c.ever += t.Spend
	b.today.add(len(b.ads), a.index, t)
	if c.Goals != "" {
		b.today.Touches = a.touches(b.today.Touches, a.index, slot, t, c.Goals)
	}
}

// fit prices a demand and cuts it to what room pays for.
func (t *Tally) fit(price, room int64, perImpression bool) {
	afford := room / price
	if perImpression {
		if t.Impressions > afford {
			t.Clicks, t.Impressions = t.Clicks*afford/t.Impressions, afford
		}
		t.Spend = t.Impressions * price
		return
	}
	if t.Clicks > afford {
		t.Impressions, t.Clicks = max(t.Impressions*afford/t.Clicks, afford), afford
	}
	t.Spend = t.Clicks * price
}

// room is what the campaign's budget has left.
func (c *campaign) room() int64 {
	room := int64(unlimited)
	if c.Daily > 0 {
		room = c.Daily - c.today
	}
	if c.Lifetime > 0 {
		room = min(room, c.Lifetime-c.ever, c.allowance-c.today)
	}
	return room
}

// unlimited is more than any budget; unpaced is an allowance not worked out yet.
const (
	unlimited = 1 << 62
	unpaced   = -1 << 62
)

// room is what the account's limits have left.
func (b *Book) room() int64 {
	room := int64(unlimited)
	for _, left := range b.caps {
		room = min(room, left-b.today.Spent)
	}
	return room
}

// paced spreads what is left of a lifetime budget evenly over the days to the end
// of the campaign; without an end it is not spread.
func (b *Book) paced(c *campaign) int64 {
	if c.Lifetime == 0 || c.End == 0 {
		return unlimited
	}
	left := c.Lifetime - c.ever + c.today
	days := max(1, (c.End*1000-b.today.Start+86_400_000-1)/86_400_000)
	return (left + days - 1) / days
}
