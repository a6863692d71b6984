package emulator

import (
	"net/http"

	"adsync/internal/emulator/account"
	"adsync/internal/emulator/ads"
	"adsync/internal/emulator/bulk"
	"adsync/internal/emulator/geo"
	"adsync/internal/emulator/service"
)

// rooms is the list of everything that is served below /v1. A new room is one
// line here.
func (s *Server) rooms() [][]service.Route {
	s.tree = ads.NewRoom(s.options.Review, s.images)
	jobs := bulk.NewRoom(bulk.Options{
		World: s.world, Points: s.points, Tree: s.tree, Images: s.images,
		Hooks: s.hooks.Load, Logger: s.log, PerTenSeconds: s.options.Limits.BulkPer10Seconds,
	})
	s.closers = append(s.closers, jobs.Close)
	return [][]service.Route{
		account.Routes(),
		s.tree.Routes(),
		jobs.Routes(),
		geo.Routes(),
	}
}

const base = "/v1"

func (s *Server) mount() {
	for _, routes := range s.rooms() {
		for _, rt := range routes {
			if rt.Addition && s.options.InterfaceOnly {
				continue
			}
			s.routes = append(s.routes, &rt)
			s.mux.HandleFunc(rt.Method+" "+base+rt.Pattern, s.handler(&rt))
		}
	}
	s.mux.HandleFunc("/", s.noRoute)
	for _, c := range s.controls() {
		s.mux.HandleFunc(c.pattern, c.handle)
	}
}

// Routes are the routes that are served, for documents and for tests of coverage.
func (s *Server) Routes() []*service.Route { return s.routes }

var _ http.Handler = (*Server)(nil)
