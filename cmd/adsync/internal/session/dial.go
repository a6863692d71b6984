package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/state"
	"adsync/state/branch"
	"adsync/state/place"
)

// The operator's side of the configuration: addresses and credentials come from
// the environment and the operator's file, never from what is watched
// (design.md section 6).
const (
	EnvBaseURL    = "ADSYNC_BASE_URL"
	EnvKey        = "ADSYNC_API_KEY"
	EnvKeyFile    = "ADSYNC_API_KEY_FILE"
	EnvKeyCommand = "ADSYNC_API_KEY_COMMAND"
)

// Backing is what carries requests and keeps the state. The zero ground is the
// system's; a simulation stands on another.
type Backing struct {
	Transport http.RoundTripper
	WrapStore func(state.Store) state.Store
}

// Session is a project joined with its service and its state.
type Session struct {
	Agent *reconcile.Agent
	Store state.Store
	close []func()
}

// End closes what the session opened, last first.
func (s *Session) End() {
	for i := len(s.close) - 1; i >= 0; i-- {
		s.close[i]()
	}
}

// Connect opens state and service. A reading session takes no lock, and its
// client cannot send a mutation.
func Connect(ctx context.Context, env *Env, l Loaded, readOnly bool) (*Session, error) {
	s := &Session{}
	if err := open(ctx, env, s, l, readOnly); err != nil {
		s.End()
		return nil, err
	}
	return s, nil
}

func open(ctx context.Context, env *Env, s *Session, l Loaded, readOnly bool) error {
	return OpenAs(ctx, env, s, l, readOnly, readOnly)
}

// Take is Connect for changing what there is. Where the account had to be waited for, files are read again: somebody
// may have saved them meanwhile, and another have applied them. anew is what was read; nil where nobody waited.
func Take(ctx context.Context, env *Env, l Loaded, dir string) (s *Session, anew *Loaded, err error) {
	s = &Session{}
	waited, err := s.openStore(ctx, env, l.Project, false)
	if waited && err == nil {
		env.Note("the files are read once more, as they may have changed meanwhile")
		account := l.Project.Account.ID
		l = again(ctx, env, dir)
		anew = &l
		switch same := l.Project.Account.ID == account; {
		case l.Failure != nil, !same && l.Stops(false):
			err = Unready(env, l, false)
		case !same:
			err = console.ExitWith(console.ExitUnavailable, "the files have come to name another account; run again")
		}
	}
	if err == nil {
		err = s.open(ctx, env, l, false, false)
	}
	if err != nil {
		s.End()
		return nil, anew, err
	}
	return s, anew, nil
}

// again loads files once more: what the folder has now, or the commit that the repository has now.
func again(ctx context.Context, env *Env, dir string) Loaded {
	if g := env.Git; g != nil {
		g.End()
		g.Checkout = nil
		g.failure = fetch(ctx, env, true)
	}
	return Load(ctx, env, dir)
}

// OpenAs opens the state and the service, each for reading only or not.
func OpenAs(ctx context.Context, env *Env, s *Session, l Loaded, readState, readOnly bool) error {
	if _, err := s.openStore(ctx, env, l.Project, readState); err != nil {
		return err
	}
	return s.open(ctx, env, l, readState, readOnly)
}

// openStore opens the state, and tells whether somebody who had it was waited for.
func (s *Session) openStore(ctx context.Context, env *Env, p config.Project, readOnly bool) (waited bool, err error) {
	s.Store, err = openState(ctx, env, p, readOnly, func() { waited = true })
	if env.HandOver > 0 && !readOnly && errors.Is(err, state.ErrLocked) {
		waited = true
		s.Store, err = handedOver(ctx, env, p, err)
		if err == nil {
			s.close = append(s.close, func() {
				_ = OrdersOf(env, p).Ring(handBack, time.Now()) // where that fails it looks later
			})
		}
	}
	if err != nil {
		return waited, err
	}
	s.close = append(s.close, func() { Closed(env, "state", s.Store.Close()) })
	return waited, nil
}

