package conformance

// rowsOfLists are what part 4 says of the lists of campaigns and ad groups
// beyond what is true of every list.
var rowsOfLists = concat(
	[]Row{{
		Rules: "4.campaigns.list", Name: "campaigns: of a name, in any case", Alone: true,
		Given: given(aCampaign, post("/campaigns", campaign("SPRING")), post("/campaigns", campaign("Spring sale"))),
		Do:    get("/campaigns?name=spring"), Want: gives(count("data", 2)),
	}},
	queries("campaigns", given(aCampaign), "/campaigns",
		query{"4.campaigns.list", "of a name, exactly", "?name=spring%20s",
			gives(count("data", 0), is("has_more", false), is("first_id", nil), is("last_id", nil))},
		query{"2.campaign.name 4.campaigns.list", "of a name of 2", "?name=ab", invalid("name")},
		query{"2.campaign.name 4.campaigns.list", "of a name of 3", "?name=abc", gives(count("data", 0))},
		query{"2.campaign.name 4.campaigns.list", "of a name of 1,000",
			"?name=" + ascii(1000), gives(count("data", 0))},
		query{"2.campaign.name 4.campaigns.list", "of a name of 1,001", "?name=" + ascii(1001), invalid("name")},
		query{"2.campaign.name 4.campaigns.list", "of a name of blanks", "?name=%20%20%20", invalid("name")},
		query{"4.campaigns.list", "with serving issues",
			"?include[]=serving_issues", gives(has("data[0].serving_issues"))},
		query{"4.campaigns.list", "without serving issues", "", gives(lacks("data[0].serving_issues"))},
		query{"4.campaigns.list", "an unknown include", "?include[]=everything", answers(400, 422)},
		query{"1.paging", "with both cursors", "?after=a&before=b", answers(400)},
	),
	[]Row{
		{Rules: "4.campaigns.list", Name: "a campaign with serving issues",
			Given: given(aCampaign), Do: get("/campaigns/{campaign}?include[]=serving_issues"),
			Want: gives(some("serving_issues", "code", "campaign_not_active"))},
		{Rules: "facts.ad_group_paging", Name: "a page of ad groups", Alone: true, Given: given(anAdGroup,
			post("/ad_groups", adGroup("Walkers"))), Do: get("/ad_groups?campaign_id={campaign}&limit=1&order=asc"),
			Want: gives(count("data", 1), is("data[0].id", "{group}"), is("has_more", true))},
		{Rules: "5.6 1.account", Name: "campaigns of another account are not there",
			Given: given(aCampaign), Do: get("/campaigns").as(other), Want: gives(count("data", 0))},
	},
)
