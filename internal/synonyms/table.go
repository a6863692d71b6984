package synonyms

// The sheets of the table.
const (
	campaigns     = "Campaigns"
	adGroups      = "Ad groups"
	ads           = "Ads"
	contextHints  = "Context hints"
	locations     = "Locations"
	audiences     = "Audiences"
	spendLimits   = "Spend limits"
	pixels        = "Pixels"
	eventSettings = "Event settings"
	account       = "Account"
)

// Rows is the table. Where a word equals the column's own header it stands here
// for the reader of docs/use/columns.md.
var Rows = []row{
	{
		Sheet: campaigns, Column: "Campaign", Service: "campaign_name",
		Google: "Campaign", Microsoft: "Campaign",
		Amazon: "Campaign name", Meta: "Campaign name", DV360: "Campaign, Name", People: "Name",
	},
	{
		Sheet: campaigns, Column: "Status", Service: "status",
		Google: "Campaign status, Status", Microsoft: "Status",
		Amazon: "State, Campaign state", Meta: "Campaign status", DV360: "Status", People: "State, Campaign status",
	},
	{
		Sheet: campaigns, Column: "Bidding", Service: "objective, billing_event_type, bidding_type",
		Amazon: "Cost type", Meta: "Campaign objective, Billing event",
		People: "Bidding type, Objective, Billing event type",
	},
	{
		Sheet: campaigns, Column: "Daily budget", Service: "daily_budget",
		Amazon: "Daily budget", Meta: "Campaign daily budget",
		People: "Daily, Budget per day, Budget " +
			"a day, Per day, Daily spend, Daily cap, Daily limit, Daily spend limit, Day budget, Max per day",
	},
	{
		Sheet: campaigns, Column: "Lifetime budget",
		Google: "Campaign total budget", Amazon: "Lifetime budget", Meta: "Campaign lifetime budget",
		People: "Lifetime, Total budget, Budget total, Overall budget, Whole budget",
	},
	{
		Sheet: campaigns, Column: "Start date", Service: "start_date, start_time",
		Google: "Start date, Campaign start date", Microsoft: "Start date",
		Amazon: "Start date", Meta: "Campaign start time, Start time", DV360: "Start date, Campaign start date",
		People: "Start, Starts, Starts on, First " +
			"day, From, Begin, Begins, Begin date, Launch, Launch date, Live date, Go live, Flight start",
	},
	{
		Sheet: campaigns, Column: "Last day", Service: "end_date, end_time",
		Google: "End date, Campaign end date", Microsoft: "End date",
		Amazon: "End date", Meta: "Campaign stop time, Stop time, End time", DV360: "End date, Campaign end date",
		People: "End, Ends, Ends on, Until, Till, To, " +
			"Through, Finish, Finishes, Finish date, Last date, Stop, Stops, Stop date, Flight end, Expires",
	},
	{
		Sheet: campaigns, Column: "Countries", Service: "target_countries, country",
		Meta: "Countries, Country", People: "Target country, Country code, Country " +
			"codes, Geo, Geos, Geography, Geo targeting, Region, Regions, Market, Markets, Territory, Territories",
	},
	{
		Sheet: campaigns, Column: "Locations", Service: "location_ids",
		People: "Location ID, Geo target IDs",
	},
	{Sheet: campaigns, Column: "targeting.excluded_countries",
		Meta: "Excluded countries", People: "Exclude countries, Countries excluded, Not in countries"},
	{Sheet: campaigns, Column: "targeting.excluded_locations",
		People: "Excluded locations, Excluded location IDs, Exclude locations"},
	{Sheet: campaigns, Column: "targeting.audiences", Meta: "Custom audiences", People: "Audiences, Audience"},
	{Sheet: campaigns, Column: "targeting.excluded_audiences",
		Meta: "Excluded custom audiences", People: "Excluded audiences, Exclude audiences"},
	{Sheet: campaigns, Column: "targeting.platforms",
		Meta: "Device platforms", People: "Platforms, Devices, Device targeting"},
	{Sheet: campaigns, Column: "Conversion goal", Service: "conversion_event_setting_ids",
		Meta: "Optimized event", People: "Conversion event"},
	{Sheet: campaigns, Column: "Product feed", Service: "product_feed_id", People: "Feed, Feed ID, Catalog, Catalogue"},
	{Sheet: campaigns, Column: "Business agent", Service: "business_agent_id", People: "Agent, Agent ID"},
	{Sheet: campaigns, Column: "Description", People: "Campaign description"},
	{Sheet: campaigns, Column: "Key", People: "Campaign key"},
	{Sheet: campaigns, Column: "ID", Service: "campaign_id", People: "Campaign ID"},

	{
		Sheet: adGroups, Column: "Ad group", Service: "ad_group_name",
		Google: "Ad group", Microsoft: "Ad group", Amazon: "Ad group name",
		Meta: "Ad set name", DV360: "Line item, Line item name", People: "Adgroup, Ad set, Name",
	},
	{
		Sheet: adGroups, Column: "Status", Service: "status",
		Google: "Ad group status, Status", Microsoft: "Status",
		Amazon: "State, Ad group state", Meta: "Ad set run status, Ad set status",
		DV360: "Status, Line item status", People: "State, Ad group status",
	},
	{
		Sheet: adGroups, Column: "Max bid", Service: "max_bid",
		Google: "Max CPC, Default max. CPC", Microsoft: "Bid, CPC bid",
		Amazon: "Ad group default bid, Bid", Meta: "Bid amount", DV360: "Bid strategy value",
		People: "Bid, CPC, Max CPC bid, Maximum CPC, Maximum bid, Default bid, Click bid, Bid price",
	},
	{
		Sheet: adGroups, Column: "Bid strategy",
		Google: "Bid strategy type", Microsoft: "Bid strategy type",
		Amazon: "Bidding strategy", Meta: "Ad set bid strategy", DV360: "Bid strategy type", People: "Strategy",
	},
	{Sheet: adGroups, Column: "Context hints", Service: "context_hints", People: "Hints, Context, Context hint"},
	{Sheet: adGroups, Column: "Exclusion hints", Service: "exclusion_hints",
		People: "Hints to avoid, Negative hints, Exclusions, Avoid"},
	{Sheet: adGroups, Column: "Product filter", Service: "product_set", People: "Product set"},
	{Sheet: adGroups, Column: "Description", People: "Ad group description"},
	{Sheet: adGroups, Column: "Key", People: "Ad group key"},
	{Sheet: adGroups, Column: "ID", Service: "ad_group_id", People: "Ad group ID"},

	{Sheet: ads, Column: "Ad", Service: "ad_name", Meta: "Ad name", DV360: "Creative name", People: "Name"},
	{
		Sheet: ads, Column: "Status", Service: "status",
		Google: "Status", Microsoft: "Status", Amazon: "State", Meta: "Ad status", DV360: "Status", People: "State",
	},
	{
		Sheet: ads, Column: "Title", Service: "title, ad_title",
		Google: "Headline 1, Headline", Microsoft: "Title, Title part 1",
		Amazon: "Creative headline", Meta: "Title, Headline", People: "Headline, Heading",
	},
	{
		Sheet: ads, Column: "Body", Service: "body, ad_copy",
		Google:    "Description, Description 1, Description line 1",
		Microsoft: "Text, Ad text", Meta: "Body, Primary text", People: "Ad body, Copy, Body text",
	},
	{
		Sheet: ads, Column: "Target URL", Service: "target_url, landing_page_url",
		Google: "Final URL", Microsoft: "Final URL, Destination URL",
		Amazon: "Landing page URL", Meta: "Link, Website URL", DV360: "Landing page URL",
		People: "URL, Landing page, Landing, Destination, Website, Web address, Click URL, Click-through URL",
	},
	{
		Sheet: ads, Column: "Image", Service: "image_url, source_image_url",
		Google: "Image", Meta: "Image, Image file name", People: "Picture, Photo, Image file, Image link, Banner",
	},
	{Sheet: ads, Column: "Price", Service: "price", People: "Price text"},
	{Sheet: ads, Column: "Image part", Service: "image_crop", People: "Image crop, Crop"},
	{Sheet: ads, Column: "Key", People: "Ad key"},
	{Sheet: ads, Column: "ID", Service: "ad_id", People: "Ad ID"},

	{Column: "Tracking", Service: "query_string_template",
		Google: "Tracking template, Final URL suffix", Microsoft: "Tracking template, Final URL suffix",
		Meta: "URL tags, URL parameters", People: "UTM, UTMs, UTM parameters, Tracking parameters, URL suffix"},
	{Column: "Notes", Google: "Comment", People: "Note, Comments, Remark, Remarks"},

	{Sheet: ads, Column: "Ad group", Service: "ad_group_name",
		Amazon: "Ad group name", Meta: "Ad set name", DV360: "Line item, Line item name", People: "Adgroup, Ad set"},
	{Sheet: contextHints, Column: "Ad group", Service: "ad_group_name", People: "Adgroup, Ad set"},
	{Sheet: contextHints, Column: "Hint", People: "Context hint, Sentence"},
	{Sheet: locations, Column: "Location ID", People: "Location"},

	{Sheet: audiences, Column: "Audience", Meta: "Custom audience", People: "Name"},
	{Sheet: audiences, Column: "Members file", People: "Members, File, List, Customer list"},
	{Sheet: audiences, Column: "Identifier", People: "Identifier type"},
	{Sheet: audiences, Column: "Do", Amazon: "Operation", People: "Action"},

	{Sheet: spendLimits, Column: "Amount", Meta: "Account spend limit",
		People: "Spend limit, Limit, Cap, Spend cap, Budget"},
	{Sheet: spendLimits, Column: "First day", Service: "start_date",
		People: "Start date, Start, Starts, From, Begin, Begins"},
	{Sheet: spendLimits, Column: "Last day", Service: "end_date",
		People: "End date, End, Ends, Until, Till, To, Through"},

	{Sheet: pixels, Column: "Pixel", People: "Name"},
	{Sheet: eventSettings, Column: "Event setting", People: "Name"},
	{Sheet: eventSettings, Column: "Event", Service: "event_type", People: "Event type"},
	{Sheet: eventSettings, Column: "Custom event name", Service: "custom_event_name", People: "Custom event"},
	{Sheet: eventSettings, Column: "Attribution window", People: "Attribution window days"},
	{Sheet: eventSettings, Column: "Source", People: "Pixel, Conversion source"},

	{Sheet: account, Column: "Website", People: "URL"},
}
