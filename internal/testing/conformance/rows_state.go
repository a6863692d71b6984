package conformance

// rowsOfStates are part 3 for campaigns, ad groups, ads and the account.
var rowsOfStates = concat(
	statesOf("campaign", "/campaigns/{campaign}", given(aCampaign)),
	statesOf("ad_group", "/ad_groups/{group}", anAdGroup),
	statesOf("ad", "/ads/{ad}", anAd),
	[]Row{
		{
			Rules: "3.campaign.pause", Name: "the ads of a paused campaign stop serving",
			Given: given(aLiveTree, advance(600), get("/ads/{ad}?include[]=serving_issues")),
			Do:    act("/campaigns/{campaign}/pause"), Want: gives(is("status", "paused")),
			Then: given(get("/ads/{ad}?include[]=serving_issues").gives(is("status", "active"),
				some("serving_issues", "code", "campaign_not_active"))),
		},
		{
			Rules: "3.ad_group.activate", Name: "an active ad group of a paused campaign does not serve",
			Given: anAdGroup,
			Do:    act("/ad_groups/{group}/activate"), Want: gives(is("status", "active")),
			Then: given(get("/ad_groups/{group}?include[]=serving_issues").gives(some("serving_issues",
				"code", "campaign_not_active"))),
		},
		{
			Rules: "3.ad.activate", Name: "an active ad of a paused ad group does not serve", Given: anAd,
			Do: act("/ads/{ad}/activate"), Want: gives(is("status", "active")),
			Then: given(get("/ads/{ad}?include[]=serving_issues").gives(some("serving_issues",
				"code", "ad_group_not_active"))),
		},
		{
			Rules: "3.account.pause", Name: "a paused account leaves its campaigns alone", Given: given(aLiveTree),
			Do: act("/ad_account/pause"), Want: gives(is("id", "{account}"), is("status", "paused")),
			Then: given(get("/ad_account").gives(is("status", "paused")),
				get("/campaigns/{campaign}").gives(is("status", "active"))),
		},
		{Rules: "3.account.activate", Name: "a paused account is activated", Given: given(act("/ad_account/pause")),
			Do: act("/ad_account/activate"), Want: gives(is("id", "{account}"), is("status", "active"))},
		{Rules: "facts.archived", Name: "nothing is created in an archived campaign",
			Given: given(aCampaign, act("/campaigns/{campaign}/archive")),
			Do:    post("/ad_groups", adGroup("Late")), Want: answers(400, 404, 409, 422)},
		{Rules: "facts.archived", Name: "nothing is created in an archived ad group", Given: given(anAdGroup,
			aFile, act("/ad_groups/{group}/archive")), Do: post("/ads", ad("Late")), Want: answers(400, 404, 409, 422)},
	},
)

// statesOf are the moves that campaigns, ad groups and ads share.
func statesOf(kind, path string, setup []Step) []Row {
	rules := map[string]string{
		"campaign": "4.campaigns.actions", "ad_group": "4.ad_groups.actions", "ad": "4.ads.actions",
	}
	actions := rules[kind]
	return []Row{
		{Rules: "3." + kind + ".activate " + actions,
			Name: kind + ": activate", Given: setup, Do: act(path + "/activate"),
			Want: gives(is("status", "active"), text("id")), Then: given(get(path).gives(is("status", "active")))},
		{Rules: "3." + kind + ".pause " + actions,
			Name: kind + ": pause", Given: given(setup, act(path+"/activate")), Do: act(path + "/pause"),
			Want: gives(is("status", "paused")), Then: given(get(path).gives(is("status", "paused")))},
		{Rules: "3." + kind + ".archive " + actions,
			Name: kind + ": archive what is paused", Given: setup, Do: act(path + "/archive"),
			Want: gives(is("status", "archived")), Then: given(get(path).gives(is("status", "archived")))},
		{Rules: "3." + kind + ".archive", Name: kind + ": archive what is active", Given: given(setup,
			act(path+"/activate")), Do: act(path + "/archive"), Want: gives(is("status", "archived"))},
		{Rules: "3.update 2." + kind + ".status", Name: kind + ": an update to active",
			Given: setup, Do: post(path, object{"status": "active"}), Want: gives(is("status", "active"))},
		{Rules: "3.update 2." + kind + ".status", Name: kind + ": an update archives",
			Given: setup, Do: post(path, object{"status": "archived"}), Want: gives(is("status", "archived"))},
		{Rules: "2." + kind + ".status", Name: kind + ": an update to no status",
			Given: setup, Do: post(path, object{"status": "deleted"}), Want: invalid("status")},
		{Rules: actions, Name: kind + ": activate with a body",
			Given: setup, Do: post(path+"/activate", object{"when": "now"}), Want: answers(400, 422)},
		{Rules: actions, Name: kind + ": activate with an empty object",
			Given: setup, Do: post(path+"/activate", object{}), Want: gives(is("status", "active"))},
		{Rules: "facts.archived", Name: kind + ": activate what is archived",
			Given: given(setup, act(path+"/archive")), Do: act(path + "/activate"),
			Want: answers(400, 409, 422), Then: given(get(path).gives(is("status", "archived")))},
		{Rules: "facts.archived", Name: kind + ": an update of what is archived",
			Given: given(setup, act(path+"/archive")), Do: post(path, object{"status": "paused"}),
			Want: answers(400, 409, 422), Then: given(get(path).gives(is("status", "archived")))},
	}
}
