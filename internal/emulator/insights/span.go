package insights

import (
	"slices"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// The granularities (service facts 10).
const (
	hourly  = "hourly"
	daily   = "daily"
	monthly = "monthly"
	none    = "none"
)

// span is the time a report is about, in Unix milliseconds, and how it is cut.
// Buckets follow the calendar of its zone.
type span struct {
	from, until int64 // until is exclusive
	zone        *time.Location
	granularity string
	starts      []int64 // of the buckets, clipped to from
}

// bucket is the index of the bucket a moment lies in; false outside the span.
func (s *span) bucket(at int64) (int, bool) {
	if at < s.from || at >= s.until {
		return 0, false
	}
	i, found := slices.BinarySearch(s.starts, at)
	if !found {
		i--
	}
	return i, true
}

// bounds are a bucket's start and exclusive end in Unix seconds.
func (s *span) bounds(bucket int) (start, end int64) {
	end = s.until
	if bucket+1 < len(s.starts) {
		end = s.starts[bucket+1]
	}
	return s.starts[bucket] / 1000, end / 1000
}

// cut lays out the buckets.
func (s *span) cut() {
	if s.until <= s.from {
		return
	}
	for at := time.UnixMilli(s.from).In(s.zone); at.UnixMilli() < s.until; at = s.after(at) {
		s.starts = append(s.starts, at.UnixMilli())
	}
}

// after is the start of the bucket that follows the one a moment lies in.
func (s *span) after(at time.Time) time.Time {
	day := world.DateOf(at, s.zone)
	switch s.granularity {
	case hourly:
		return at.Add(time.Hour - time.Duration(at.Minute())*
			time.Minute - time.Duration(at.Second())*time.Second - time.Duration(at.Nanosecond()))
	case daily:
		return day.Add(1).Start(s.zone)
	case monthly:
		y, m, _ := at.Date()
		return world.Date(time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)).Start(s.zone)
	}
	return time.UnixMilli(s.until)
}

// readable is a bucket's time as metadata.readable_time shows it.
// assumption: the form is not published.
func (s *span) readable(bucket int) string {
	form := map[string]string{hourly: "2006-01-02T15:04", daily: time.DateOnly, monthly: "2006-01"}[s.granularity]
	return time.UnixMilli(s.starts[bucket]).In(s.zone).Format(form)
}

const fiveYears = 5 * 366 * 24 * time.Hour

// readSpan reads time_granularity and time_ranges of a query.
func readSpan(c *service.Call, zone *time.Location, now time.Time, granularities ...string) span {
	granularity := c.Query.Choice("time_granularity", daily, granularities...)
	s, err := newSpan(c.Points, zone, now, granularity, c.Query.Texts("time_ranges", 1))
	if err != nil {
		c.Query.Fail(err.Param, err.Code, "%s", err.Message)
	}
	return s
}

// newSpan is the span of the one time range that may be given, as JSON text.
func newSpan(points *openpoint.Settings, zone *time.Location,
	now time.Time, granularity string, ranges []string) (span, *wire.Error) {
	s := span{zone: zone, granularity: granularity}
	if len(ranges) == 0 {
		s.defaults(points.Of(openpoint.InsightsRange), now)
	} else if err := s.read(ranges[0], now); err != nil {
		return s, err
	}
	s.cut()
	return s, nil
}

// defaults is the span of a request that names none.
func (s *span) defaults(days string, now time.Time) {
	today := world.DateOf(now, s.zone)
	back := map[string]int{"30d": 29, "7d": 6, "today": 0}[days]
	s.from, s.until = today.Add(-back).Start(s.zone).UnixMilli(), today.Add(1).Start(s.zone).UnixMilli()
}

// read reads one time range: a JSON object of one of three types.
func (s *span) read(text string, now time.Time) *wire.Error {
	o, bad := wire.ParseAt("time_ranges[0]", []byte(text))
	if bad != nil {
		return bad
	}
	o.Require("type")
	kind := o.Choice("type", "unix_range", "hour_range", "date_range").V
	switch kind {
	case "unix_range":
		s.readUnix(o)
	case "hour_range", "date_range":
		s.readCalendar(o, kind, now)
	}
	if err := o.Err(); err != nil {
		return wire.AsError(err)
	}
	return s.check(now)
}

