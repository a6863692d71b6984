package main

import (
	"cmp"
	"fmt"
	"path/filepath"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/sources"
)

// spokenTo is the service of an account, and what says so.
type spokenTo struct {
	base     string // "" for the emulator in this process
	origin   string
	emulated bool
}

// service finds the service. The operator's word counts, in the environment
// before the file; the project may ask for the emulator where the operator names
// no address (fault X10).
func (a *app) service(p sources.Project) (spokenTo, error) {
	if base := a.env(envBaseURL); base != "" {
		return spokenTo{base: base, origin: envBaseURL + unheard(p)}, nil
	}
	o, _ := a.operator(p) // its problems were said when the project was loaded
	if o.BaseURL.Value != "" {
		at := o.BaseURL.Position
		return spokenTo{
			base: o.BaseURL.Value, origin: fmt.Sprintf("base_url, %s:%d",
				filepath.Base(at.File()), at.Line()) + unheard(p),
		}, nil
	}
	if p.Service == "emulator" {
		at := p.ServiceAt()
		return spokenTo{
			origin: fmt.Sprintf("service, %s:%d", cmp.Or(at.File(), "adsync.yaml"), at.Line()), emulated: true,
		}, nil
	}
	return spokenTo{}, configuration("no service: set %s and %s, "+
		"name them in the operator's file, or write `service: emulator` in adsync.yaml to try it", envBaseURL, envKey)
}

// unheard says that the project asks for another service than the operator.
func unheard(p sources.Project) string {
	if p.Service != "emulator" {
		return ""
	}
	at := p.ServiceAt()
	return fmt.Sprintf("; service: emulator, %s:%d, does not count beside it",
		cmp.Or(at.File(), "adsync.yaml"), at.Line())
}

// serviceOf is the service as documents name it, nil where none is named.
func (a *app) serviceOf(p sources.Project) *planview.Service {
	s, err := a.service(p)
	switch {
	case err != nil:
		return nil
	case s.emulated:
		return &planview.Service{Address: planview.Emulated, Origin: s.origin}
	}
	return &planview.Service{Address: hostOf(s.base), Origin: diag.Printable(s.origin)}
}

// address gives the address and the key of the service, which the emulator in
// this process is started for.
func (a *app) address(s *session, p sources.Project) (string, adsapi.Secret, error) {
	service, err := a.service(p)
	if err != nil {
		return "", adsapi.Secret{}, err
	}
	if service.emulated {
		base, err := a.serveEmulator(s, p)
		return base, adsapi.NewSecret(emulatorKey), err
	}
	key, err := a.key(p)
	return service.base, key, err
}
