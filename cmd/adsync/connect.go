package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/state"
)

// The operator's side of the configuration: addresses and credentials come from
// the environment and the operator's file, never from what is watched
// (design.md section 6).
const (
	envBaseURL    = "ADSYNC_BASE_URL"
	envKey        = "ADSYNC_API_KEY"
	envKeyFile    = "ADSYNC_API_KEY_FILE"
	envKeyCommand = "ADSYNC_API_KEY_COMMAND"
)

// ground is what carries requests and keeps the state. The zero ground is the
// system's; a simulation stands on another.
type ground struct {
	carry http.RoundTripper
	keep  func(state.Store) state.Store
}

// session is a project joined with its service and its state.
type session struct {
	agent *reconcile.Agent
	store state.Store
	close []func()
}

// end closes what the session opened, last first.
func (s *session) end() {
	for i := len(s.close) - 1; i >= 0; i-- {
		s.close[i]()
	}
}

// connect opens state and service. A reading session takes no lock, and its
// client cannot send a mutation.
func (a *app) connect(ctx context.Context, l loaded, readOnly bool) (*session, error) {
	s := &session{}
	if err := a.open(ctx, s, l, readOnly); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

func (a *app) open(ctx context.Context, s *session, l loaded, readOnly bool) error {
	return a.openAs(ctx, s, l, readOnly, readOnly)
}

// openAs opens the state and the service, each for reading only or not.
func (a *app) openAs(ctx context.Context, s *session, l loaded, readState, readOnly bool) (err error) {
	if s.store, err = a.openState(ctx, l.project, readState); err != nil {
		return err
	}
	s.close = append(s.close, func() { a.closed("state", s.store.Close()) })
	config := adsapi.Config{ReadOnly: readOnly}
	if !readOnly {
		config.Halt = a.halt(l.project)
	}
	client, err := a.dial(s, l.project, config)
	if err != nil {
		return err
	}
	if err := client.Halted(); err != nil {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	s.close = append(s.close, a.watchProgress(client.Left))
	s.agent = a.agentOf(l, s.store, client)
	if !readOnly {
		s.close = append(s.close, a.tellInFlight(ctx, s.agent))
	}
	return nil
}

// dial makes the client of the project's account. The session keeps open what it
// needs.
func (a *app) dial(s *session, p sources.Project, cfg adsapi.Config) (*adsapi.Client, error) {
	var err error
	if cfg.BaseURL, cfg.Key, err = a.address(s, p); err != nil {
		return nil, err
	}
	if a.heard != nil {
		a.heard(cfg.Key.Reveal())
	}
	if cfg.KeyLag, err = a.keyLag(p); err != nil {
		return nil, err
	}
	c := a.clock.orSystem()
	cfg.Address = a.addresses.of(cfg.BaseURL, c.now)
	cfg.UserAgent, cfg.Waiting, cfg.Now, cfg.Sleep, cfg.Transport = "adsync/"+release,
		a.waiting, c.now, c.sleep, a.ground.carry
	client, err := adsapi.New(cfg)
	if err != nil {
		return nil, configuration("%v", err)
	}
	return client, nil
}

// agentOf joins the files with a state and the service.
func (a *app) agentOf(l loaded, store state.Store, client *adsapi.Client) *reconcile.Agent {
	c, account := a.clock.orSystem(), l.project.Account
	return &reconcile.Agent{
		Service: client, Store: store, Schemas: l.schemas,
		Account: state.Account{
			ID: cmp.Or(account.ID, l.desired.WrittenFor), Currency: account.Currency, TimeZone: account.TimeZone,
		},
		Given:    givenIDs(l),
		Image:    imageReader(l),
		People:   peopleReader(l),
		Bulk:     bulkOf(l.project.Bulk),
		Progress: a.progress,
		Notice:   func(text string) { a.note("%s", text) },
		Logger:   slog.New(slog.DiscardHandler),
		Now:      c.now, Sleep: c.sleep, InFlight: &reconcile.InFlight{}, Crash: a.crashed,
	}
}

// waiting says why nothing moves for a while.
func (a *app) waiting(why string, wait time.Duration) {
	a.note("%s; waiting %s", why, wait.Round(time.Second))
}

func (a *app) closed(what string, err error) {
	if err != nil {
		a.note("close %s: %v", what, err)
	}
}

func (a *app) openState(ctx context.Context, p sources.Project, readOnly bool) (state.Store, error) {
	dir := p.StateFolder()
	if readOnly {
		return state.OpenReadOnly(ctx, dir)
	}
	store, err := state.Open(ctx, dir, state.Options{
		Sleep: func(d time.Duration) { _ = sleep(ctx, d) }, Command: a.command, Version: release,
	})
	if err == nil && a.ground.keep != nil {
		store = a.ground.keep(store)
	}
	return store, err
}

// envKeyLag is how long the service may need to know the key of a create.
const envKeyLag = "ADSYNC_KEY_LAG"

// keyLag is the operator's; the emulator in this process knows a key at once.
func (a *app) keyLag(p sources.Project) (time.Duration, error) {
	text := a.env(envKeyLag)
	if text == "" {
		if service, err := a.service(p); err == nil && service.emulated {
			return atOnce, nil
		}
		return 0, nil
	}
	lag, err := time.ParseDuration(text)
	switch {
	case err != nil || lag < 0 || lag > mostKeyLag:
		return 0, configuration("%s is %q; want a time from 0s to %s, such as 60s", envKeyLag, text, mostKeyLag)
	case lag == 0:
		return atOnce, nil
	}
	return lag, nil
}

const (
	atOnce     = -1 // in adsapi.Config 0 is the default
	mostKeyLag = 10 * time.Minute
)

// key reads the API key from the environment, from a file, or from a command's
// standard output.
func (a *app) key(p sources.Project) (adsapi.Secret, error) {
	if key := strings.TrimSpace(a.env(envKey)); key != "" {
		return adsapi.NewSecret(key), nil
	}
	if file := a.env(envKeyFile); file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return adsapi.Secret{}, configuration("%s: %v", envKeyFile, err)
		}
		return adsapi.NewSecret(string(bytes.TrimSpace(content))), nil
	}
	if command := a.env(envKeyCommand); command != "" {
		key, err := commandOutput(context.Background(), command, commandMost)
		if err != nil {
			return adsapi.Secret{}, configuration("%s failed: %v", envKeyCommand, err)
		}
		return adsapi.NewSecret(key), nil
	}
	o, _ := a.operator(p)
	return a.operatorKey(o)
}