// readUnix: start and an exclusive end in seconds.
func (s *span) readUnix(o *wire.Object) {
	start, end := o.Time("start"), o.Time("end")
	s.from, s.until = start.V*1000, end.V*1000
	s.bounded(o, start.Given(), end.Given())
}

// readCalendar: since and until are hours or days of a time zone, both inclusive.
// assumption: that until is inclusive is published for days only.
func (s *span) readCalendar(o *wire.Object, kind string, now time.Time) {
	if name := o.Text("timezone", 1, 100); name.Given() {
		zone, err := time.LoadLocation(name.V)
		if err != nil || name.V == "Local" {
			o.Fail("timezone", "invalid_value", "Invalid '%s': '%s' is no time zone.", o.At("timezone"), name.V)
			return
		}
		s.zone = zone
	}
	since, until := s.edge(o, "since", kind), s.edge(o, "until", kind)
	s.from, s.until = since.first, until.next
	s.bounded(o, since.given, until.given)
	if until.given && until.first > now.UnixMilli() {
		o.Fail("until", "invalid_value", "Invalid '%s': it is in the future.", o.At("until"))
	}
}

// edge is an hour or a day: its first moment and that of the next.
type edge struct {
	first, next int64
	given       bool
}

func (s *span) edge(o *wire.Object, name, kind string) edge {
	text := o.Text(name, 0, 0)
	if !text.Given() {
		return edge{}
	}
	if kind == "date_range" {
		if d, ok := world.ParseDate(text.V); ok {
			return edge{d.Start(s.zone).UnixMilli(), d.Add(1).Start(s.zone).UnixMilli(), true}
		}
	} else if at, err := time.ParseInLocation("2006-01-02T15", text.V, s.zone); err == nil {
		return edge{at.UnixMilli(), at.Add(time.Hour).UnixMilli(), true}
	}
	o.Fail(name, "invalid_value", "Invalid '%s': '%s' is no day (YYYY-MM-DD) or hour (YYYY-MM-DDTHH).",
		o.At(name), text.V)
	return edge{given: true}
}

// bounded puts the widest bound where one is missing.
func (s *span) bounded(o *wire.Object, since, until bool) {
	if !since && !until {
		o.Fail("", "invalid_value", "Invalid '%s': want at least one bound.", o.At(""))
	}
	if !since {
		s.from = 0
	}
	if !until {
		s.until = 0
	}
}

// check holds a range to five years back and to now; a missing bound becomes the edge.
func (s *span) check(now time.Time) *wire.Error {
	oldest := now.Add(-fiveYears).UnixMilli()
	today := world.DateOf(now, s.zone).Add(1).Start(s.zone).UnixMilli()
	if s.until == 0 {
		s.until = today
	}
	if s.from == 0 {
		s.from = oldest
	}
	switch {
	case s.from < oldest:
		return wire.Invalidf("time_ranges", "invalid_value",
			"Invalid 'time_ranges[0]': it begins more than 5 years ago.")
	case s.from > now.UnixMilli(), s.until > today:
		// assumption: an end within today is not the future; what a client calls now may be a little later than ours.
		return wire.Invalidf("time_ranges", "invalid_value", "Invalid 'time_ranges[0]': it is in the future.")
	case s.from >= s.until:
		return wire.Invalidf("time_ranges", "invalid_value", "Invalid 'time_ranges[0]': it ends before it begins.")
	}
	return nil
}

// keep moves the beginning to what is still retained.
func (s *span) keep(now time.Time, days int) {
	oldest := world.DateOf(now, s.zone).Add(1 - days).Start(s.zone).UnixMilli()
	if s.from >= oldest {
		return
	}
	s.from, s.starts = min(oldest, s.until), nil
	s.cut()
}