// open makes the client and the agent of a session whose state is open.
func (s *Session) open(ctx context.Context, env *Env, l Loaded, readState, readOnly bool) error {
	if !readState && !l.Stops(false) {
		if err := NoteReady(env, l); err != nil {
			return err
		}
	}
	config := adsapi.Config{ReadOnly: readOnly}
	if !readOnly {
		config.Halt = halt(env, l.Project)
	}
	if lease, ok := s.Store.(state.Lease); ok {
		config.Lease = lease.Valid
	}
	client, err := Dial(env, s, l.Project, config)
	if err != nil {
		return err
	}
	if err := client.Halted(); err != nil {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	s.close = append(s.close, env.WatchProgress(client.Left))
	s.Agent = AgentOf(env, l, s.Store, client)
	if !readOnly {
		s.close = append(s.close, tellInFlight(ctx, env, s.Agent))
	}
	return nil
}

// Dial makes the client of the project's account, by the credential in use or the key of cfg. The session keeps open
// what it needs.
func Dial(env *Env, s *Session, p config.Project, cfg adsapi.Config) (*adsapi.Client, error) {
	return dial(env, s, p, cfg, false)
}

// DialAny is Dial for requests that concern no account, or ask which there are.
func DialAny(env *Env, s *Session, p config.Project, cfg adsapi.Config) (*adsapi.Client, error) {
	return dial(env, s, p, cfg, true)
}

func dial(env *Env, s *Session, p config.Project, cfg adsapi.Config, any bool) (*adsapi.Client, error) {
	base, err := address(env, s, p)
	if err != nil {
		return nil, err
	}
	cfg.BaseURL = base
	switch {
	case cfg.Key.Reveal() != "":
	case UsesLogin(env, p):
		err = useLogin(env, p, &cfg, any)
	default:
		cfg.Key, err = key(env, p)
	}
	if err != nil {
		return nil, err
	}
	if key := cfg.Key.Reveal(); env.OnSecret != nil && key != "" {
		env.OnSecret(key)
	}
	if cfg.KeyLag, err = keyLag(env, p); err != nil {
		return nil, err
	}
	c := env.Clock.OrSystem()
	others, err := ledgersOf(env, p)
	if err != nil {
		return nil, err
	}
	cfg.Address = env.Addresses.Of(cfg.BaseURL, c.Now, others)
	cfg.UserAgent, cfg.Waiting, cfg.Now, cfg.Sleep, cfg.Transport = "adsync/"+console.Release,
		func(why string, wait time.Duration) { waiting(env, why, wait) }, c.Now, c.Sleep, env.Backing.Transport
	client, err := adsapi.New(cfg)
	if err != nil {
		return nil, console.Configuration("%v", err)
	}
	return client, nil
}

// AgentOf joins the files with a state and the service.
func AgentOf(env *Env, l Loaded, store state.Store, client *adsapi.Client) *reconcile.Agent {
	c, account := env.Clock.OrSystem(), l.Project.Account
	return &reconcile.Agent{
		Env: reconcile.Env{
			Service: client, Store: store, Schemas: l.Schemas,
			Account: state.Account{
				ID: cmp.Or(account.ID, l.Desired.WrittenFor), Currency: account.Currency, TimeZone: account.TimeZone,
			},
			Given:    givenIDs(l),
			People:   peopleReader(l),
			Progress: env.Progress,
			Notice:   func(text string) { env.Note("%s", text) },
			Logger:   slog.New(slog.DiscardHandler),
			Now:      c.Now, Sleep: c.Sleep, InFlight: &reconcile.InFlight{}, Crash: env.Crashed,
		},
		Options: reconcile.Options{Bulk: bulkOf(l.Project.Bulk), Image: imageReader(l)},
	}
}

// waiting says why nothing moves for a while.
func waiting(env *Env, why string, wait time.Duration) {
	env.Note("%s; waiting %s", why, wait.Round(time.Second))
}

// Closed notes that something could not be closed.
func Closed(env *Env, what string, err error) {
	if err != nil {
		env.Note("close %s: %v", what, err)
	}
}

// ServerOf is the database with the states, nil where they lie in folders.
func ServerOf(ctx context.Context, env *Env) (*state.Server, error) {
	from, err := databaseOf(env, config.Project{Home: "."}) // of no project: no files lie around the operator's file
	if err != nil || from.From == "" {
		return nil, err
	}
	return env.Databases.of(ctx, env, from)
}

// PlaceOf is where the state of a project lies: in the database that the operator names, or in its folder.
func PlaceOf(ctx context.Context, env *Env, p config.Project) (place.Place, error) {
	if p.Home != "" && p.Folder() == "" && p.Account.ID == "" { // --state names a folder
		return place.Place{Folder: p.StateFolder()}, nil
	}
	from, err := databaseOf(env, p)
	if err == nil && from.From != "" && env.Direct {
		return place.Place{Folder: directFolder(p)}, nil
	}
	if err != nil {
		return place.Place{}, err
	}
	if from.From == "" {
		return placeOf(env, p)
	}
	if p.Account.ID == "" {
		return place.Place{}, console.Configuration("states lie in a database, by account: want account: {id} in %s",
			config.ProjectFile)
	}
	server, err := env.Databases.of(ctx, env, from)
	return place.Place{Server: server, Account: p.Account.ID}, err
}

// placeOf is where the state lies without a database: on the branch that the operator names, or in its folder.
func placeOf(env *Env, p config.Project) (place.Place, error) {
	b, err := branchOf(env, p)
	if b != nil && env.Daemon {
		err = console.Configuration("the state lies on %s, and a daemon keeps none there: it would push for every "+
			"wave; want a folder or a database (docs/operate/state-branch.md)", b)
	}
	return place.Place{Folder: p.StateFolder(), Branch: b}, err
}

// OpenHistory opens the runs of a project for reading, and the report of one of them; "" of none.
func OpenHistory(ctx context.Context, env *Env, p config.Project, run string) (state.Store, error) {
	at, err := PlaceOf(ctx, env, p)
	if err != nil || at.Server == nil {
		return OpenState(ctx, env, p, true)
	}
	return at.Server.OpenHistory(ctx, at.Account, run)
}

// OpenMirror opens the account of a project as it was last read, for reading.
func OpenMirror(ctx context.Context, env *Env, p config.Project) (state.Store, error) {
	at, err := PlaceOf(ctx, env, p)
	if err != nil || at.Server == nil {
		return OpenState(ctx, env, p, true)
	}
	return at.Server.OpenMirror(ctx, at.Account)
}

// OpenState opens the state of a project, for reading only or not.
func OpenState(ctx context.Context, env *Env, p config.Project, readOnly bool) (state.Store, error) {
	return openState(ctx, env, p, readOnly, func() {})
}

// openState is OpenState that tells when it begins to wait for whoever has the state.
func openState(ctx context.Context, env *Env, p config.Project, readOnly bool, waits func()) (state.Store, error) {
	at, err := PlaceOf(ctx, env, p)
	if err == nil {
		err = refuseLeft(ctx, at, p)
	}
	if err != nil {
		return nil, err
	}
	if readOnly {
		return at.OpenReadOnly(ctx)
	}
	store, err := at.Open(ctx, state.Options{
		Sleep: func(d time.Duration) { _ = Sleep(ctx, d) }, Command: env.Command, Version: console.Release,
		Waiting: func(holder string) {
			waits()
			env.Note("the state is in use by %s; waiting until that is heard of, or its lease has ended", holder)
		},
	})
	if err == nil && at.Server != nil {
		takeInDirect(ctx, env, directFolder(p), store)
	}
	if b, ok := store.(*branch.Store); ok {
		store = &onBranch{b, env}
	}
	if err == nil && env.Backing.WrapStore != nil {
		store = env.Backing.WrapStore(store)
	}
	return store, err
}

// onBranch is a state whose last push counts for how the command ends.
type onBranch struct {
	*branch.Store
	env *Env
}

func (o *onBranch) Close() error {
	if err := o.Store.Close(); err != nil {
		o.env.Unkept = err
	}
	return nil
}

// refuseLeft refuses to begin anew in a database, or on a branch, while the folder of the project has a state.
func refuseLeft(ctx context.Context, at place.Place, p config.Project) error {
	if at.Server == nil && at.Branch == nil {
		return nil
	}
	if left, err := state.SerialOf(p.StateFolder()); err == nil && left == 0 {
		return nil
	}
	serial, err := at.SerialOf(ctx)
	if err == nil && serial == 0 {
		to := "database"
		if at.Branch != nil {
			to = "branch"
		}
		err = fmt.Errorf("%w of %s, and %s has one; move it: adsync state copy folder %s",
			state.ErrNone, at, p.StateFolder(), to)
	}
	return err
}

// EnvKeyLag is how long the service may need to know the key of a create.
const EnvKeyLag = "ADSYNC_KEY_LAG"

// keyLag is the operator's; the emulator in this process knows a key at once.
func keyLag(env *Env, p config.Project) (time.Duration, error) {
	text := env.Getenv(EnvKeyLag)
	if text == "" {
		if service, err := Service(env, p); err == nil && service.Emulated {
			return atOnce, nil
		}
		return 0, nil
	}
	lag, err := time.ParseDuration(text)
	switch {
	case err != nil || lag < 0 || lag > mostKeyLag:
		return 0, console.Configuration("%s is %q; want a time from 0s to %s, such as 60s", EnvKeyLag, text, mostKeyLag)
	case lag == 0:
		return atOnce, nil
	}
	return lag, nil
}

const (
	atOnce     = -1 // in adsapi.Config 0 is the default
	mostKeyLag = 10 * time.Minute
)

// EnvOpenPoints is how the service of `service: emulator` behaves beside the
// profile published, such as profile:hostile,bulk_duration=0s.
const EnvOpenPoints = "ADSYNC_OPEN_POINTS"

// EmulatorKey opens nothing but the emulator in this process.
const EmulatorKey = "emulator-in-process"

// Middleware gives what is asked in the place of a service.
type Middleware func(service http.Handler) http.Handler

// serveEmulator runs the service itself in this process, on a loopback port of
// its own, with its data below the project's state folder.
func serveEmulator(env *Env, s *Session, p config.Project) (string, error) {
	account := emulator.Account{
		ID: p.Account.ID, Name: "Emulated account", Currency: p.Account.Currency, TimeZone: p.Account.TimeZone,
		Key: EmulatorKey, Features: emulator.AllFeatures(),
	}
	if account.ID == "" || account.Currency == "" || account.TimeZone == "" {
		return "", console.Configuration("service: emulator needs account: {id, currency, timezone} in adsync.yaml")
	}
	points, err := emulator.ParseOpenPoints("profile:" + emulator.Published + "," + env.Getenv(EnvOpenPoints))
	if err != nil {
		return "", console.Configuration("%s: %v", EnvOpenPoints, err)
	}
	server, err := emulator.Open(emulator.Options{
		Dir: filepath.Join(p.StateFolder(), "emulator"), Accounts: []emulator.Account{account}, OpenPoints: points,
	})
	if err != nil {
		return "", fmt.Errorf("start the emulator: %w", err)
	}
	s.close = append(s.close, func() { Closed(env, "emulator", server.Close()) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("start the emulator: %w", err)
	}
	line := &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second}
	if env.Middleware != nil {
		line.Handler = env.Middleware(server)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = line.Serve(listener) // ends with ErrServerClosed, by the function below
	}()
	s.close = append(s.close, func() { Closed(env, "emulator", line.Close()); <-done })
	return "http://" + listener.Addr().String() + "/v1", nil
}

// bulkOf is how the project wants bulk jobs used; auto is the zero value.
func bulkOf(b config.Bulk) reconcile.Bulk {
	bulk := reconcile.Bulk{NeverRepeat: b.RepeatParent.Value == "never"}
	if b.Rehearse.Value != "auto" {
		bulk.Preflight = reconcile.Preflight(b.Rehearse.Value)
	}
	return bulk
}

// imageReader opens the file behind the canonical value of an image.
func imageReader(l Loaded) func(string) (string, []byte, error) {
	return func(source string) (string, []byte, error) { return l.Desired.ReadImage(l.Project, source) }
}

// peopleReader makes the list behind the canonical value of a members file
// again.
func peopleReader(l Loaded) func(string) (reconcile.People, error) {
	return func(digest string) (reconcile.People, error) {
		content, as, err := l.Desired.ReadPeople(l.Project, digest)
		return reconcile.People{Content: content, As: as}, err
	}
}

// givenIDs are the ids people wrote into the files.
func givenIDs(l Loaded) map[resource.Address]string {
	given := map[resource.Address]string{}
	for r := range l.Desired.Whole().All() {
		if r.ID != "" {
			given[r.Address] = r.ID
		}
	}
	return given
}
