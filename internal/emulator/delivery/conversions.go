package delivery

import "strings"

// Touch is a click, or a view, that a person converts after.
type Touch struct {
	Ad    int32  // index
	View  bool   // seen and not clicked
	At    int64  // Unix milliseconds of the click or view
	Delay int64  // milliseconds from there to the conversion
	Value int64  // micros of the account currency
	Goal  string // id of the event setting
}

// ConvertedAt is the moment of the conversion, Unix milliseconds.
func (t Touch) ConvertedAt() int64 { return t.At + t.Delay }

// How long people take, as the share (in thousandths) that has converted by then.
var delays = [...]struct {
	share   uint64
	minutes int64 // upper end
}{{520, 60}, {760, 24 * 60}, {900, 7 * 24 * 60}, {960, 14 * 24 * 60}, {990, 30 * 24 * 60}, {1000, 40 * 24 * 60}}

const (
	viewsPerMillion = 300 // impressions that are followed by a conversion without a click
	viewDelayMs     = 40 * 3_600_000
)

// touches adds those of one slot's clicks and views that convert. Goals are the
// campaign's event settings, separated by blanks.
func (m *market) touches(to []Touch, ad int, slot int64, t Tally, goals string) []Touch {
	settings := strings.Fields(goals)
	touch := func(h uint64, view bool) Touch {
		return Touch{
			Ad: int32(ad), View: view,
			At:    slot + int64(mix(h, 1)%slotMs),
			Value: 5_000_000 + int64(mix(h, 2)%18_000)*10_000,
			Goal:  settings[mix(h, 3)%uint64(len(settings))],
		}
	}
	for i := range t.Clicks {
		h := mix(mix(m.hash, uint64(slot)), uint64(i)<<8)
		if int64(h%1_000_000) < m.cvr {
			one := touch(h, false)
			one.Delay = delayOf(mix(h, 4))
			to = append(to, one)
		}
	}
	h := mix(mix(m.hash, uint64(slot)), 0x76696577)
	if int64(h%1_000_000) < t.Impressions*viewsPerMillion {
		one := touch(h, true)
		one.Delay = int64(mix(h, 4) % viewDelayMs)
		to = append(to, one)
	}
	return to
}

func delayOf(h uint64) int64 {
	from := int64(0)
	for _, d := range delays {
		if h%1000 < d.share {
			return (from + int64(mix(h, 1)%uint64(d.minutes-from))) * 60_000
		}
		from = d.minutes
	}
	return from * 60_000
}
