package account

import (
	"net/http"
	"net/url"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// maxName bounds the names of an account, in code points.
// assumption: bounds of these names are not published; those of campaigns are 1,000.
const maxName = 1000

// brand is the body of a brand change: fields that are absent stay as they are.
type brand struct {
	name, legalName, accountName, brandName wire.Opt[string]
	url, favicon                            wire.Opt[string] // published additions
}

func readBrand(o *wire.Object, points *openpoint.Settings) (b brand, err error) {
	if o.Len() == 0 {
		o.Fail("", "missing_required_parameter", "The body has no field to change.")
	}
	b = brand{
		name: o.Name("name", 1, maxName), legalName: o.Name("legal_name", 1, maxName),
		accountName: o.Name("account_name", 1, maxName), brandName: o.Name("brand_name", 1, maxName),
	}
	if b.name.Set && (b.legalName.Set || b.accountName.Set || b.brandName.Set) {
		o.Fail("name", "invalid_value",
			"'name' sets all three names and cannot be combined with 'legal_name', 'account_name' or 'brand_name'.")
	}
	if points.Is(openpoint.BrandAddress, "taken") {
		b.url, b.favicon = readAddress(o), o.Text("favicon_file_id", 1, 255)
	}
	return b, o.Err()
}

func readAddress(o *wire.Object) wire.Opt[string] {
	v := o.Text("url", 1, 2048)
	if !v.Given() {
		return v
	}
	u, err := url.Parse(v.V)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		o.Fail("url", "invalid_value", "Invalid 'url': want an HTTP or HTTPS address.")
	}
	return v
}

// over is the profile with the fields that are given.
func (b brand) over(p world.Profile) world.Profile {
	p.LegalName = b.legalName.Or(b.name.Or(p.LegalName))
	p.AccountName = b.accountName.Or(b.name.Or(p.AccountName))
	p.BrandName = b.brandName.Or(b.name.Or(p.BrandName))
	p.URL = b.url.Or(p.URL)
	p.FaviconID = b.favicon.Or(p.FaviconID)
	return p
}

// setBrand changes names, address and icon. All but the account name start a
// review, which stops delivery until it is approved.
func (r *Room) setBrand(c *service.Call) (shown any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	wanted, err := readBrand(o, c.Points)
	if err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		before := c.Account.Profile()
		if err := mayBrand(c.Account, before, wanted); err != nil {
			return err
		}
		after := wanted.over(before)
		changed, reviewed := compare(before, after)
		if reviewed {
			after.BrandSince = tx.Now.Unix()
		}
		if changed {
			r.save(tx, "update", before, after)
		}
		shown = r.show(after, tx.Now)
		return nil
	})
	return shown, err
}

func mayBrand(a *world.Account, p world.Profile, b brand) error {
	if !p.Features.Brand {
		err := wire.Refusef(http.StatusForbidden, "brand_update_not_enabled",
			"", "Brand updates are not enabled for this ad account.")
		err.Type = "permission_error"
		return err
	}
	if !b.favicon.Given() {
		return nil
	}
	if f, ok := a.Files.Get(b.favicon.V); !ok || f.Purpose != "account_favicon" {
		return wire.Invalidf("favicon_file_id", "file_not_found",
			"No file uploaded as account_favicon has the id '%s'.", b.favicon.V)
	}
	return nil
}

// compare reports whether anything changed, and whether it has to be reviewed.
func compare(before, after world.Profile) (changed, reviewed bool) {
	reviewed = before.LegalName != after.LegalName || before.BrandName != after.BrandName ||
		before.URL != after.URL || before.FaviconID != after.FaviconID
	return reviewed || before.AccountName != after.AccountName, reviewed
}
