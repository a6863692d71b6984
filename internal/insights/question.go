package insights

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Question is what adsync insights asks (interface, part 4).
type Question struct {
	Level        string
	Span         Span
	Zone         *time.Location
	By           string   // hour, day, week, month or none
	Segments     []string // each is asked on its own: an answer has one at most
	Attribution  int      // days after a click; 0: the service's default
	ViewThrough  int      // days after a view; -1: the service's default
	Basis        string
	Conditions   []Condition
	Fields       []string
	Sort         []Order
	Zero         bool   // rows without figures, too
	SegmentFirst bool   // rows belong to values of the segment before they belong to entities
	CompareRows  bool   // each row with that of the span before
	Of           *Scope // nil: the whole account
}

// Scope narrows a question to resources of one level.
type Scope struct {
	Level string
	IDs   []string
}

// Levels are the aggregation levels, from the top down.
var Levels = []string{"account", "campaign", "ad_group", "ad"}

// Segments are the breakdowns the service has.
var Segments = []string{"product", "country", "device", "platform", "hotel"}

// Granularities are how figures can be cut, with the service's words.
var granularities = map[string]string{"hour": "hourly", "day": "daily", "month": "monthly", "none": "none",
	"week": "daily"} // weeks are joined from days

// DefaultFields are the figures that are shown where none are named.
var DefaultFields = []string{"impressions", "clicks", "spend", "ctr", "cpc", "conversions"}

// Check says what the service does not have, by name, before anything is asked.
func (q *Question) Check() error {
	if !slices.Contains(Levels, q.Level) {
		return fmt.Errorf("--level is %q; want account, campaign, ad_group or ad", q.Level)
	}
	if err := checkBy(q.By, len(q.Segments) > 0); err != nil {
		return err
	}
	if q.Span.ofHours() && q.By != "hour" && q.By != "none" {
		return fmt.Errorf("--by %s goes with days; want --from and --to as days, or --by hour", q.By)
	}
	for i, s := range q.Segments {
		switch {
		case !slices.Contains(Segments, s):
			return fmt.Errorf("--segment is %q; the service has product, country, device, platform and hotel", s)
		case slices.Contains(q.Segments[:i], s):
			return fmt.Errorf("--segment %s is there twice; want it once", s)
		}
	}
	switch {
	case !slices.Contains([]int{0, 7, 14, 30}, q.Attribution):
		return fmt.Errorf("--attribution is %d; the service has windows of 7, 14 and 30 days", q.Attribution)
	case q.ViewThrough < -1 || q.ViewThrough > 1:
		return fmt.Errorf("--view-through is %d; the service has windows of 0 and 1 day", q.ViewThrough)
	case !slices.Contains([]string{"", "ad_event_time", "conversion_time"}, q.Basis):
		return fmt.Errorf("--basis is %q; want ad_event_time or conversion_time", q.Basis)
	}
	if q.Of != nil && slices.Index(Levels, q.Of.Level) > slices.Index(Levels, q.Level) {
		return fmt.Errorf("figures of a whole %s are not those of one %s; want --level %s",
			q.Level, q.Of.Level, q.Of.Level)
	}
	if q.SegmentFirst && len(q.Segments) == 0 {
		return fmt.Errorf("--segment-first is there without --segment; want both")
	}
	if q.Zero && len(q.Segments) > 0 && !slices.Equal(q.Segments, []string{"product"}) {
		return fmt.Errorf("--zero goes without --segment, or with product alone; it is %s",
			strings.Join(q.Segments, ", "))
	}
	if err := checkWeeks(q.By, q.Conditions); err != nil {
		return err
	}
	if q.CompareRows {
		if err := checkRows(q.By, q.Span, q.Conditions); err != nil {
			return err
		}
	}
	for _, f := range q.Fields {
		if !fieldName.MatchString(f) {
			return fmt.Errorf("--fields has %q; want such as spend or campaign.status", f)
		}
	}
	return nil
}

// checkBy refuses a granularity the service does not have.
func checkBy(by string, segmented bool) error {
	switch {
	case granularities[by] == "":
		return fmt.Errorf("--by is %q; want hour, day, week, month or none", by)
	case by == "hour" && segmented:
		return fmt.Errorf("--by is hour, and the service has no hours with --segment; want day, month or none")
	}
	return nil
}

// checkWeeks refuses what the service would hold against days.
func checkWeeks(by string, conditions []Condition) error {
	if by == "week" && slices.ContainsFunc(conditions, Condition.ofMetric) {
		return fmt.Errorf("--by is week with a --filter of figures, by which the service would choose days; " +
			"want --by day, or no such filter")
	}
	return nil
}

// Notes are what whoever reads the figures has to know of their time.
func (q *Question) Notes(now time.Time) []string {
	kept := 365
	if q.By == "hour" || slices.Contains(q.Segments, "product") {
		kept = 30
	}
	return retentionNote(q.Span, kept, now)
}

func retentionNote(s Span, days int, now time.Time) []string {
	if oldest := now.AddDate(0, 0, 1-days).Format(time.DateOnly); s.From < oldest {
		return []string{fmt.Sprintf("the service keeps such figures for about %d days: those before %s may be absent",
			days, oldest)}
	}
	return nil
}

// wireLevel is a level in the service's word.
func wireLevel(level string) string {
	if level == Levels[0] {
		return "ad_account"
	}
	return level
}
