package emulator

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"adsync/internal/emulator/clock"
	"adsync/internal/emulator/fault"
	"adsync/internal/emulator/images"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/store"
	"adsync/internal/emulator/world"
)

// Server is one emulator. It is an http.Handler; listening is the caller's job.
type Server struct {
	options  Options
	log      *slog.Logger
	world    *world.World
	store    *store.Store
	points   *openpoint.Settings
	hooks    atomic.Pointer[service.Hooks]
	faults   *fault.Layer
	mux      *http.ServeMux
	routes   []*service.Route
	auth     *authenticator
	limits   *limiter
	reply    *replier
	requests requestLog
	cursors  sync.Map
	ids      requestIDs
	images   *images.Source
	closers  []func() error
	closing  sync.Once
	closeErr error
}

// Open starts an emulator on its data folder, or in memory, and continues the
// bulk jobs that a killed one left unfinished. It refuses a folder that another
// process has open.
func Open(o Options) (*Server, error) {
	o.fill()
	st, err := store.Open(o.Dir)
	if err != nil {
		return nil, err
	}
	s, err := open(o, st)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return s, nil
}

func open(o Options, st *store.Store) (*Server, error) {
	w, err := world.Load(st, clock.New(o.Now), o.OpenPoints, o.Seed)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, log: o.Logger, world: w, store: st, points: o.OpenPoints, mux: http.NewServeMux()}
	s.auth = &authenticator{w, s.points}
	s.limits = &limiter{limits: o.Limits, points: s.points, windows: map[string][]time.Time{}}
	s.reply = &replier{w.Clock, s.points, &s.requests}
	s.faults = fault.NewLayer(w, s.sendForeign)
	s.closers = append(s.closers, s.faults.Close)
	if err := s.faults.Arm(o.Faults...); err != nil {
		return nil, err
	}
	s.SetHooks(o.Hooks)
	s.ids.salt = requestSalt(o.Seed)
	s.images = images.NewSource(o.Images)
	s.closers = append(s.closers, s.images.Close)
	if err := s.seed(); err != nil {
		return nil, err
	}
	s.mount()
	return s, nil
}

func (s *Server) seed() error {
	for _, a := range s.options.Accounts {
		p, err := a.profile()
		if err != nil {
			return err
		}
		made, err := s.world.AddAccount(p, a.Key)
		if err != nil {
			return err
		}
		for _, k := range a.Keys {
			if err := made.AddKeys(world.NewAPIKey(k.Name, k.Key, s.world.Clock.Now().Unix())); err != nil {
				return err
			}
		}
	}
	return s.world.Directory.AddUsers(s.options.people())
}

// SetHooks puts hooks of a test below the armed faults; nil takes them away.
// Requests under way keep the old ones.
func (s *Server) SetHooks(h *service.Hooks) {
	if h == nil {
		h = &service.Hooks{}
	}
	s.hooks.Store(s.faults.Around(h))
}

// Faults are what makes the emulator misbehave; see package fault.
func (s *Server) Faults() *fault.Layer { return s.faults }

// World is what the service knows, for tests and for pages about it.
func (s *Server) World() *world.World { return s.world }

// Close ends the job workers after the batch each is at, then the store.
// Unfinished jobs go on at the next Open of the same folder.
func (s *Server) Close() error {
	s.closing.Do(func() {
		for _, closer := range s.closers {
			s.closeErr = errors.Join(s.closeErr, closer())
		}
		s.closeErr = errors.Join(s.closeErr, s.store.Close())
	})
	return s.closeErr
}

// requestSalt makes request ids repeat for a seed and differ without one.
func requestSalt(seed uint64) uint64 {
	if seed != 0 {
		return seed
	}
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}
