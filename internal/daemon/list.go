package daemon

import (
	"context"
	"slices"
	"strings"

	"adsync/internal/planview"
)

// Query chooses accounts.
type Query struct {
	Words  string  // that the name, the id or the source holds, in whatever letters; "": every account
	States []Class // nil: whatever they are
	After  string  // the name before the first; "": from the first on
	Most   int     // 0: all
}

// List is a part of the accounts, by name.
type List struct {
	Accounts []Status
	Next     string        // After of the next part; "" where this is the last
	Counts   map[Class]int // how many accounts hold the words, by state, in this part or another
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
		if !strings.Contains(s.Words(), strings.ToLower(q.Words)) {
			continue
		}
		l.Counts[s.State]++
		if s.Name <= q.After && q.After != "" || q.States != nil && !slices.Contains(q.States, s.State) {
			continue
		}
		if q.Most > 0 && len(l.Accounts) == q.Most {
			l.Next = l.Accounts[q.Most-1].Name
			continue
		}
		l.Accounts = append(l.Accounts, s)
	}
	return l
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

func (d local) Wake(_ context.Context, name string, why Trigger, _ string) error {
	return d.Hub.Wake(name, why)
}
