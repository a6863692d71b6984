package openpoint

// The points of the lists of ad groups and ads, and of what they want to be asked with.
const (
	ListAds           Name = "list_ads"
	ListAdGroups      Name = "list_ad_groups"
	ListWithoutParent Name = "list_without_parent"
	ListUnknownParent Name = "list_of_unknown_parent"
)

var listPoints = []Point{
	{ListAds, []string{"account", "by_ad_group", "absent", "not_allowed"}, "account",
		"GET /ads: of the whole account, with ad_group_id only, not there (404), or a method that is not allowed (405)",
		"part 4 has no list of ads; two versions of the description differ on ad_group_id"},
	{ListAdGroups, []string{"account", "by_campaign"}, "account", "GET /ad_groups: " +
		"of the whole account, or with campaign_id only", "part 4: whether campaign_id is required is not shown"},
	{ListWithoutParent, []string{"400", "422", "404", "empty"},
		"400", "answer of a list that wants its parent to a request that names none: a status, or an empty list",
		"part 7: the status of a missing parameter is not shown"},
	{ListUnknownParent, []string{"404", "400", "empty"},
		"404", "answer of a list to a parent that is not there", "part 7: status codes of filters are not shown"},
}
