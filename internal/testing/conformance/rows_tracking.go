package conformance

// feedAddress is a product's address in its feed.
const feedAddress = "https%3A%2F%2Fshop.example.com%2Fp%2F1%3Fk%3Dfeed%26utm_source%3Dfeed%26size%3D9"

// tracked has a template at every level: k is the level's name, and each level
// has a key of its own.
var tracked = given(
	tracks(object{"query_string_template": "k=account&account=1"}),
	post("/campaigns", levelled(campaign("Tracked"), "campaign")).save("campaign", "id"),
	post("/ad_groups", levelled(adGroup("Tracked"), "group")).save("group", "id"),
	aFile, post("/ads", levelled(ad("Tracked"), "ad")).save("ad", "id"),
)

// trackedFeed is the same for a product feed.
var trackedFeed = given(
	feature("product_feeds", []string{"fd_test"}),
	tracks(object{"query_string_template": "k=account&account=1"}),
	post("/campaigns", feed(levelled(campaign("Tracked"), "campaign"))).save("campaign", "id"),
	post("/ad_groups", levelled(adGroup("Tracked"), "group")).save("group", "id"),
	post("/ads", levelled(set(ad("Tracked"), "creative",
		object{"type": "product_ad_template", "title": "{{product.title}}", "body": ""}), "ad")).save("ad", "id"),
)

func levelled(body object, level string) object {
	return set(body, "landing_page_configuration", tracking("k="+level+"&"+level+"=1"))
}

// tracks sets the account's tracking, as an admin does in the web interface.
func tracks(settings object) Step {
	return post("/_emulator/tracking", set(settings, "account_id", "{account}"))
}

const legacy = "legacy"

// rowsOfTracking are part 2, tracking rules 1 to 7, seen in an ad's final URL.
var rowsOfTracking = []Row{
	{
		Rules: "2.tracking.1", Name: "parameters of all levels combine",
		Given: tracked, Do: get("/_emulator/final_url?ad_id={ad}"),
		Want: gives(contains("final_url", "account=1"),
			contains("final_url", "campaign=1"), contains("final_url", "group=1"), contains("final_url", "ad=1")),
	},
	{Rules: "2.tracking.2 2.tracking.3", Name: "of one key the ad's value wins",
		Given: tracked, Do: get("/_emulator/final_url?ad_id={ad}"), Want: gives(contains("final_url", "k=ad"),
			omits("final_url", "k=account"), omits("final_url", "k=campaign"), omits("final_url", "k=group"))},
	{Rules: "2.tracking.3", Name: "without the ad's the ad group's wins",
		Given: given(tracked, post("/ads/{ad}", object{"landing_page_configuration": nil})),
		Do:    get("/_emulator/final_url?ad_id={ad}"), Want: gives(contains("final_url", "k=group"))},
	{
		Rules: "2.tracking.3", Name: "without theirs the campaign's wins",
		Given: given(tracked, post("/ads/{ad}", object{"landing_page_configuration": nil}),
			post("/ad_groups/{group}", object{"landing_page_configuration": nil})),
		Do: get("/_emulator/final_url?ad_id={ad}"), Want: gives(contains("final_url", "k=campaign")),
	},
	{
		Rules: "2.tracking.3", Name: "the account's is the default",
		Given: given(tracked, post("/ads/{ad}", object{"landing_page_configuration": nil}),
			post("/ad_groups/{group}", object{"landing_page_configuration": nil}),
			post("/campaigns/{campaign}", object{"landing_page_configuration": nil})),
		Do: get("/_emulator/final_url?ad_id={ad}"), Want: gives(contains("final_url", "k=account")),
	},
	{
		Rules: "2.campaign.landing_page_configuration", Name: "placeholders are filled",
		Given: given(anAd, post("/campaigns/{campaign}", object{
			"landing_page_configuration": tracking("c={campaign_id}&a={ad_id}&o={oppref}"),
		})),
		Do: get("/_emulator/final_url?ad_id={ad}&oppref=click7"), Want: gives(contains("final_url", "c={campaign}"),
			contains("final_url", "a={ad}"), contains("final_url", "o=click7")),
	},
	{
		Rules: "2.tracking.4", Name: "configured keys override the feed's and the others stay",
		Given: trackedFeed, Do: get("/_emulator/final_url?ad_id={ad}&mode=new&feed_url=" + feedAddress),
		Want: gives(contains("final_url", "k=ad"),
			omits("final_url", "k=feed"), contains("final_url", "utm_source=feed"), contains("final_url", "size=9")),
	},
	{
		Rules: "2.tracking.5 9.4", Name: "in Legacy ordering the feed's keys win and its utm_ keys go",
		Given: trackedFeed, Do: get("/_emulator/final_url?ad_id={ad}&mode=legacy&feed_url=" + feedAddress),
		Want: gives(contains("final_url", "k=feed"),
			omits("final_url", "k=ad"), omits("final_url", "utm_source=feed"), contains("final_url", "size=9")),
	},
	{Rules: "2.tracking.6 9.4", Name: "on 5 November 2026 Legacy ordering still holds",
		Given: given(trackedFeed, clockAt("2026-11-05T12:00:00Z"), tracks(object{"mode": legacy})),
		Do:    get("/_emulator/final_url?ad_id={ad}&feed_url=" + feedAddress),
		Want:  gives(contains("final_url", "k=feed"))},
	{Rules: "2.tracking.6 9.4", Name: "an account that opted in has the new mode",
		Given: given(trackedFeed, clockAt("2026-11-05T12:00:00Z"), tracks(object{"mode": "new"})),
		Do:    get("/_emulator/final_url?ad_id={ad}&feed_url=" + feedAddress),
		Want:  gives(contains("final_url", "k=ad"))},
	{Rules: "2.tracking.6 9.4", Name: "after 5 November 2026 the new mode holds",
		Given: given(trackedFeed, tracks(object{"mode": legacy})),
		Do:    get("/_emulator/final_url?ad_id={ad}&feed_url=" + feedAddress),
		Want:  gives(contains("final_url", "k=ad"))},
	{Rules: "2.tracking.7", Name: "the ad's tracking goes to a product's address", Given: trackedFeed,
		Do: get("/_emulator/final_url?ad_id={ad}"), Want: gives(contains("final_url", "https://shop.example.com/p/"),
			contains("final_url", "ad=1"), contains("final_url", "k=ad"))},
}
