package kinds

import "adsync/internal/resource"

func ad() *resource.Schema {
	return &resource.Schema{
		Kind: Ad, Parent: AdGroup, Title: "Ad", Sheet: "Ads", Collection: "ads",
		Children: "ads", ParentWire: "ad_group_id",
		NameFrom: []string{"name", "title"}, Removal: Archived, Insights: "ad", Audit: "ad_id",
		Attributes: []resource.Attribute{
			{
				Name: "name", Header: "Ad",
				Help:    "The ad's own name, 3 to 1,000 characters. Blank: a new ad is named after its title.",
				Example: "Hero A",
				Type:    resource.TypeText, Min: 3, Max: 1000,
				Wire: resource.Wire{Path: "name"},
				Bulk: resource.BulkField{Update: "name"},
			},
			status(),
			{
				Name: "title", Header: "Title",
				Help: "3 to 50 characters. A change restarts the review.", Example: "Shoes for muddy trails",
				Type: resource.TypeText, Min: 3, Max: 50, Required: true, OnCreate: true, Review: true,
				Wire: resource.Wire{Path: "creative.title"},
				Bulk: resource.BulkField{Create: "title", Update: "creative.title"},
			},
			{
				Name: "body", Header: "Body",
				Help:    "At most 100 characters. A change restarts the review.",
				Example: "Light, grippy trail shoes. Free returns.",
				Type:    resource.TypeText, Max: 100, Required: true, OnCreate: true, Review: true,
				Wire: resource.Wire{Path: "creative.body"},
				Bulk: resource.BulkField{Create: "body", Update: "creative.body"},
			},
			{
				Name: "target_url", Header: "Target URL",
				Help: "Address of the landing page, http or https, " +
					"at most 2,048 characters. A change restarts the review.", Example: "https://shop.example/trail",
				Type: resource.TypeURL, Max: 2048, Required: true, OnCreate: true, Review: true,
				Wire: resource.Wire{Path: "creative.target_url"},
				Bulk: resource.BulkField{Create: "target_url", Update: "creative.target_url"},
			},
			{
				Name: "image", Header: "Image",
				Help: "A file of the folder (JPEG, PNG or WebP, at least 640 by 640), or an address; in a workbook " +
					"also a picture pasted over the cell. A change restarts the review.", Example: "images/hero-a.png",
				Type: resource.TypeImage, Max: 2048, Side: 640, Required: true, OnCreate: true, Review: true,
				Wire: resource.Wire{Path: "creative.file_id", Codec: resource.FileID},
				Bulk: resource.BulkField{Create: "source_image_url", Update: "creative.file_id", AtCreate: true},
			},
			tracking(),
			{
				Name: "price", Header: "Price",
				Help: "What the card shows as the price, at most 100 characters; nothing is charged by it. " +
					"Blank: left as it is; [clear] removes it. A change restarts the review.", Example: "from $89",
				Type: resource.TypeText, Min: 1, Max: 100, Clearable: true, Review: true,
				Wire: resource.Wire{Path: "creative.price"},
				Bulk: resource.BulkField{AtCreate: true},
			},
			{
				Name: "image_crop", Header: "Image part",
				Help: "JSON object with x, y, width and height, fractions of the image from 0 to 1: the square part " +
					"that is shown. Blank: left as it is; [clear] shows the whole. A change restarts the review.",
				Example: `{"x": 0.1, "y": 0, "width": 0.8, "height": 0.8}`,
				Type:    resource.TypeObject, Clearable: true, Review: true,
				Wire: resource.Wire{Path: "creative.image_crop", Codec: resource.RawJSON},
				Bulk: resource.BulkField{AtCreate: true},
			},
		},
		Facts: []resource.Fact{
			{
				Name: "review", Header: "Review", Path: "review_status", Detail: "review.reason",
				Help: "What the service's review " +
					"of the ad said when this was exported: in review, approved, or rejected and why.",
			},
			servingIssues("ad"),
		},
		Groups: []resource.Group{{Wire: "creative", ReadOnly: []string{"image_url"}}, trackingGroup()},
		Fixed:  []resource.Fixed{{Wire: "creative.type", Value: "chat_card"}},
		Bulk: resource.BulkRoute{
			Create: "ad.create", Update: "ad.update",
			Parents: map[resource.Kind]string{
				Campaign: "campaign_idempotency_key", AdGroup: "ad_group_idempotency_key",
			},
		},
		Rules:  ofAd(),
		Across: acrossTracking(Ad, AdGroup, Campaign),
		Most:   5000,
	}
}
