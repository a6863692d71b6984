package session

import (
	"net/url"
	"sync"
	"time"

	"adsync/internal/adsapi"
)

// Addresses are the services that accounts of this process are asked at: to each of
// them the process is one address, whose limits its accounts share.
type Addresses struct {
	mu       sync.Mutex
	byServer map[string]*adsapi.Address // by host and port
}

// Of returns what the accounts at a base address share; nil where there is one account
// only. An address nobody can read is refused where it is used.
func (s *Addresses) Of(base string, now func() time.Time) *adsapi.Address {
	if s == nil {
		return nil
	}
	server := base
	if u, err := url.Parse(base); err == nil {
		server = u.Host
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byServer == nil {
		s.byServer = map[string]*adsapi.Address{}
	}
	if s.byServer[server] == nil {
		s.byServer[server] = adsapi.NewAddress(adsapi.Limits{}, now)
	}
	return s.byServer[server]
}
