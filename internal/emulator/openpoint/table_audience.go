package openpoint

// The points of custom audiences.
const (
	AudienceDuration Name = "audience_duration"
	AudienceSmall    Name = "audience_below_minimum"
	AudienceStall    Name = "audience_operation_stalls"
	AudienceUploads  Name = "audience_uploads"
)

var audiencePoints = []Point{
	{AudienceDuration, []string{"4s", "0s", "60s"}, "4s", "how long a publication " +
		"or a membership operation takes; changes begin half way", "part 3: lifecycle conditions are not shown"},
	{AudienceSmall, []string{"too_small", "ready"}, "too_small", "state of a file audience " +
		"below 25,000 matched users, on accounts without small audiences", "part 3: lifecycle states are not shown"},
	{AudienceUploads, []string{"there", "absent"},
		"there", "whether POST /uploads is there for files of people; without it identifiers are sent inline",
		"part 4 has no /uploads, and says that a replace has an uploaded file"},
	{AudienceStall, []string{"never", "half_way"}, "never", "whether an add or remove " +
		"stops at a checkpoint until it is resumed", "part 3: can be resumed from its original inputs and checkpoints"},
}
