package kinds

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
)

// account is what files may say of the ad account itself: its names and whether
// it delivers (interface, part 4, ad account; service facts, 9.2).
func account() *resource.Schema {
	return &resource.Schema{
		Kind: Account, Title: "Account", Sheet: "Account", Extra: true, Only: "account",
		NameFrom: []string{"account_name", "name", "brand_name", "legal_name"},
		Lasting:  "account", Feature: "brand updates",
		Listing: resource.Listing{Path: "ad_account"},
		Calls:   resource.Calls{Update: resource.Call{Path: "ad_account/brand"}},
		Attributes: []resource.Attribute{
			{
				Name: "name", Header: "Account", Help: "Sets the legal name, the account's name and " +
					"the brand's name at once. Give this, or those. Blank: left as they are.", Example: "Trail Shoes",
				Type: resource.TypeText, Min: 1, Max: 1000,
				Wire: resource.Wire{Path: "name", Same: []string{"legal_name", "account_name", "brand_name"}},
			},
			accountName("legal_name", "Legal name", "Trail Shoes Inc."),
			accountName("account_name", "Account name", "Trail Shoes US"),
			accountName("brand_name", "Brand name", "Trail Shoes"),
			{
				Name: "status", Header: "Status",
				Help: "active or paused: a paused account delivers nothing. Blank: left as it is.", Example: Active,
				Type: resource.TypeChoice,
				Choices: []resource.Choice{{Value: Active, Synonyms: []string{"enabled", "live", "running"}},
					{Value: Paused, Synonyms: []string{"disabled", "stopped"}}},
				Spend: resource.Delivery, Wire: resource.Wire{Path: "status"},
				Calls: map[string]resource.Call{
					Active: {Path: "ad_account/activate", NoBody: true},
					Paused: {Path: "ad_account/pause", NoBody: true},
				},
			},
			{
				Name: "url", Header: "Website", Help: "Address of the brand's website. Blank: left as it is.",
				Example: "https://shop.example",
				Type:    resource.TypeURL, Max: 2048, Wire: resource.Wire{Path: "url"},
			},
			{
				Name: "favicon", Header: "Icon",
				Help: "The brand's icon: a file of the folder (JPEG, PNG or WebP, at least 128 by 128), or an " +
					"address. The service does not show it again. A change restarts the review of the brand. " +
					"Blank: left as it is.", Example: "images/icon.png",
				Type: resource.TypeImage, Max: 2048, Side: 128,
				Wire: resource.Wire{Path: "favicon_file_id", Codec: resource.FileID,
					Purpose: "account_favicon", Hidden: true},
			},
		},
		Rules: []resource.Rule{{Name: "interface, part 4, brand: name cannot be combined with the other three",
			Written: true, Check: oneName}},
	}
}

func accountName(name, header, example string) resource.Attribute {
	return resource.Attribute{
		Name: name, Header: header, Help: "The " + header + " people see. Blank: left as it is.", Example: example,
		Type: resource.TypeText, Min: 1, Max: 1000, Wire: resource.Wire{Path: name},
	}
}

func oneName(value func(string) resource.Value) *resource.Finding {
	if !value("name").IsSet() {
		return nil
	}
	for _, other := range []string{"legal_name", "account_name", "brand_name"} {
		if value(other).IsSet() {
			return &resource.Finding{
				Code: diag.Conflicting, Attribute: other,
				Message: other + " is set beside name, which sets it too; want one of them",
			}
		}
	}
	return nil
}
