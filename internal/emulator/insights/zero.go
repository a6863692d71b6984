package insights

import (
	"adsync/internal/emulator/feed"
)

// addZeros adds rows for what was not shown, where the request includes them.
func (r *collector) addZeros() {
	switch {
	case r.zeroItems:
		r.addZeroEntities()
	case r.zeroProducts:
		r.addZeroProducts()
	case r.zeroHotels:
		r.addZeroHotels()
	}
}

// addZeroEntities adds every entity of the scope that existed in a bucket and is
// not archived. Conditions on lower levels leave entities out that have nothing
// to fulfil them with.
func (r *collector) addZeroEntities() {
	reachable := r.reachable()
	for _, id := range r.tree.all(r.level) {
		e := r.tree.find(r.level, id)
		if e == nil || e.archived() || r.tree.up(e, r.scope.level) != r.scope || !r.chosen(e, nil) {
			continue
		}
		if reachable != nil && !reachable[e] {
			continue
		}
		for bucket := range r.span.starts {
			if _, end := r.span.bounds(bucket); e.createdAt() < end {
				r.at(bucket, e, nil)
			}
		}
	}
}

// reachable are the entities with an ad that fulfils every condition; nil when no
// condition looks below the report's level.
func (r *collector) reachable() map[*entity]bool {
	below := false
	for _, f := range r.filters {
		below = below || f.in != nil && f.level > r.level
	}
	if !below {
		return nil
	}
	found := map[*entity]bool{}
	for _, id := range r.tree.all(ad) {
		if e := r.tree.find(ad, id); e != nil && r.chosen(e, nil) {
			found[r.tree.up(e, r.level)] = true
		}
	}
	return found
}

// addZeroProducts adds the products of every feed that campaigns of the scope use.
func (r *collector) addZeroProducts() {
	for _, id := range r.tree.all(campaign) {
		e := r.tree.find(campaign, id)
		if e == nil || e.campaign.ProductFeedID == nil ||
			r.level > campaign || e.archived() || r.scope.level <= campaign && r.tree.up(e, r.scope.level) != r.scope {
			continue
		}
		for _, p := range feed.Products(*e.campaign.ProductFeedID) {
			item := r.intern(e, &part{id: p.FeedID + "/" + p.ItemID, product: p})
			for bucket := range r.span.starts {
				if item != nil && r.chosen(e, nil) {
					r.at(bucket, r.tree.up(e, r.level), item)
				}
			}
		}
	}
}
