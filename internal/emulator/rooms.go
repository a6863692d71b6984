package emulator

import (
	"crypto/rand"
	"net/http"
	"slices"
	"time"

	"adsync/internal/emulator/account"
	"adsync/internal/emulator/ads"
	"adsync/internal/emulator/audience"
	"adsync/internal/emulator/audit"
	"adsync/internal/emulator/bulk"
	"adsync/internal/emulator/conversion"
	"adsync/internal/emulator/geo"
	"adsync/internal/emulator/identity"
	"adsync/internal/emulator/insights"
	"adsync/internal/emulator/ledger"
	"adsync/internal/emulator/oauth"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/spend"
	"adsync/internal/emulator/world"
)

// rooms is the list of everything that is served below /v1. A new room is one
// line here.
func (s *Server) rooms() [][]service.Route {
	books := ledger.New(s.world, s.options.Review, s.options.Seed)
	s.world.Spending = books
	tree := ads.NewRoom(s.options.Review, s.images)
	jobs := bulk.NewRoom(bulk.Options{
		World: s.world, Points: s.points, Images: s.images,
		Hooks: s.hooks.Load, Logger: s.log, PerTenSeconds: s.options.Limits.BulkPer10Seconds,
	})
	s.closers = append(s.closers, jobs.Close)
	tree.AccountIssues = s.accountIssues
	tree.BudgetExhausted = books.Exhausted
	return [][]service.Route{
		account.NewRoom(s.options.Review).Routes(),
		spend.Routes(),
		audit.Routes(),
		identity.NewRoom(rand.Reader).Routes(),
		tree.Routes(),
		jobs.Routes(),
		geo.Routes(),
		conversion.NewRoom(nil).Routes(),
		audience.NewRoom(s.options.AudienceFile).Routes(),
		insights.NewRoom(books, s.options.Review, s.options.Seed).Routes(),
	}
}

// accountIssues are the codes of what keeps an account from serving.
func (s *Server) accountIssues(a *world.Account, now time.Time) []string {
	issues := account.Issues(a.Profile(), s.options.Review, now)
	if spend.Exhausted(a, now) {
		issues = append(issues, "ad_account_budget_exhausted")
	}
	return issues
}

const base = "/v1"

func (s *Server) mount() {
	for _, routes := range s.rooms() {
		for _, rt := range routes {
			s.routes = append(s.routes, &rt)
			s.mux.HandleFunc(rt.Method+" "+base+rt.Pattern, s.handler(&rt))
		}
	}
	s.mountEvents()
	s.mux.HandleFunc("/", s.noRoute)
	all := &controls{s.world, s.points, s.faults, &s.requests, s.Routes}
	people := &identityControls{s.world, oauth.NewServer(s.world, s.points, rand.Reader)}
	for _, c := range slices.Concat(all.all(), (&adControls{s.world, s.points}).all(), people.all()) {
		s.mux.HandleFunc(c.pattern, local(c.handle))
	}
	for _, c := range s.pageControls() { // guards itself
		s.mux.HandleFunc(c.pattern, c.handle)
	}
}

// Routes are the routes that are served, for documents and for tests of coverage.
func (s *Server) Routes() []*service.Route {
	return slices.DeleteFunc(slices.Clone(s.routes), s.isAbsent)
}

// isAbsent reports whether the route is an addition that an open point leaves out.
func (s *Server) isAbsent(rt *service.Route) bool {
	return rt.Addition() && s.points.Is(rt.Point, openpoint.Absent)
}

var _ http.Handler = (*Server)(nil)
