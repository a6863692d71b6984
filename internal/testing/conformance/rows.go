package conformance

import (
	"slices"
	"strings"
)

// Rows are all rows.
var Rows = concat(
	rowsOfCampaigns, rowsOfAdGroups, rowsOfAds, rowsOfStates, rowsOfLists, rowsOfTracking,
	rowsOfJobs, rowsOfOperations, rowsOfLimits,
	rowsOfAccess, rowsOfAccounts, rowsOfConversions, rowsOfAudiences, rowsOfSpend, rowsOfInsights, rowsOfHotels,
)

func concat(tables ...[]Row) []Row { return slices.Concat(tables...) }

// listOf are the rows of a list that takes limit, after, before and order: what
// is true of every list. It is asked with its parent, which some services want.
func listOf(name, parent string, setup []Step, another Step) []Row {
	path := "/" + name
	if parent != "" {
		path += "?" + parent
	}
	three := given(setup, another.save("first", "id"),
		advance(1), another.save("second", "id"), advance(1), another.save("third", "id"))
	return concat([]Row{
		{
			Rules: "1.paging facts.list", Name: name + ": the envelope of a list", Alone: true, Given: given(setup),
			Do: get(path), Want: gives(is("object", "list"),
				count("data", 1), is("has_more", false), has("first_id", "last_id")),
		},
		{
			Rules: "1.paging facts.list", Name: name + ": forward from the last id", Given: three,
			Do: get(asking(path, "order=desc&limit=1")).save("cursor", "last_id"),
			Want: gives(is("data[0].id", "{third}"),
				is("has_more", true), is("first_id", "{third}"), is("last_id", "{third}")),
			Then: given(get(asking(path, "order=desc&limit=2&after={cursor}")).gives(is("data[0].id", "{second}"),
				is("data[1].id", "{first}"))),
		},
		{
			Rules: "1.paging", Name: name + ": backward from the first id", Given: three,
			Do:   get(asking(path, "order=desc&limit=1&before={first}")),
			Want: gives(count("data", 1), is("data[0].id", "{second}"), is("has_more", true)),
		},
		{
			Rules: "1.paging", Name: name + ": oldest first", Given: three,
			Do: get(asking(path, "order=asc")), Want: gives(is("data[last].id", "{third}")),
		},
		{Rules: "facts.cursor", Name: name + ": a cursor of nothing", Given: given(setup),
			Do: get(asking(path, "after=none")), Want: answers(400).and(says("Invalid pagination cursor"))},
		{Rules: "1.paging", Name: name + ": an unknown order",
			Given: given(setup), Do: get(asking(path, "order=up")), Want: invalid("order")},
		{Rules: "facts.list", Name: name + ": 20 when nothing is said", Given: given(setup, another.times(21)),
			Do: get(path), Want: gives(count("data", 20), is("has_more", true))},
	}, limits(name, setup, path, 500))
}

// asking is a path with one more part of its query.
func asking(path, query string) string {
	if strings.Contains(path, "?") {
		return path + "&" + query
	}
	return path + "?" + query
}

// limits are the rows of a list's greatest limit.
func limits(name string, setup []Step, path string, most int) []Row {
	rule := map[int]string{500: "8.limit.500", 100: "8.limit.100", 2000: "8.limit.2000"}[most]
	return queries(name+": limit", setup, path,
		query{rule, "of 0", "?limit=0", invalid("limit")},
		query{rule, "of 1", "?limit=1", gives()},
		query{rule, "at the most", "?limit=" + itoa(most), gives()},
		query{rule, "one above", "?limit=" + itoa(most+1), invalid("limit")},
		query{"1.paging", "that is no number", "?limit=ten", invalid("limit")},
	)
}

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
