package ads

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// ChatCard is the type of an ordinary creative.
const ChatCard = "chat_card"

const productTemplate = "product_ad_template"

// readAdCreate reads the body of a create (part 2).
func readAdCreate(o *wire.Object, points *openpoint.Settings) world.Ad {
	o.Require("ad_group_id", "name", "creative")
	o.AllowNull("landing_page_configuration")
	d := world.Ad{
		AdGroupID:   o.Text("ad_group_id", 1, 255).V,
		Name:        NormName(points, o.Name("name", 3, 1000).V),
		Status:      createStatus(o, points),
		LandingPage: readLandingPage(o),
	}
	if c := readCreative(o, points, 3); c != nil {
		d.Creative = *c
	}
	return d
}

// readAdUpdate reads the body of an update. A creative must be whole; how
// short its title may be is an open point.
func readAdUpdate(o *wire.Object, points *openpoint.Settings) AdChange {
	notEmpty(o)
	immutable(o, "ad_group_id", "campaign_id")
	o.AllowNull("landing_page_configuration")
	name := o.Name("name", 3, 1000)
	landing, hasLanding := readLandingPage(o), o.Has("landing_page_configuration")
	return AdChange{Status: updateStatus(o), Creative: readCreative(o, points, int(points.Int(openpoint.UpdatedTitle))),
		Apply: func(d *world.Ad) {
			d.Name = NormName(points, name.Or(d.Name))
			if hasLanding {
				d.LandingPage = landing
			}
		}}
}

// readCreative reads a whole creative; nil when absent.
func readCreative(o *wire.Object, points *openpoint.Settings, minTitle int) *world.Creative {
	c, _ := o.Object("creative")
	if c == nil {
		return nil
	}
	c.Require("type", "title", "body")
	creative := &world.Creative{
		Type:      c.Choice("type", ChatCard, productTemplate).V,
		Title:     NormName(points, c.Name("title", minTitle, 50).V),
		Body:      NormName(points, c.Text("body", 0, 100).V),
		Price:     c.Text("price", 0, 100).V,
		ImageCrop: readCrop(c),
	}
	if creative.Type == productTemplate {
		return creative // target_url and file_id come from the feed; sending them is an unknown field
	}
	c.Require("target_url", "file_id")
	creative.TargetURL = NormURL(points, ReadURL(c, "target_url"))
	creative.FileID = c.Text("file_id", 1, 255).V
	return creative
}

// ReadURL reads an http or https address of at most 2,048 characters (interface, part 8).
func ReadURL(o *wire.Object, name string) string {
	v := o.Text(name, 1, 2048)
	if v.Given() {
		if err := CheckURL(v.V); err != nil {
			o.Fail(name, "invalid_url", "Invalid '%s': %v.", o.At(name), err)
		}
	}
	return v.V
}

// CheckURL accepts an absolute http or https address without blanks.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") ||
		u.Hostname() == "" || strings.ContainsAny(address, " \t\r\n") {
		return fmt.Errorf("%q is no http or https address", address)
	}
	return nil
}

// readCrop reads fractions from 0 to 1. The digits are kept as sent.
func readCrop(c *wire.Object) *world.ImageCrop {
	crop, _ := c.Object("image_crop")
	if crop == nil {
		return nil
	}
	crop.Require("x", "y", "width", "height")
	part := func(name string) world.Raw {
		n := crop.Number(name).V
		if f, err := strconv.ParseFloat(string(n), 64); err != nil || f < 0 || f > 1 {
			crop.Fail(name, "invalid_value", "Invalid '%s': want a fraction from 0 to 1.", crop.At(name))
		}
		return json.RawMessage(n)
	}
	return &world.ImageCrop{X: part("x"), Y: part("y"), Width: part("width"), Height: part("height")}
}

// checkAd checks an ad against its ad group and the account.
func checkAd(a *world.Account, g world.AdGroup, d world.Ad) error {
	if d.Creative.Type == productTemplate {
		return checkTemplateAd(a, g, d)
	}
	f, ok := a.Files.Get(d.Creative.FileID)
	if !ok {
		return wire.Invalidf("creative.file_id", "file_not_found", "No file found with id '%s'.", d.Creative.FileID)
	}
	if f.Purpose != "" {
		return wire.Invalidf("creative.file_id", "invalid_file",
			"The file '%s' was uploaded as %s, not as a creative image.", f.ID, f.Purpose)
	}
	return nil
}

// checkTemplateAd: a product-feed ad group holds at most one template that is not archived.
func checkTemplateAd(a *world.Account, g world.AdGroup, d world.Ad) error {
	if c, ok := a.Campaigns.Get(g.CampaignID); !ok || c.ProductFeedID == nil {
		return wire.Invalidf("creative.type", "invalid_value", "A product_ad_template needs a product-feed campaign.")
	}
	for _, other := range a.AdsOf.Of(g.ID) {
		if other.ID != d.ID && other.Status != world.Archived && other.Creative.Type == productTemplate {
			return wire.Conflictf("product_ad_template_exists",
				"The ad group has the product_ad_template %s already.", other.ID)
		}
	}
	return nil
}
