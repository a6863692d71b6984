package session

import (
	"cmp"
	"fmt"
	"path/filepath"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/sources/config"
)

// SpokenTo is the service of an account, and what says so.
type SpokenTo struct {
	base     string // "" for the emulator in this process
	origin   string
	Emulated bool
}

// Service finds the service. The operator's word counts, in the environment
// before the file; the project may ask for the emulator where the operator names
// no address (fault X10).
func Service(env *Env, p config.Project) (SpokenTo, error) {
	if base := env.Getenv(EnvBaseURL); base != "" {
		return SpokenTo{base: base, origin: EnvBaseURL + unheard(p)}, nil
	}
	o, _ := Operator(env, p) // its problems were said when the project was loaded
	if o.BaseURL.Value != "" {
		at := o.BaseURL.Position
		return SpokenTo{
			base: o.BaseURL.Value, origin: fmt.Sprintf("base_url, %s:%d",
				filepath.Base(at.File()), at.Line()) + unheard(p),
		}, nil
	}
	if p.Service == "emulator" {
		at := p.ServiceAt()
		return SpokenTo{
			origin: fmt.Sprintf("service, %s:%d", cmp.Or(at.File(), "adsync.yaml"), at.Line()), Emulated: true,
		}, nil
	}
	return SpokenTo{}, console.Configuration("no service: set %s and %s, "+
		"name them in the operator's file, or write `service: emulator` in adsync.yaml to try it", EnvBaseURL, EnvKey)
}

// unheard reports whether the project asks for another service than the operator.
func unheard(p config.Project) string {
	if p.Service != "emulator" {
		return ""
	}
	at := p.ServiceAt()
	return fmt.Sprintf("; service: emulator, %s:%d, does not count beside it",
		cmp.Or(at.File(), "adsync.yaml"), at.Line())
}

// ServiceOf is the service as documents name it, nil where none is named.
func ServiceOf(env *Env, p config.Project) *planview.Service {
	s, err := Service(env, p)
	switch {
	case err != nil:
		return nil
	case s.Emulated:
		return &planview.Service{Address: planview.Emulated, Origin: s.origin}
	}
	return &planview.Service{Address: console.HostOf(s.base), Origin: diag.Printable(s.origin)}
}

// address returns the address of the service, which the emulator in this process is started for.
func address(env *Env, s *Session, p config.Project) (string, error) {
	service, err := Service(env, p)
	if err == nil && service.Emulated {
		return serveEmulator(env, s, p)
	}
	return service.base, err
}

// emulated reports whether the service is the emulator in this process.
func emulated(env *Env, p config.Project) bool {
	service, err := Service(env, p)
	return err == nil && service.Emulated
}
