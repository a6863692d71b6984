package planview

import (
	"adsync/internal/diag"
	"adsync/internal/words/catalogue"
)

// Service is the service that is spoken to, and what says so.
type Service struct {
	Address string `json:"address"` // without user, password and query; emulator for the one inside the command
	Origin  string `json:"origin"`  // a variable, or a key with its file and line
}

// Emulated is the address of the service inside the command.
const Emulated = "emulator"

// Words name the service for people.
func (s *Service) Words() string {
	address := s.Address
	if address == Emulated {
		address = catalogue.Say("service.emulator")
	}
	return diag.Printable(address + " (" + s.Origin + ")")
}
