package world

// Spending is what ads cost, as the delivery simulation recorded it.
type Spending interface {
	// Spent is the micros an account spent in its local days from since to
	// before until (YYYY-MM-DD). It is called inside View or Update of a.
	Spent(a *Account, since, until string) int64
}

// Resources of the mutation log from which delivery learns the account's spend
// limits. The record after such a change has window_id, start_date, end_date
// (exclusive; null: no end) and amount_micros; no record after it removes the
// limit. A window bounds the sum of its days, a daily limit each of them.
const (
	ResourceSpendWindow = "spend_limit_window"
	ResourceDailyLimit  = "daily_spend_limit"
)

// Spent is what the account spent in its local days from since to before until
// (YYYY-MM-DD), in micros. It is called inside View or Update.
func (a *Account) Spent(since, until string) int64 {
	if a.world.Spending == nil {
		return 0
	}
	return a.world.Spending.Spent(a, since, until)
}
