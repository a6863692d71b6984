package webhook

import "time"

// seen are the ids of deliveries, as long as they are remembered and as many as
// fit. GitHub signs no time: a delivery older than that may be sent once more by
// somebody who kept it, and then wakes an account that finds nothing to do.
type seen struct {
	at    map[string]time.Time
	order []string // oldest first
}

func (s *seen) has(id string, now time.Time) bool {
	at, is := s.at[id]
	return is && now.Sub(at) <= remember
}

// add keeps an id that it has not.
func (s *seen) add(id string, now time.Time) {
	for len(s.order) > 0 && (len(s.order) >= mostIDs || now.Sub(s.at[s.order[0]]) > remember) {
		delete(s.at, s.order[0])
		s.order = s.order[1:]
	}
	if s.at == nil {
		s.at = map[string]time.Time{}
	}
	s.at[id] = now
	s.order = append(s.order, id)
}

// tokens bound how many requests are looked at: some at once, and as many each minute.
type tokens struct {
	left  float64
	since time.Time
}

func (t *tokens) take(now time.Time, perMinute float64) bool {
	if t.since.IsZero() {
		t.left = perMinute
	} else if passed := now.Sub(t.since); passed > 0 {
		t.left = min(perMinute, t.left+passed.Minutes()*perMinute)
	}
	t.since = now
	if t.left < 1 {
		return false
	}
	t.left--
	return true
}
