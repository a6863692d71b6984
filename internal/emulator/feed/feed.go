// Package feed invents the product and hotel feeds that accounts have linked:
// the feed endpoints are no part of the service here, but reports and final URLs
// need something in them. It reads and keeps nothing. Its invariant: a feed id
// always has the same items.
package feed

import (
	"fmt"
	"strings"

	"adsync/internal/emulator/delivery"
	"adsync/internal/emulator/world"
)

// Product is one item of a product feed.
type Product struct {
	FeedID, ItemID, Title, Description, Body string
	TargetURL, ImageURL, Brand, Seller       string
	PriceMicros                              int64 // of the account currency
	Available                                bool
}

// Hotel is one property of a hotel feed. Text that is "" is missing.
type Hotel struct {
	FeedID, ItemID                             string
	Name, Brand, Category, City, Region, Place string // Place is the country code
	Expired                                    bool   // no longer offered
}

var (
	products = []string{"Trail shoe", "Rain jacket", "Wool sock", "Running cap", "Head torch", "Water flask"}
	colours  = []string{"black", "moss", "sand", "blue"}
	makers   = []string{"Northfell", "Arbor", "Quill"}
)

// Products are the items of a product feed: six of them.
func Products(feedID string) []Product {
	all := make([]Product, len(products))
	for i, name := range products {
		item := fmt.Sprintf("sku-%03d", i+1)
		pick := func(of []string, what string) string {
			return of[delivery.Scatter(0, feedID+item+what, int64(len(of)))]
		}
		title := name + ", " + pick(colours, "colour")
		all[i] = Product{
			FeedID: feedID, ItemID: item, Title: title, Description: title + " for every day", Body: "Made to last.",
			TargetURL: "https://shop.example.com/p/" +
				item + "?colour=" + pick(colours, "colour") + "&utm_source=feed&utm_campaign=catalogue",
			ImageURL: "https://images.example.com/" + item + ".png",
			Brand:    pick(makers, "maker"), Seller: "Example Shop",
			PriceMicros: (10 + delivery.Scatter(0, feedID+item, 140)) * 1_000_000, Available: i != 5,
		}
	}
	return all
}

var hotels = []Hotel{
	{Name: "Harbour House", Brand: "Lumen", Category: "hotel", City: "Lisbon", Region: "Lisboa", Place: "PT"},
	{Name: "Pine Lodge", Brand: "Lumen", Category: "resort", City: "Innsbruck", Region: "Tirol", Place: "AT"},
	{Name: "Old Mill Inn", Brand: "Brook", Category: "inn", City: "Bath", Region: "England", Place: "GB"},
	{Name: "Canal Rooms", Brand: "Brook", Category: "apartment",
		City: "Amsterdam", Region: "Noord-Holland", Place: "NL"},
	{Name: "Station Hotel", Category: "hotel", City: "Lyon", Place: "FR"},
	{},
	{Name: "Dune Palace", Brand: "Lumen", Category: "resort", City: "Agadir", Region: "Souss-Massa", Place: "MA"},
	{Name: "Closed House", Brand: "Brook", Category: "inn", City: "Porto", Region: "Norte", Place: "PT", Expired: true},
}

// quiet properties have no activity: they are there for include_zero_activity.
const quiet = 2

// Hotels are the properties of a hotel feed: eight of them, one without
// metadata, one with little, one expired.
func Hotels(feedID string) []Hotel {
	all := make([]Hotel, len(hotels))
	for i, h := range hotels {
		h.FeedID, h.ItemID = feedID, fmt.Sprintf("prop-%03d", i+1)
		all[i] = h
	}
	return all
}

// Booked are the properties of a hotel feed that ads are shown for.
func Booked(feedID string) []Hotel { return Hotels(feedID)[:len(hotels)-quiet] }

// HotelFeeds are the hotel feeds of an account: its linked feeds whose ids begin
// with fd_hotel; else its first linked feed; else one that nothing refers to.
// assumption: how an account's hotel feeds are marked is not published.
func HotelFeeds(p world.Profile) []string {
	var all []string
	for _, id := range p.Features.ProductFeeds {
		if strings.HasPrefix(id, "fd_hotel") {
			all = append(all, id)
		}
	}
	switch {
	case len(all) > 0:
		return all
	case len(p.Features.ProductFeeds) > 0:
		return p.Features.ProductFeeds[:1]
	}
	return []string{"fd_hotel_" + strings.TrimPrefix(p.ID, "adacct_")}
}
