package insights

import (
	"encoding/json"
	"slices"

	"adsync/internal/emulator/delivery"
	"adsync/internal/emulator/feed"
	"adsync/internal/emulator/world"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// part is one value of a segment, and its weight among those of an ad.
type part struct {
	id      string // names the part in row ids
	weight  int64
	product feed.Product
	hotel   feed.Hotel
}

// segmentKind is one way to break results down.
type segmentKind struct {
	fields []field // what names a part; the first is shown when the request names none
	parts  func(r *facts, e *entity) []part
}

func partText(of, name string, value func(p *part) any) field {
	return field{name: name, wire: wireName(name), of: of, value: func(_ *report, row *row) any {
		return value(row.part)
	}}
}

// segments are the published breakdowns, and hotel of the interface.
var segments = map[string]*segmentKind{
	"country": {
		fields: []field{
			partText("country", "country.name", func(p *part) any { return countryName(p.id) }),
			partText("country", "country.code", func(p *part) any { return p.id }),
		},
		parts: (*facts).countries,
	},
	"device": {
		fields: []field{partText("device", "device.type", func(p *part) any { return p.id })},
		parts:  (*facts).devices,
	},
	"platform": {
		fields: []field{partText("platform", "platform.name", func(p *part) any { return p.id })},
		parts:  (*facts).platforms,
	},
	"product": {
		fields: []field{
			partText("product", "product.title", func(p *part) any { return orNull(p.product.Title) }),
			partText("product", "product.item_id", func(p *part) any { return p.product.ItemID }),
			partText("product", "product.feed_id", func(p *part) any { return p.product.FeedID }),
			partText("product", "product.feed_item_id", func(p *part) any {
				return feedItem(p.product.FeedID, p.product.ItemID)
			}),
			partText("product", "product.description", func(p *part) any { return orNull(p.product.Description) }),
			partText("product", "product.body", func(p *part) any { return orNull(p.product.Body) }),
			partText("product", "product.target_url", func(p *part) any { return orNull(p.product.TargetURL) }),
			partText("product", "product.image_url", func(p *part) any { return orNull(p.product.ImageURL) }),
			partText("product", "product.brand", func(p *part) any { return orNull(p.product.Brand) }),
			partText("product", "product.seller_name", func(p *part) any { return orNull(p.product.Seller) }),
			partText("product", "product.price", func(p *part) any { return decimal(p.product.PriceMicros) }),
			partText("product", "product.availability", func(p *part) any { return availability(p.product.Available) }),
		},
		parts: (*facts).products,
	},
	"hotel": {
		fields: hotelFields("hotel"),
		parts:  (*facts).hotels,
	},
}

// hotelFields name a property. assumption: the keys of hotel rows are not published.
func hotelFields(of string) []field {
	return []field{
		{name: "hotel.name", wire: "hotel_name", of: of, value: func(_ *report, row *row) any {
			return orNull(row.part.hotel.Name)
		}},
		{name: "hotel.brand", wire: "hotel_brand", of: of, value: func(_ *report, row *row) any {
			return orNull(row.part.hotel.Brand)
		}},
		{name: "hotel.category", wire: "hotel_category", of: of, value: func(_ *report, row *row) any {
			return orNull(row.part.hotel.Category)
		}},
		{name: "hotel.city", wire: "hotel_city", of: of, value: func(_ *report, row *row) any {
			return orNull(row.part.hotel.City)
		}},
		{name: "hotel.region", wire: "hotel_region", of: of, value: func(_ *report, row *row) any {
			return orNull(row.part.hotel.Region)
		}},
		{name: "hotel.country_code", wire: "hotel_country_code", of: of, value: func(_ *report, row *row) any {
			return orNull(row.part.hotel.Place)
		}},
		{name: "hotel.inventory_feed_id", wire: "inventory_feed_id", of: of, value: func(_ *report, row *row) any {
			return row.part.hotel.FeedID
		}},
		{name: "hotel.inventory_item_id", wire: "inventory_item_id", of: of, value: func(_ *report, row *row) any {
			return row.part.hotel.ItemID
		}},
	}
}

// feedItem names an item of a feed in filters: a JSON object as text.
func feedItem(feedID, itemID string) string {
	text, _ := json.Marshal(map[string]string{"feed_id": feedID, "item_id": itemID})
	return string(text)
}

func availability(yes bool) string {
	if yes {
		return "in_stock"
	}
	return "out_of_stock"
}

func countryName(code string) any {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	return display.English.Regions().Name(region)
}

// usualCountries are where a campaign without locations is shown.
// assumption: the service shows such a campaign everywhere; five stand for that.
var usualCountries = []string{"US", "GB", "CA", "DE", "FR"}

func (r *facts) countries(e *entity) []part {
	codes := usualCountries
	if t := e.campaign.Targeting; t != nil {
		codes = targeted(*t)
	}
	return weigh(r, e.ad.ID, codes)
}

func targeted(t world.Targeting) []string {
	codes := slices.Clone(usualCountries)
	switch {
	case t.Locations == nil:
	case len(t.Locations.Countries) > 0:
		codes = slices.Clone(t.Locations.Countries)
	case len(t.Locations.Include) > 0:
		codes = []string{"US"} // assumption: the sample catalogue's regions are American
	}
	if t.ExcludedLocations == nil {
		return codes
	}
	return slices.DeleteFunc(codes, func(c string) bool { return slices.Contains(t.ExcludedLocations.Countries, c) })
}

// allPlatforms are where a campaign without platforms is shown; web stands for the three web ones.
var allPlatforms = []string{"desktop_web", "ios_web", "android_web", "ios_app", "android_app"}

func platformsOf(c *world.Campaign) []string {
	if c.Targeting == nil || len(c.Targeting.Platforms) == 0 {
		return allPlatforms
	}
	var names []string
	for _, name := range allPlatforms {
		web := slices.Contains(allPlatforms[:3], name) && slices.Contains(c.Targeting.Platforms, "web")
		if web || slices.Contains(c.Targeting.Platforms, name) {
			names = append(names, name)
		}
	}
	return names
}

func (r *facts) platforms(e *entity) []part { return weigh(r, e.ad.ID, platformsOf(e.campaign)) }

// devices are desktop and mobile, by the platforms.
// assumption: the values of device.type are not published.
func (r *facts) devices(e *entity) []part {
	sum := map[string]int64{}
	for _, p := range r.platforms(e) {
		device := "mobile"
		if p.id == "desktop_web" {
			device = "desktop"
		}
		sum[device] += p.weight
	}
	var parts []part
	for _, device := range []string{"desktop", "mobile"} {
		if sum[device] > 0 {
			parts = append(parts, part{id: device, weight: sum[device]})
		}
	}
	return parts
}

// products are those of the campaign's feed. The ad's product set is not applied.
func (r *facts) products(e *entity) []part {
	if e.campaign.ProductFeedID == nil {
		return nil
	}
	var parts []part
	for _, p := range feed.Products(*e.campaign.ProductFeedID) {
		parts = append(parts, part{id: p.FeedID + "/" + p.ItemID, weight: weight(r, e.ad.ID+p.ItemID), product: p})
	}
	return parts
}

func (r *facts) hotels(e *entity) []part {
	id := e.campaign.ProductFeedID
	if id == nil || !slices.Contains(feed.HotelFeeds(r.tree.profile), *id) {
		return nil
	}
	var parts []part
	for _, h := range feed.Booked(*id) {
		parts = append(parts, part{id: h.FeedID + "/" + h.ItemID, weight: weight(r, e.ad.ID+h.ItemID), hotel: h})
	}
	return parts
}

func weigh(r *facts, adID string, ids []string) []part {
	parts := make([]part, len(ids))
	for i, id := range ids {
		parts[i] = part{id: id, weight: weight(r, adID+id)}
	}
	return parts
}

func weight(r *facts, text string) int64 { return 20 + delivery.Scatter(r.seed, text, 100) }

// split divides a tally among parts by weight. The shares add up to the tally,
// none has more clicks than impressions, and none costs more a click (or an
// impression) than the whole did at most.
func split(t delivery.Tally, parts []part, perImpression bool) []delivery.Tally {
	whole := int64(0)
	for _, p := range parts {
		whole += p.weight
	}
	shares := make([]delivery.Tally, len(parts))
	var sofar delivery.Tally
	weights := int64(0)
	for i, p := range parts {
		weights += p.weight
		upTo := delivery.Tally{Impressions: t.Impressions * weights / whole}
		upTo.Clicks = portion(t.Clicks, upTo.Impressions, t.Impressions)
		if perImpression {
			upTo.Spend = portion(t.Spend, upTo.Impressions, t.Impressions)
		} else {
			upTo.Spend = portion(t.Spend, upTo.Clicks, t.Clicks)
		}
		shares[i] = delivery.Tally{
			Impressions: upTo.Impressions - sofar.Impressions,
			Clicks:      upTo.Clicks - sofar.Clicks, Spend: upTo.Spend - sofar.Spend,
		}
		sofar = upTo
	}
	return shares
}

// portion is n × part ÷ whole, rounded down, where part is at most whole.
func portion(n, part, whole int64) int64 {
	if whole == 0 {
		return 0
	}
	return n/whole*part + n%whole*part/whole
}
