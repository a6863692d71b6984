package conformance

import "fmt"

// rowsOfLimits are the limits of part 8 that are about the account, and the
// published rates.
var rowsOfLimits = []Row{
	{Rules: "8.bulk.rate facts.rates", Name: "10 submissions in 10 seconds",
		Limited: true, Given: given(submit(job(newCampaign("c{n}"))).times(9)),
		Do: post(jobs, job(newCampaign("c9"))), Want: accepted()},
	{
		Rules: "8.bulk.rate facts.rates", Name: "11 submissions in 10 seconds",
		Limited: true, Given: given(submit(job(newCampaign("c{n}"))).times(10)),
		Do: post(jobs, job(newCampaign("c10"))), Want: tooMany().and(header("Retry-After", "10")),
		Then: given(get("/campaigns?name=Bulk%20c10").gives(count("data", 0)),
			advance(10), post(jobs, job(newCampaign("c10"))).wants(accepted())),
	},
	{Rules: "facts.rates", Name: "600 requests of a minute",
		Limited: true, Given: given(get("/campaigns").times(599)), Do: get("/campaigns"), Want: gives()},
	{
		Rules: "facts.rates", Name: "601 requests of a minute",
		Limited: true, Given: given(get("/campaigns").times(600)),
		Do: get("/campaigns"), Want: tooMany().and(header("Retry-After", "60")),
		Then: given(get("/ad_account").gives(), advance(60), get("/campaigns").gives()),
	},
	{
		Rules: "8.campaigns", Name: "campaign 5,000, and one more",
		Alone: true, Given: given(filled(4, campaigns(1000)), filled(1, renameAll(campaigns(999), "-rest"))),
		Do: post("/campaigns", campaign("The last")), Want: gives(),
		Then: given(post("/campaigns", campaign("One more")).wants(full),
			done(newCampaign("one more")), results.gives(is("data[0].status", "failed"))),
	},
	{Rules: "8.campaigns", Name: "archived campaigns do not count",
		Given: given(feature("max_campaigns", 1), aCampaign, post("/campaigns", campaign("One more")).wants(full),
			act("/campaigns/{campaign}/archive")), Do: post("/campaigns", campaign("One more")), Want: gives()},
	{
		Rules: "8.ad_groups", Name: "ad group 5,000, and one more", Alone: true, Given: given(aCampaign,
			filled(5, groups(999), newCampaign("c")), done(append([]object{newCampaign("c")}, groups(4)...)...)),
		Do:   post("/ad_groups", adGroup("The last")),
		Want: gives(), Then: given(post("/ad_groups", adGroup("One more")).wants(full)),
	},
	{Rules: "8.ad_groups", Name: "archived ad groups do not count", Given: given(feature("max_ad_groups", 1),
		anAdGroup, act("/ad_groups/{group}/archive")), Do: post("/ad_groups", adGroup("One more")), Want: gives()},
	{
		Rules: "8.ads", Name: "ad 5,000, and one more",
		Alone: true, Given: given(anAdGroup, aFile, filled(5, cards(998), newCampaign("c"), newAdGroup("g", "c")),
			done(append([]object{newCampaign("c"), newAdGroup("g", "c")}, cards(9)...)...)),
		Do: post("/ads", ad("The last")), Want: gives(), Then: given(post("/ads", ad("One more")).wants(full)),
	},
	{Rules: "8.ads", Name: "archived ads do not count", Given: given(feature("max_ads", 1), anAd, post("/ads",
		ad("One more")).wants(full), act("/ads/{ad}/archive")), Do: post("/ads", ad("One more")), Want: gives()},
}

// full is the refusal of one too many; its status is not shown.
var full = answers(400, 403, 409, 422, 429)

// filled submits a job of operations so many times, each time with keys of its own.
func filled(jobs int, operations []object, parents ...object) (steps []Step) {
	for i := range jobs {
		var all []object
		for _, each := range append(parents, operations...) {
			all = append(all, renamed(each, fmt.Sprintf("-%d", i)))
		}
		steps = append(steps, done(all...)...)
	}
	return steps
}

func renameAll(operations []object, suffix string) []object {
	all := make([]object, len(operations))
	for i, each := range operations {
		all[i] = renamed(each, suffix)
	}
	return all
}

// renamed is a create whose keys end with a suffix.
func renamed(operation object, suffix string) object {
	next := set(operation, "idempotency_key", operation["idempotency_key"].(string)+suffix)
	for _, parent := range []string{"campaign_idempotency_key", "ad_group_idempotency_key"} {
		if key, ok := operation["input"].(object)[parent].(string); ok {
			next = input(next, parent, key+suffix)
		}
	}
	return next
}

func groups(n int) []object {
	all := make([]object, n)
	for i := range all {
		all[i] = newAdGroup(fmt.Sprint("g", i), "c")
	}
	return all
}

func cards(n int) []object {
	all := make([]object, n)
	for i := range all {
		all[i] = newAd(fmt.Sprint("a", i), "c", "g")
	}
	return all
}