// envOpenPoints is how the service of `service: emulator` behaves beside the
// profile published, such as profile:hostile,bulk_duration=0s.
const envOpenPoints = "ADSYNC_OPEN_POINTS"

// emulatorKey opens nothing but the emulator in this process.
const emulatorKey = "emulator-in-process"

// standIn gives what is asked in the place of a service.
type standIn func(service http.Handler) http.Handler

// serveEmulator runs the service itself in this process, on a loopback port of
// its own, with its data below the project's state folder.
func (a *app) serveEmulator(s *session, p sources.Project) (string, error) {
	account := emulator.Account{
		ID: p.Account.ID, Name: "Emulated account", Currency: p.Account.Currency, TimeZone: p.Account.TimeZone,
		Key: emulatorKey, Features: emulator.AllFeatures(),
	}
	if account.ID == "" || account.Currency == "" || account.TimeZone == "" {
		return "", configuration("service: emulator needs account: {id, currency, timezone} in adsync.yaml")
	}
	points, err := emulator.ParseOpenPoints("profile:" + emulator.Published + "," + a.env(envOpenPoints))
	if err != nil {
		return "", configuration("%s: %v", envOpenPoints, err)
	}
	server, err := emulator.Open(emulator.Options{
		Dir: filepath.Join(p.StateFolder(), "emulator"), Accounts: []emulator.Account{account}, OpenPoints: points,
	})
	if err != nil {
		return "", fmt.Errorf("start the emulator: %w", err)
	}
	s.close = append(s.close, func() { a.closed("emulator", server.Close()) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("start the emulator: %w", err)
	}
	line := &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second}
	if a.before != nil {
		line.Handler = a.before(server)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = line.Serve(listener) // ends with ErrServerClosed, by the function below
	}()
	s.close = append(s.close, func() { a.closed("emulator", line.Close()); <-done })
	return "http://" + listener.Addr().String() + "/v1", nil
}

// bulkOf is how the project wants bulk jobs used; auto is the zero value.
func bulkOf(b sources.Bulk) reconcile.Bulk {
	bulk := reconcile.Bulk{NeverRepeat: b.RepeatParent.Value == "never"}
	if b.Rehearse.Value != "auto" {
		bulk.Preflight = reconcile.Preflight(b.Rehearse.Value)
	}
	return bulk
}

// imageReader opens the file behind the canonical value of an image.
func imageReader(l loaded) func(string) (string, []byte, error) {
	return func(source string) (string, []byte, error) { return l.desired.ReadImage(l.project, source) }
}

// peopleReader makes the list behind the canonical value of a members file
// again.
func peopleReader(l loaded) func(string) (reconcile.People, error) {
	return func(digest string) (reconcile.People, error) {
		content, as, err := l.desired.ReadPeople(l.project, digest)
		return reconcile.People{Content: content, As: as}, err
	}
}

// givenIDs are the ids people wrote into the files.
func givenIDs(l loaded) map[resource.Address]string {
	given := map[resource.Address]string{}
	for r := range l.desired.Whole().All() {
		if r.ID != "" {
			given[r.Address] = r.ID
		}
	}
	return given
}

func (c clock) orSystem() clock {
	if c.now == nil {
		return clock{time.Now, sleep}
	}
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
