package notify

import "time"

// How many messages of a topic leave for a destination in an hour. What comes
// meanwhile is one message. Each topic has a count of its own, so that none keeps
// another from being told; that of what is urgent only stops a flood.
const (
	perHour       = 20
	urgentPerHour = 60
)

// sent is when messages left for a destination, within the last hour.
type sent map[Topic][]time.Time

// leaves returns when the next message of a topic may leave: now, or later.
func (s sent) leaves(t Topic, now time.Time) time.Time {
	most := perHour
	if t.urgent() {
		most = urgentPerHour
	}
	all := s[t]
	for len(all) > 0 && passed(all[0], now) {
		all = all[1:]
	}
	if len(all) < most {
		return now
	}
	return all[0].Add(time.Hour)
}

// passed reports whether an hour has passed: also where the clock was put back.
func passed(at, now time.Time) bool {
	age := now.Sub(at)
	return age < 0 || age >= time.Hour
}

// note counts a message of topics that has left.
func (s *sent) note(topics []Topic, now time.Time) {
	if *s == nil {
		*s = sent{}
	}
	for _, t := range topics {
		all := append((*s)[t], now)
		for len(all) > 0 && passed(all[0], now) {
			all = all[1:]
		}
		(*s)[t] = all
	}
}

// Quiet is a time of each day, in the time zone of the account, in which a
// destination hears only what is urgent. The zero Quiet is never.
// since midnight, by the clock on the wall; To before From is on the next day
type Quiet struct{ From, To time.Duration }

// after returns the first moment from at on that is not quiet.
func (q Quiet) after(at time.Time, zone *time.Location) time.Time {
	if q.From == q.To {
		return at
	}
	local := at.In(zone)
	for ago := 1; ago >= 0; ago-- { // what began yesterday may last
		day := local.AddDate(0, 0, -ago)
		from, to := wall(day, q.From), wall(day, q.To)
		if q.To < q.From {
			to = wall(day.AddDate(0, 0, 1), q.To)
		}
		if !at.Before(from) && at.Before(to) {
			return to
		}
	}
	return at
}

// wall is a time of a day as the clock on the wall shows it.
func wall(day time.Time, since time.Duration) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, int(since/time.Minute), 0, 0, day.Location())
}

// location is the account's time zone; UTC where nobody knows. mu is held.
func (n *Notifier) location() *time.Location {
	if zone, err := time.LoadLocation(n.zone); err == nil {
		return zone
	}
	return time.UTC
}
