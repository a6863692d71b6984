package synonyms

// Questions are the headers that can mean two things, or one thing and something
// else that adsync does not read.
var Questions = []Question{
	{
		Sheet: campaigns, Could: []string{"Daily budget", "Lifetime budget"},
		Words: "Budget, Budgets, Max budget, Maximum budget, Budget amount, " +
			"Campaign budget, Media budget, Planned spend, Spend limit, Campaign spend limit, Spend cap, Budget cap",
	},
	{Sheet: campaigns, Could: []string{"Daily budget", "Lifetime budget"},
		Alone: true, Words: "Amount, Spend, Limit, Cap"},
	{Sheet: campaigns, Could: []string{"Start date", "Last day"}, Words: "Date, Day"},
	{Sheet: campaigns, Could: []string{"Start date", "Last day"}, Words: "Dates, Flight, " +
		"Flight dates, Run dates, Period, Date range, Schedule, Duration", Why: "a column holds one day"},
	{Sheet: campaigns, Could: []string{"Countries", "Locations"},
		Words: "Location, Target location, Target locations, Targeting, Target, Geo target, Place, Places, Area"},
	{
		Sheet: campaigns, Could: []string{"Locations"}, Why: "those take the service's ids, and no names",
		Words: "City, Cities, Zip, Zip code, Zip " +
			"codes, Postal code, Postal codes, Postcode, DMA, DMAs, Metro, Metro area, Province, Provinces",
	},
	{Sheet: campaigns, Could: []string{"Bidding", "Conversion goal"},
		Words: "Goal, Campaign goal, Optimization goal, Optimisation goal, Optimize for, Optimise for"},
	{
		Sheet: adGroups, Could: []string{"Max bid"},
		Why: "that is the most to pay for one click or conversion, and no figure and no target",
		Words: "CPA, Target CPA, tCPA, Max CPA, " +
			"Cost per acquisition, Cost per action, Cost per conversion, Cost per click, Target CPC",
	},
	{Sheet: adGroups, Could: []string{"Max bid"}, Why: "that is for one impression, where a CPM is for a thousand",
		Words: "CPM, Max CPM, Target CPM, vCPM, Viewable CPM"},
	{Sheet: adGroups, Could: []string{"Context hints"}, Why: "those are sentences and no keywords",
		Words: "Keyword, Keywords, Search terms, Targeting, Target, Topics"},
	{Sheet: adGroups, Could: []string{"Exclusion hints"},
		Why: "those are sentences and no keywords", Words: "Negative keyword, Negative keywords"},
	{Sheet: adGroups, Could: []string{"Daily budget", "Lifetime budget"}, On: campaigns,
		Words: "Budget, Ad set budget, Ad group budget, Line item budget, Ad set daily budget, Ad set lifetime budget"},
	{Sheet: adGroups, Could: []string{"Start date"},
		On: campaigns, Words: "Ad set time start, Ad set start time, Ad group start date, Line item start date"},
	{Sheet: adGroups, Could: []string{"Last day"},
		On: campaigns, Words: "Ad set time stop, Ad set end time, Ad group end date, Line item end date"},
	{Sheet: adGroups, Could: []string{"Countries", "Locations"},
		On: campaigns, Words: "Location, Target location, City, Cities"},
	{Sheet: ads, Could: []string{"Countries", "Locations"},
		On: campaigns, Words: "Location, Target location, City, Cities"},
	{Sheet: ads, Could: []string{"Title", "Body", "Image"}, Words: "Creative, Creatives, Asset, Assets, Content"},
	{Sheet: ads, Could: []string{"Daily budget", "Lifetime budget"}, On: campaigns, Words: "Budget"},
	{Sheet: spendLimits, Could: []string{"First day", "Last day"}, Words: "Date, Day, Dates, Period, Date range"},
}
