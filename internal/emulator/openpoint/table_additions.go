package openpoint

// The points of what is published beyond the interface, and of what the two say
// differently. An addition whose value is absent is an address that is not there.
const (
	ScopedInsights     Name = "scoped_insights"
	ConversionInsights Name = "conversion_insights"
	PixelList          Name = "pixel_list"
	GeoLookup          Name = "geo_lookup"
	BrandAddress       Name = "brand_address"
	AdGroupPaging      Name = "ad_group_paging"
	MaximizeKey        Name = "maximize_results_key"
	UpdatedTitle       Name = "updated_title_minimum"
	PlatformsAlone     Name = "platforms_alone"
)

// Absent is the value of an addition that is not served.
const Absent = "absent"

var additionPoints = []Point{
	{ScopedInsights, []string{"served", Absent}, "served",
		"GET /campaigns/{id}/insights, and those of an ad group and an ad", "part 4 has no such paths; published"},
	{ConversionInsights, []string{"served", Absent},
		"served", "POST /conversions/insights", "part 4 has no such path; published"},
	{PixelList, []string{"served", Absent}, "served", "GET /conversions/pixels", "part 4 has no such path; published"},
	{GeoLookup, []string{"served", Absent}, "served", "GET /geo_lookup/search", "part 4 has no such path; published"},
	{BrandAddress, []string{"taken", "unknown"}, "taken",
		"whether a change of the brand takes url and favicon_file_id", "part 4 has the four names; published"},
	{AdGroupPaging, []string{"cursors", "whole"}, "cursors", "GET /ad_groups: " +
		"in pages, or whole whatever limit and cursors say", "part 4 shows no limit and no cursors for it; published"},
	{MaximizeKey, []string{"required", "optional"}, "required", "whether the create " +
		"of an ad group with Maximize Results needs an Idempotency-Key", "part 4: not shown; published as required"},
	{UpdatedTitle, []string{"1", "3"}, "1", "fewest characters of a title that is updated",
		"part 2 says 3 to 50; published as 1 to 50 on update"},
	{PlatformsAlone, []string{"kept", "replaced"}, "kept", "places and audiences after a change of the platforms alone",
		"part 2: updating targeting needs the complete desired targeting; published as kept"},
}
