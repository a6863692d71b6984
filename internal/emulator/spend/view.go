package spend

import (
	"time"

	"adsync/internal/emulator/world"
)

// listing is the limits as the service shows them (service facts 9.3).
type listing struct {
	Object         string       `json:"object"`
	Windows        []windowView `json:"data"` // by start
	DailyLimits    []dailyView  `json:"daily_limits"`
	DailyLimit     *dailyView   `json:"daily_limit"` // the active or earliest upcoming rule
	Revision       int64        `json:"revision"`
	EarliestDaily  world.Date   `json:"earliest_daily_start_date"`
	EarliestDated  *world.Date  `json:"earliest_dated_start_date"`
	CanCreateDaily bool         `json:"can_create_daily_limit"`
	EvaluatedAt    string       `json:"evaluated_at"` // ISO 8601
}

type windowView struct {
	ID           string     `json:"window_id"`
	Start        world.Date `json:"start_date"`
	End          world.Date `json:"end_date"` // exclusive
	Amount       int64      `json:"amount_micros"`
	Name         *string    `json:"name"`
	IOID         *string    `json:"io_id"`
	Status       string     `json:"status"`
	CanEdit      bool       `json:"can_edit"`
	CanEditStart bool       `json:"can_edit_start_date"`
	CanDelete    bool       `json:"can_delete"`
	Spent        *int64     `json:"spent_micros,omitempty"` // active ones only
}

type dailyView struct {
	ID        string      `json:"window_id"`
	Amount    int64       `json:"amount_micros"`
	Start     world.Date  `json:"start_date"`
	End       *world.Date `json:"end_date"` // exclusive
	TimeZone  string      `json:"timezone"`
	Status    string      `json:"status"`
	Spent     *int64      `json:"spent_micros"` // today; null before the rule is active
	Remaining *int64      `json:"remaining_micros"`
	SpendAsOf *string     `json:"spend_as_of"` // ISO 8601
	NextReset *string     `json:"next_reset"`  // ISO 8601, the account's next midnight
}

func (b book) view() listing {
	v := listing{
		Object: "list", Windows: []windowView{}, DailyLimits: []dailyView{},
		Revision: b.config.Revision, EvaluatedAt: b.moment(b.now),
	}
	for _, l := range b.windows {
		v.Windows = append(v.Windows, b.window(l))
	}
	for _, l := range b.rules() {
		v.DailyLimits = append(v.DailyLimits, b.dailyView(l))
	}
	if len(v.DailyLimits) > 0 {
		v.DailyLimit = &v.DailyLimits[0]
	}
	v.EarliestDaily, v.CanCreateDaily = b.earliestDaily()
	if day, ok := free(b.windows, b.today); ok && b.countUpcoming() < maxFutureWindows {
		v.EarliestDated = &day
	}
	return v
}

// earliestDaily is the first day a new rule can begin: tomorrow (rule 4), or when
// the present rules end. Without such a day it is tomorrow and false.
func (b book) earliestDaily() (world.Date, bool) {
	tomorrow := b.today.Add(1)
	if day, ok := free(b.rules(), tomorrow); ok {
		return day, true
	}
	return tomorrow, false
}

func (b book) window(l world.SpendLimit) windowView {
	status := b.status(l)
	v := windowView{
		ID: l.ID, Start: l.Start, End: *l.End, Amount: l.Amount, Name: l.Name, IOID: l.IOID, Status: status,
		CanEdit: status != completed, CanEditStart: status == upcoming, CanDelete: status != completed,
	}
	if status == active {
		spent := b.spent(l)
		v.Spent = &spent
	}
	return v
}

func (b book) dailyView(l world.SpendLimit) dailyView {
	v := dailyView{
		ID: l.ID, Amount: l.Amount, Start: l.Start, End: l.End, TimeZone: b.profile.TimeZone, Status: b.status(l),
	}
	if v.Status != active {
		return v
	}
	spent := b.spent(l)
	remaining := max(0, l.Amount-spent)
	asOf, reset := b.moment(b.now), b.moment(b.today.Add(1).Start(b.zone))
	v.Spent, v.Remaining, v.SpendAsOf, v.NextReset = &spent, &remaining, &asOf, &reset
	return v
}

func (b book) moment(t time.Time) string { return t.In(b.zone).Format(time.RFC3339) }

// Exhausted reports whether a spend limit of the account stops delivery now. It
// is called inside View or Update.
func Exhausted(a *world.Account, now time.Time) bool {
	if a.SpendLimits.Len() == 0 || !a.Profile().Features.Postpaid {
		return false
	}
	b := open(a, now)
	for _, l := range append(b.windows, b.daily...) {
		if l.In(b.today) && b.spent(l) >= l.Amount {
			return true
		}
	}
	return false
}
