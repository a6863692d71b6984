package emulator

import (
	"adsync/internal/emulator/page"
)

// pageControls are the addresses of the page for people.
func (s *Server) pageControls() []control {
	shown := page.New(page.Source{
		World: s.world, Points: s.points, Review: s.options.Review, Requests: s.pageRequests, Faults: s.pageFaults,
	})
	var all []control
	for pattern, handle := range shown.Routes() {
		all = append(all, control{pattern, handle})
	}
	return all
}

func (s *Server) pageRequests() []page.Request {
	var all []page.Request
	for _, e := range s.requests.all() {
		all = append(all, page.Request(e))
	}
	return all
}

func (s *Server) pageFaults() []page.Fault {
	var all []page.Fault
	for _, f := range s.faults.States() {
		all = append(all, page.Fault{
			Name: f.Name, Kind: f.Kind, Match: string(f.Match), Action: string(f.Action),
			Matched: f.Matched, Fired: f.Fired, Held: f.Held, Problem: f.Problem,
		})
	}
	return all
}
