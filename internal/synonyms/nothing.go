package synonyms

// Nothing are the columns of exports that this service has nothing for, figures
// of exports among them. They are counted in reports, and no problem.
var Nothing = []unmatchedOf{
	{Google, "Account, Account name, Labels, Campaign labels, Ad group labels, Campaign type, Campaign " +
		"subtype, Networks, Languages, Language, EU political ads, Standard conversion goals, Customer acquisition, " +
		"Bid strategy name, Enhanced CPC, Target ROAS, Maximum CPC bid limit, Broad match keywords, " +
		"Ad schedule, Ad rotation, Content exclusions, Targeting method, Exclusion method, Audience targeting, " +
		"Flexible reach, Text customization, Final URL expansion, Ad group type, Desktop bid modifier, " +
		"Mobile bid modifier, Tablet bid modifier, TV screen bid modifier, Top content bid modifier, " +
		"Display network custom bid type, Optimized targeting, Strict age and gender targeting, " +
		"Custom parameters, Location groups, Radius, Unit, Bid modifier, Account keyword type, Criterion type, " +
		"First page bid, Top of page bid, Quality score, Landing page experience, Expected CTR, Ad " +
		"relevance, Final mobile URL, Ad type, Ad strength, Approval status, Device preference, Business name, " +
		"Path 1, Path 2, Headline 1 position, Headline " +
		"2, Headline 3, Headline 4, Headline 5, Headline 6, Headline 7, Headline " +
		"8, Headline 9, Headline 10, Headline 11, Headline 12, Headline 13, Headline 14, Headline 15, " +
		"Description 1 position, Description 2, Description " +
		"3, Description 4, Description line 2, Display URL, Campaign priority, " +
		"Inventory filter, Merchant ID, Country of sale, Shared library, Phone number, Callout text, Link text"},
	{Microsoft, "Parent Id, Sub type, Sync time, Client " +
		"Id, Modified time, Time zone, Budget Id, Budget name, Network " +
		"distribution, Bid adjustment, Multimedia ad bid adjustment, Title part 2, Title part 3, Text part 2, " +
		"Mobile final URL, Custom parameter, Promotion, Editorial status, Publisher countries, Match type, Param1, " +
		"Param2, Param3, Experiment Id, Keyword relevance, Landing page relevance, Landing page user experience"},
	{Amazon, "Product, Portfolio ID, Portfolio " +
		"name, Targeting type, SKU, ASIN, Keyword ID, Product targeting ID, Keyword text, Placement, Percentage, " +
		"Product targeting expression, Brand entity ID, Brand name, Tactic, ACOS, ROAS, Units, Orders, Sales"},
	{Meta, "Campaign ID, Ad group ID, Ad set ID, " +
		"Ad ID, Account ID, Buying type, Special ad categories, Special ad category country, " +
		"Campaign bid strategy, Tags, Ad set lifetime impressions, Destination type, Rate card, Ad set schedule, " +
		"Use accelerated delivery, Frequency control, " +
		"Link object ID, Optimized conversion tracking pixels, Application " +
		"ID, Gender, Age, Age min, Age max, Locales, Electoral districts, Geo markets, Global regions, " +
		"Publisher platforms, Facebook positions, " +
		"Instagram positions, Audience network positions, Messenger positions, Placements, " +
		"Attribution spec, Attribution setting, Preview link, Instagram preview link, Dynamic creative, " +
		"Display link, Link description, Optimize " +
		"text per person, Retailer IDs, Conversion tracking pixels, Image hash, " +
		"Video thumbnail URL, Image crops, Video ID, Instagram account ID, Mobile app deep link, Product link, " +
		"App link destination, Call to action, Additional custom tracking specs, Video retargeting, Permalink, " +
		"Creative type, Reporting starts, Reporting ends, Delivery, Results, Result indicator, Reach, Frequency, " +
		"Cost per result, Cost per results, Amount " +
		"spent, Link clicks, CPC (cost per link click), CPC (all), CPM (cost per 1,000 impressions), " +
		"CTR (all), CTR (link click-through rate), Clicks (all), Landing page views, Quality ranking"},
	{DV360, "Io Id, Line item Id, Campaign Id, Advertiser " +
		"Id, Timestamp, Pacing, Pacing rate, Pacing amount, Frequency enabled, " +
		"Frequency exposures, Frequency period, Frequency amount, Performance goal type, Performance goal value, " +
		"Partner revenue model, Partner revenue " +
		"amount, Inventory source targeting, Brand safety sensitivity settings, Viewability " +
		"targeting, Language targeting - include, Language targeting - exclude, Integration code, Details"},
	{People, "Impressions, Impr., Clicks, CTR, Cost, Spend, Spend to " +
		"date, Spent, Conversions, Conv. rate, Conversion rate, Conv. value, Conversion value, Revenue, Avg. CPC, " +
		"Average CPC, Avg. CPM, Avg. cost, Cost / conv., Views, Engagements, Interactions, Currency, Currency code"},
}
