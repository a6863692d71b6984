package openapi

// The bounds of a creative (interface, part 8).
var (
	adTitle = textOf(3, 50)
	adBody  = textOf(0, 100)
	target  = &Schema{Type: Types{"string"}, Format: "uri", MinLength: 1, MaxLength: 2048}
)

func adRecords() map[string]*Schema {
	return map[string]*Schema{
		"Ad": object(
			must("id", text()), may("ad_group_id", text()), must("created_at", integer()),
			must("updated_at", integer()),
			must("name", text()), must("status", status), must("creative", ref("Creative")),
			must("review_status", oneOf("in_review", "approved", "rejected")), must("review", ref("Review")),
			must("landing_page_configuration", orNull(ref("LandingPage"))),
			may("user_external_id", text()), may("serving_issues", list(ref("ServingIssue"))),
		),
		"Review": object(must("status", oneOf("in_review", "approved", "rejected")), may("reason", text())),
		"Creative": object(
			must("type", oneOf("chat_card", "product_ad_template")), must("title", text()), must("body", text()),
			may("price", text()), may("file_id", text()), may("image_crop", ref("ImageCrop")),
			may("target_url", text()),
		),
		"ImageCrop": object(must("x", fraction()), must("y", fraction()),
			must("width", fraction()), must("height", fraction())),
		"AdCreate": object(
			must("ad_group_id", id), must("name", name),
			may("status", firstStatus), must("creative", ref("CreativeCreate")),
			may("landing_page_configuration", orNull(ref("LandingPageChange"))),
		),
		"AdUpdate": changes(
			may("name", name), may("status", status), may("creative", ref("CreativeUpdate")),
			may("landing_page_configuration", orNull(ref("LandingPageChange"))),
		),
		"CreativeCreate": {AnyOf: []*Schema{chatCard(adTitle), productTemplate(adTitle)}},
		"CreativeUpdate": {AnyOf: []*Schema{chatCard(textOf(1, 50)), productTemplate(textOf(1, 50))}},
		"Preview":        object(must("data", list(object(must("body", text()))))),
		"File":           object(must("file_id", text())),
	}
}

func chatCard(title *Schema) *Schema {
	return object(
		must("type", oneOf("chat_card")), must("title", title), must("body", adBody),
		must("target_url", target), must("file_id", id),
		may("price", textOf(0, 100)), may("image_crop", ref("ImageCrop")),
	)
}

// productTemplate has its address and its image from the feed.
func productTemplate(title *Schema) *Schema {
	return object(
		must("type", oneOf("product_ad_template")), must("title", title), must("body", adBody),
		may("price", textOf(0, 100)), may("image_crop", ref("ImageCrop")),
	)
}

func adOperations() map[string]operation {
	return merged(
		map[string]operation{
			"GET /ads": {
				summary: "List ads", also: []int{405, 422},
				query: append(named(500), described(query("ad_group_id", id),
					"Required where the open point list_ads is by_ad_group."), include("serving_issues")),
				answer: envelope(ref("Ad")),
			},
			"POST /ads": {summary: "Create an ad", body: json1(ref("AdCreate")), answer: ref("Ad")},
			"GET /ads/{ad_id}": {summary: "Read an ad",
				query: []Parameter{include("serving_issues")}, answer: ref("Ad")},
			"POST /ads/{ad_id}":         {summary: "Change an ad", body: json1(ref("AdUpdate")), answer: ref("Ad")},
			"POST /ads/{ad_id}/preview": {summary: "Preview an ad", answer: ref("Preview")},
			"POST /upload": {
				summary: "Upload an image: JPEG, PNG or WebP, at least 640 by 640 pixels", answer: ref("File"),
				body: form(
					object(must("image_url", target), may("purpose", purpose)),
					object(must("file", text()), may("purpose", purpose)),
				),
			},
		},
		acts("/ads/{ad_id}", "an ad", ref("Ad"), "activate", "pause", "archive"),
	)
}

var purpose = oneOf("account_favicon").says("Left out for a creative's image.")
