package conformance

import "strings"

// rowsOfAds are part 2, ad and image, and part 4, upload and ads.
var rowsOfAds = concat(
	[]Row{
		{
			Rules: "2.ad.id 2.ad.creative 2.ad.review 1.mutations", Name: "a create gives the ad, in review",
			Given: given(anAdGroup, aFile), Do: post("/ads", ad("Hero")).save("ad", "id"),
			Want: gives(text("id"), is("name", "Hero"), is("status", "paused"), is("creative.title", "Shoes for mud"), is("creative.file_id", "{file}"),
				is("review_status", "in_review"), is("review.status", "in_review")),
			Then: given(get("/ads/{ad}").gives(is("id", "{ad}"), is("creative.target_url", "https://shop.example.com/trail"))),
		},
		{Rules: "2.ad.ad_group_id", Name: "under an ad group of another account", Given: given(aFile, post("/campaigns", campaign("Theirs")).as(other).save("campaign", "id"), post("/ad_groups", adGroup("Theirs")).as(other).save("group", "id")), Do: post("/ads", ad("Hero")), Want: answers(400, 404, 422)},
		{Rules: "2.ad.ad_group_id", Name: "moved to another ad group", Given: given(anAd, post("/ad_groups", adGroup("Walkers")).save("second", "id")), Do: post("/ads/{ad}", object{"ad_group_id": "{second}"}), Want: invalid("ad_group_id")},
		{Rules: "2.ad.creative", Name: "a file of another account", Given: given(anAdGroup, post("/upload", object{"image_url": "https://images.example.com/hero.png"}).as(other).save("file", "file_id")), Do: post("/ads", ad("Hero")), Want: invalid("creative.file_id")},
		{Rules: "2.ad.review", Name: "review_status is only read", Given: given(anAd), Do: post("/ads/{ad}", object{"review_status": "approved"}), Want: invalid("review_status")},
		{Rules: "2.ad.review", Name: "review is only read", Given: given(anAd), Do: post("/ads/{ad}", object{"review": object{"status": "approved"}}), Want: invalid("review")},
		{Rules: "2.ad.review 4.ads.read", Name: "the review of a submitted creative ends", Given: given(anAd, advance(600)), Do: get("/ads/{ad}"), Want: gives(is("review_status", "approved"), is("review.status", "approved"), is("status", "paused"))},
		{
			Rules: "2.ad.update 3.ad.creative 4.ads.update", Name: "a changed creative is reviewed again and the status stays",
			Given: given(anAd, act("/ads/{ad}/activate"), advance(600)),
			Do:    post("/ads/{ad}", object{"creative": creative("Shoes for snow")}),
			Want:  gives(is("creative.title", "Shoes for snow"), is("review_status", "in_review"), is("status", "active")),
		},
		{Rules: "2.ad.update", Name: "a changed name is not reviewed", Given: given(anAd, advance(600)), Do: post("/ads/{ad}", object{"name": "Villain"}), Want: gives(is("name", "Villain"), is("review_status", "approved"), is("creative.title", "Shoes for mud"))},
		{Rules: "2.ad.update", Name: "half a creative", Given: given(anAd), Do: post("/ads/{ad}", object{"creative": object{"title": "Shoes for snow"}}), Want: answers(400, 422)},
		{Rules: "facts.title", Name: "a title of 1 in an update", Given: given(anAd), Do: post("/ads/{ad}", object{"creative": creative("X")}), Want: gives(is("creative.title", "X"))},
		{Rules: "2.ad.serving_issues 4.ads.read", Name: "serving issues that are asked for", Given: given(anAd), Do: get("/ads/{ad}?include[]=serving_issues"), Want: gives(some("serving_issues", "code", "ad_not_active"), some("serving_issues", "code", "ad_in_review"))},
		{Rules: "2.ad.serving_issues", Name: "serving issues that are not asked for", Given: given(anAd), Do: get("/ads/{ad}"), Want: gives(lacks("serving_issues"))},
		{Rules: "4.ads.read", Name: "an unknown include", Given: given(anAd), Do: get("/ads/{ad}?include[]=everything"), Want: answers(400, 422)},
		{Rules: "4.ads.read", Name: "read of no ad", Do: get("/ads/none"), Want: notFound()},
		{Rules: "4.ads.update", Name: "update of no ad", Do: post("/ads/none", object{"name": "Villain"}), Want: notFound()},
		{Rules: "4.ads.preview 4.ads.actions facts.preview", Name: "a preview", Given: given(anAd), Do: act("/ads/{ad}/preview"), Want: gives(contains("data[0].body", "<iframe"))},
		{Rules: "4.ads.actions", Name: "a preview with a body", Given: given(anAd), Do: post("/ads/{ad}/preview", object{"size": 1}), Want: answers(400, 422)},
		{
			Rules: "1.idempotency 7.create_key", Name: "the key of an ad again", Given: given(anAdGroup, aFile, post("/ads", ad("Hero")).keyed("k").save("ad", "id")),
			Do: post("/ads", ad("Hero")).keyed("k"), Want: gives(is("id", "{ad}")),
		},
		{Rules: "facts.ads", Name: "ads of an ad group", Given: given(anAd, post("/ad_groups", adGroup("Walkers")).save("group", "id"), post("/ads", ad("Second")).save("second", "id")), Do: get("/ads?ad_group_id={group}"), Want: gives(count("data", 1), is("data[0].id", "{second}"))},
		{Rules: "facts.ads", Name: "ads of a name", Given: given(anAd, post("/ads", ad("Second"))), Do: get("/ads?ad_group_id={group}&name=hero"), Want: gives(count("data", 1), is("data[0].id", "{ad}"))},
	},
	fields("create ad", given(anAdGroup, aFile), post("/ads", ad("Hero")),
		field{"2.ad.ad_group_id", "without an ad group", "ad_group_id", absent, invalid("ad_group_id")},
		field{"2.ad.ad_group_id", "under no ad group", "ad_group_id", "none", answers(400, 404, 422)},
		field{"2.ad.name", "without a name", "name", absent, invalid("name")},
		field{"2.ad.name", "a name that is a list", "name", []string{"Hero"}, invalid("name")},
		field{"2.ad.status 3.create", "active", "status", "active", gives(is("status", "active"))},
		field{"2.ad.status 3.create", "archived at birth", "status", "archived", invalid("status")},
		field{"2.ad.creative", "without a creative", "creative", absent, invalid("creative")},
		field{"2.ad.creative", "an unknown type", "creative.type", "banner", invalid("creative.type")},
		field{"8.ad.title 2.ad.creative", "title of 2", "creative.title", chars(2), invalid("creative.title")},
		field{"8.ad.title 2.ad.creative", "title of 3", "creative.title", chars(3), gives()},
		field{"8.ad.title 2.ad.creative", "title of 50", "creative.title", chars(50), gives()},
		field{"8.ad.title 2.ad.creative", "title of 51", "creative.title", chars(51), invalid("creative.title")},
		field{"8.ad.body 2.ad.creative", "body of 100", "creative.body", chars(100), gives()},
		field{"8.ad.body 2.ad.creative", "body of 101", "creative.body", chars(101), invalid("creative.body")},
		field{"8.ad.target_url 2.ad.creative", "target of 2,048", "creative.target_url", address(2048), gives()},
		field{"8.ad.target_url 2.ad.creative", "target of 2,049", "creative.target_url", address(2049), invalid("creative.target_url")},
		field{"2.ad.creative", "target of another scheme", "creative.target_url", "ftp://shop.example.com/trail", invalid("creative.target_url")},
		field{"2.ad.creative", "target by HTTP", "creative.target_url", "http://shop.example.com/trail", gives()},
		field{"2.ad.creative", "a file of nobody", "creative.file_id", "file_none", invalid("creative.file_id")},
		field{"2.ad.creative", "without a file", "creative.file_id", absent, invalid("creative.file_id")},
	),
	listOf("ads", "ad_group_id={group}", anAd, post("/ads", ad("Row {n}"))),
	uploads("PNG of 640 by 640", gives(text("file_id")), "file", pngOf(640, 640)),
	uploads("JPEG of 640 by 640", gives(text("file_id")), "file", jpegOf(640, 640)),
	uploads("PNG of 639 by 640", answers(400, 422), "file", pngOf(639, 640)),
	uploads("PNG of 640 by 639", answers(400, 422), "file", pngOf(640, 639)),
	uploads("JPEG of 639 by 639", answers(400, 422), "file", jpegOf(639, 639)),
	uploads("WebP of 640 by 640", gives(text("file_id")), "file", webpOf(640, 640)),
	uploads("WebP of 639 by 640", answers(400, 422), "file", webpOf(639, 640)),
	uploads("GIF", answers(400, 422), "file", gifOf(640, 640)),
	uploads("a text", answers(400, 422), "file", []byte("no image")),
	uploads("half a PNG", answers(400, 422), "file", pngOf(640, 640)[:900]),
	uploads("a form without file", answers(400, 422), "image", pngOf(640, 640)),
	[]Row{
		{Rules: "4.upload 2.image", Name: "upload by address", Do: aFile, Want: gives(text("file_id"))},
		{Rules: "4.upload", Name: "upload of an address that is none", Do: post("/upload", object{"image_url": "hero.png"}), Want: invalid("image_url")},
		{Rules: "4.upload", Name: "upload of nothing", Do: post("/upload", object{}), Want: invalid("image_url")},
	},
)

// uploads is the row of a form.
func uploads(name string, want Want, fields ...any) []Row {
	return []Row{{Rules: "2.image 4.upload 8.image 1.json", Name: "upload: " + name, Do: post("/upload", form(fields)), Want: want}}
}

// address is a target URL of n characters.
func address(n int) string {
	const start = "https://shop.example.com/"
	return start + strings.Repeat("a", n-len(start))
}
