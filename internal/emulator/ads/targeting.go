package ads

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/emulator/geo"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// MaxLocations bounds location ids of a campaign (interface, part 8).
const MaxLocations = 2500

var platforms = []string{"web", "desktop_web", "ios_web", "android_web", "ios_app", "android_app"}

// targetingChange is a targeting object as sent: what it says, and what it says
// nothing about. A nil one is null.
type targetingChange struct {
	said          world.Targeting
	platformsOnly bool
}

// whole is the targeting it says when there was none before; nil when it says nothing.
func (t *targetingChange) whole() *world.Targeting {
	if t.said.Locations == nil && t.said.ExcludedLocations == nil &&
		t.said.Audiences == nil && t.said.ExcludedAudiences == nil && t.said.Platforms == nil {
		return nil
	}
	said := t.said
	return &said
}

// over applies it to what is there: everything is replaced, except that a
// change of platforms alone keeps places and audiences, and null clears all.
func (t *targetingChange) over(before *world.Targeting) *world.Targeting {
	if t == nil {
		return nil
	}
	if !t.platformsOnly || before == nil {
		return t.whole()
	}
	merged := targetingChange{said: *before}
	merged.said.Platforms = t.said.Platforms
	return merged.whole()
}

// readTargeting reads the published targeting object; nil when absent or null.
func readTargeting(o *wire.Object, points *openpoint.Settings) *targetingChange {
	t, _ := o.Object("targeting")
	if t == nil {
		return nil
	}
	t.AllowNull("locations", "excluded_locations", "custom_audiences", "excluded_custom_audiences", "platforms")
	change := &targetingChange{
		platformsOnly: t.Len() == 1 && t.Has("platforms") && points.Is(openpoint.PlatformsAlone, "kept"),
	}
	change.said = world.Targeting{
		Locations:         readPlaces(t, "locations", points),
		ExcludedLocations: readPlaces(t, "excluded_locations", points),
		Audiences:         readAudiences(t, "custom_audiences"),
		ExcludedAudiences: readAudiences(t, "excluded_custom_audiences"),
		Platforms:         readPlatforms(t, points),
	}
	for _, id := range change.said.Audiences {
		if slices.Contains(change.said.ExcludedAudiences, id) {
			t.Fail("excluded_custom_audiences", "invalid_value",
				"Invalid '%s': audience '%s' is both included and excluded.", t.At("excluded_custom_audiences"), id)
		}
	}
	return change
}

func readPlaces(t *wire.Object, name string, points *openpoint.Settings) *world.Places {
	p, _ := t.Object(name)
	if p == nil {
		return nil
	}
	places := &world.Places{
		Countries: NormList(points, p.Texts("countries", 0, 0, CheckCountry).V),
	}
	for _, item := range p.Objects("include", 0, MaxLocations).V {
		item.Require("id")
		item.Ignore("name", "type", "country_code", "region_code", "canonical_name")
		id := item.Text("id", 1, 0).V
		if err := CheckLocation(id); err != nil {
			item.Fail("id", "invalid_value", "Invalid '%s': %v.", item.At("id"), err)
		}
		places.Include = append(places.Include, id)
	}
	places.Include = NormList(points, places.Include)
	if len(places.Countries)+len(places.Include) == 0 {
		return nil
	}
	return places
}

// CheckCountry accepts an ISO 3166-1 alpha-2 code in capitals.
func CheckCountry(code string) error {
	if len(code) != 2 || !strings.Contains(countries, " "+code+" ") {
		return fmt.Errorf("%q is no ISO 3166-1 alpha-2 country code", code)
	}
	return nil
}

// CheckLocation accepts a location id: a decimal string.
func CheckLocation(id string) error {
	if id == "" || len(id) > 18 || strings.Trim(id, "0123456789") != "" {
		return fmt.Errorf("%q is no location id; want a decimal string such as 2000043", id)
	}
	return nil
}

func readAudiences(t *wire.Object, name string) []string {
	a, _ := t.Object(name)
	if a == nil {
		return nil
	}
	a.Require("ids")
	ids := a.Texts("ids", 0, 500, nil).V
	if len(ids) == 0 {
		return nil
	}
	return ids
}

func readPlatforms(t *wire.Object, points *openpoint.Settings) []string {
	p, _ := t.Object("platforms")
	if p == nil {
		return nil
	}
	p.Require("included")
	return NormList(points, p.Texts("included", 1, 0, func(s string) error {
		if !slices.Contains(platforms, s) {
			return fmt.Errorf("%q is no platform; want one of %s", s, strings.Join(platforms, ", "))
		}
		return nil
	}).V)
}

// checkTargeting checks a campaign's targeting against the account.
func checkTargeting(a *world.Account, c world.Campaign) error {
	t := c.Targeting
	if t == nil {
		return nil
	}
	for _, places := range []*world.Places{t.Locations, t.ExcludedLocations} {
		if err := checkPlaces(a, c, places); err != nil {
			return err
		}
	}
	for _, id := range slices.Concat(t.Audiences, t.ExcludedAudiences) {
		if audience, ok := a.Audiences.Get(id); !ok || audience.Status == "archived" {
			return wire.Invalidf("targeting.custom_audiences",
				"custom_audience_not_found", "No custom audience found with id '%s'.", id)
		}
	}
	return nil
}

func checkPlaces(a *world.Account, c world.Campaign, places *world.Places) error {
	if places == nil {
		return nil
	}
	if len(places.Include) > 0 && c.Mode != nil && *c.Mode == "product_feed" {
		return wire.Invalidf("targeting.locations",
			"invalid_value", "A product-feed campaign can be targeted by countries only.")
	}
	if a.Points().Is(openpoint.UnknownLocation, "accepted") {
		return nil
	}
	for _, id := range places.Include {
		if _, ok := geo.Find(id); !ok {
			return wire.Invalidf("targeting.locations", "location_not_found", "No location found with id '%s'.", id)
		}
	}
	return nil
}
