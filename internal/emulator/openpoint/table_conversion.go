package openpoint

// The points of conversion setup.
const (
	EventWindow         Name = "event_setting_window_days"
	EventSourceName     Name = "event_setting_source_name"
	SourceMissingStatus Name = "event_setting_source_status"
	EventRepeated       Name = "event_repeated"
	EventReceipt        Name = "event_receipt"
)

var conversionPoints = []Point{
	{EventWindow, []string{"30", "7_14_30"}, "30",
		"attribution_window_days that an event setting accepts", "part 2: use 30"},
	{EventSourceName, []string{"set", "null"}, "set",
		"name of the sources of an event setting", "part 2: each has id and name; published: it may be null"},
	{SourceMissingStatus, []string{"400", "404"}, "400",
		"status code of Client data source not found", "part 7: status codes are not shown"},
	{EventRepeated, []string{"once", "again"}, "once", "an event that a server sends a second time under its id: " +
		"it counts once, or again", "part 4 has it of the browser and the server only"},
	{EventReceipt, []string{"counted", "empty"}, "counted", "the answer to events that were taken: " +
		"how many, or nothing", "part 6: sending events is not shown"},
}
