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
		return fmt.Errorf("cron is %q; want five fields: minute, hour, day of the month, month, day of the week, such as 0 18 * * 5", expression)
	}
	return nil
}

// OpenAt says whether the window is open at a moment, and until when.
func (w *Window) OpenAt(now time.Time) (until time.Time, open bool, err error) {
	began, err := gronx.PrevTickBefore(w.Cron, now.In(w.Zone), true)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("freeze window %q: no moment fits its cron %q; want one that comes, such as 0 18 * * 5", w.Name, w.Cron)
	}
	until = began.Add(w.For)
	return until, now.Before(until), nil
}
