package openpoint

// The points of reports and of tracking parameters.
const (
	InsightsRange     Name = "insights_default_range"
	InsightsRowOrder  Name = "insights_row_order"
	InsightsUndefined Name = "insights_undefined_ratio"
	HotelNotEnrolled  Name = "hotel_not_enrolled"
	LegacyDeadline    Name = "legacy_tracking_after_deadline"
)

var reportPoints = []Point{
	{InsightsRange, []string{"30d", "7d", "today"}, "30d", "time of a report that names " +
		"none: the last 30 or 7 days with today, or today", "part 4: the syntax of time_ranges is not shown"},
	{InsightsRowOrder, []string{"oldest_first", "newest_first"},
		"oldest_first", "order of insights rows without sort", "part 4: the syntax of sort is not shown"},
	{InsightsUndefined, []string{"null", "zero"}, "null",
		"a ratio or rate without anything to divide by", "part 4: response bodies are not shown"},
	{HotelNotEnrolled, []string{"404", "403"}, "404", "answer to hotel reporting of an account that is not enrolled",
		"part 4: only for accounts enrolled in hotel reporting"},
	{LegacyDeadline, []string{"migrated", "kept"}, "migrated", "tracking of a Legacy account " +
		"after 5 November 2026: new mode, or Legacy ordering still", "part 2, tracking rule 6: accounts must migrate"},
}
