package policy

import (
	"fmt"
	"strings"
	"time"

	"adsync/internal/diag"

	"github.com/adhocore/gronx"
)

// Window is a freeze window: from each moment its cron expression names, for as
// long as it says, only pauses and decreases pass.
type Window struct {
	Name     string
	Cron     string // five fields
	For      time.Duration
	Zone     *time.Location
	Reason   string
	Position diag.Position
}

// CheckCron refuses what is no cron expression of five fields.
func CheckCron(expression string) error {
	if len(strings.Fields(expression)) != 5 || !gronx.IsValid(expression) {
		return fmt.Errorf("cron is %q; want five "+
			"fields: minute, hour, day of the month, month, day of the week, such as 0 18 * * 5", expression)
	}
	return nil
}

// OpenAt reports whether the window is open at a moment, and until when. It lasts as
// long as it says, also where clocks are set meanwhile.
func (w *Window) OpenAt(now time.Time) (until time.Time, open bool, err error) {
	began, err := w.began(now)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("freeze window "+
			"%q: no moment fits its cron %q; want one that comes, such as 0 18 * * 5", w.Name, w.Cron)
	}
	until = began.Add(w.For)
	return until, now.Before(until), nil
}

// began is the last moment at which the window began, if that was not longer ago
// than it lasts. Each stretch between two settings of the clock is looked at by its
// own clock: a moment that clocks show twice counts twice, and one that none shows, as
// it was put forward over it, counts as though it had not been.
func (w *Window) began(now time.Time) (last time.Time, err error) {
	for at, until := now.In(w.Zone), now; ; {
		name, offset := at.Zone()
		tick, err := gronx.PrevTickBefore(w.Cron, until.In(time.FixedZone(name, offset)), true)
		if err != nil {
			return time.Time{}, err
		}
		set, _ := at.ZoneBounds()
		if !tick.Before(set) && tick.After(last) {
			last = tick.In(w.Zone)
		}
		if set.IsZero() || set.Add(mostSkipped+w.For).Before(now) || set.Add(mostSkipped).Before(last) {
			return last, nil
		}
		at = set.Add(-time.Nanosecond)
		_, before := at.Zone()
		until = set.Add(max(time.Duration(offset-before)*time.Second, 0) - time.Nanosecond)
		if until.After(now) {
			until = now
		}
	}
}

// mostSkipped is more than any clock is put forward by at once: Samoa left a day out.
const mostSkipped = 25 * time.Hour
