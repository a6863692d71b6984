package daemon

import (
	"context"
	"slices"
	"strings"
	"time"

	"adsync/internal/orders"
	"adsync/internal/planview"
)

// Query chooses accounts.
type Query struct {
	Words  string   // that the name, the id or the source holds, in whatever letters; "": every account
	Only   []string // names of the accounts that are there at all; nil: all are
	States []Class  // nil: whatever they are
	After  string   // the name before the first; "": from the first on
	Most   int      // 0: all
	// by spend of the last seven days, currency by currency, those of which it is not known last; else by name
	BySpend bool
	Now     time.Time // which day was yesterday
}

func (q *Query) takes(state Class) bool { return q.States == nil || slices.Contains(q.States, state) }

// List is a part of the accounts.
type List struct {
	Accounts []Status
	Next     string        // After of the next part; "" where this is the last
	Counts   map[Class]int // how many accounts hold the words, by state, in this part or another
	Totals   []Total       // of the accounts that are chosen, in this part or another, by currency
	Missing  string        // why accounts are not among them; "" where none is missing
}

// Words are what is searched of an account.
func (s *Status) Words() string {
	return strings.ToLower(s.Name + "\n" + s.Account.ID + "\n" + s.Source)
}

// Choose returns the accounts that a query chooses, of all of them by name.
func (q Query) Choose(all []Status) (l List) {
	l.Counts = map[Class]int{}
	for _, s := range all {
		if !strings.Contains(s.Words(), strings.ToLower(q.Words)) || q.Only != nil && !slices.Contains(q.Only, s.Name) {
			continue
		}
		if l.Count(q, s.State, s.total(q.Now)); q.takes(s.State) {
			l.Accounts = append(l.Accounts, s)
		}
	}
	if q.BySpend {
		slices.SortStableFunc(l.Accounts, bySpend(q.Now))
	}
	l.Accounts = l.Accounts[q.first(l.Accounts):]
	if q.Most > 0 && len(l.Accounts) > q.Most {
		l.Accounts = l.Accounts[:q.Most]
		l.Next = l.Accounts[q.Most-1].Name
	}
	return l
}

// first is the place of the first account behind After.
func (q *Query) first(chosen []Status) int {
	if q.BySpend {
		return 1 + slices.IndexFunc(chosen, func(s Status) bool { return s.Name == q.After })
	}
	at, _ := slices.BinarySearchFunc(chosen, q.After, func(s Status, after string) int {
		if s.Name > after || after == "" {
			return 1
		}
		return -1
	})
	return at
}

// local is the Desk of a daemon whose accounts are all its own.
type local struct{ *Hub }

// Desk is the hub as who looks on and gives orders sees it.
func (h *Hub) Desk() Desk { return local{h} }

func (d local) Own() []Status { return d.Accounts() }

func (d local) List(_ context.Context, q Query) List { return q.Choose(d.Accounts()) }

func (d local) Account(_ context.Context, name string) (Status, error) {
	s, there := d.Hub.Account(name)
	if !there {
		return Status{}, ErrNoAccount
	}
	return s, nil
}

func (d local) Plan(_ context.Context, name string) (*planview.Document, error) {
	return d.Hub.Plan(name), nil
}

func (d local) Wake(_ context.Context, name string, why Trigger, a orders.Ask) error {
	return d.Ask(name, why, a)
}
