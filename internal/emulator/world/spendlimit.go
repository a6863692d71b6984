package world

// SpendLimit is a dated window, which bounds the sum of its days, or a daily
// rule, which bounds each of them (interface, part 4, spend limits). A removed
// one has no record; what it allowed is in the mutation log.
type SpendLimit struct {
	ID     string  `json:"window_id"`
	Daily  bool    `json:"daily"`
	Start  Date    `json:"start_date"`
	End    *Date   `json:"end_date"` // exclusive; nil: no end, daily rules only
	Amount int64   `json:"amount_micros"`
	Name   *string `json:"name"`
	IOID   *string `json:"io_id"`
}

// In reports whether the limit covers a day.
func (l SpendLimit) In(d Date) bool { return l.Start <= d && !l.Ended(d) }

// Ended reports whether the limit's last day is before d.
func (l SpendLimit) Ended(d Date) bool { return l.End != nil && *l.End <= d }

// SpendConfig is what the limits of an account share; one row.
type SpendConfig struct {
	AccountID    string `json:"account_id"`
	Revision     int64  `json:"revision"`
	DailyRemoved bool   `json:"daily_removed"` // a daily rule was removed since the last was made
}

// Resource is how the mutation log names the limit.
func (l SpendLimit) Resource() string {
	if l.Daily {
		return ResourceDailyLimit
	}
	return ResourceSpendWindow
}
