package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/emulator"

	"github.com/spf13/cobra"
)

// emulatorFlags are those of the emulator.
type emulatorFlags struct {
	listen  string
	data    string
	memory  bool
	account emulator.Account

	seedFile      string
	faults        string
	profile       string
	openPoints    string
	interfaceOnly bool
	reviewDelay   time.Duration
}

// accountFlags describe the one account that there is without a seed file.
var accountFlags = []string{"account", "currency", "timezone", "key"}

func emulatorCommand(env *session.Env) *cobra.Command {
	var f emulatorFlags
	c := &cobra.Command{
		Use:     "emulator",
		Short:   "Serve the advertising service on this machine, for trying and testing",
		Example: `  adsync emulator --listen 127.0.0.1:0`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runEmulator(env, c, f) },
	}
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8484", "loopback address to serve on; port 0 takes a free one")
	c.Flags().StringVar(&f.data, "data", ".adsync/emulator", "data folder")
	c.Flags().BoolVar(&f.memory, "memory", false, "keep nothing")
	c.Flags().StringVar(&f.account.ID, "account", "adacct_emulator", "id of the seeded account")
	c.Flags().StringVar(&f.account.Currency, "currency", "USD", "currency of the seeded account")
	c.Flags().StringVar(&f.account.TimeZone, "timezone", "UTC", "time zone of the seeded account")
	c.Flags().StringVar(&f.account.Key, "key", "sk-emulator", "API key of the seeded account")
	c.Flags().StringVar(&f.seedFile, "seed-file", "",
		"file of the accounts, users and OAuth clients to seed, instead of one account")
	c.Flags().StringVar(&f.faults, "faults", "",
		"file of faults to arm from the start (docs/develop/emulator-faults.md)")
	c.Flags().StringVar(&f.profile, "profile", emulator.Published,
		"how the service behaves where documents differ or are silent: interface, published, hostile")
	c.Flags().StringVar(&f.openPoints, "open-points", "", "beside the profile, "+
		"what to do where the interface is silent, such as random:7 or key_ttl=30m,list_archived=no")
	c.Flags().BoolVar(&f.interfaceOnly, "interface-only", false, "the same as --profile interface")
	c.MarkFlagsMutuallyExclusive("profile", "interface-only")
	c.Flags().DurationVar(&f.reviewDelay, "review-delay", time.Minute, "how long the review of an ad takes")
	return c
}

func runEmulator(env *session.Env, c *cobra.Command, f emulatorFlags) error {
	if err := loopbackOnly(f.listen); err != nil {
		return console.Usage(c, err)
	}
	for _, name := range accountFlags {
		if f.seedFile != "" && c.Flags().Changed(name) {
			return console.Usage(c, fmt.Errorf("--seed-file "+
				"has the accounts; --%s is for the one account that there is without it", name))
		}
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	server, err := emulator.Open(options)
	if err != nil {
		return console.Configuration("start the emulator: %v", err)
	}
	defer func() { session.Closed(env, "emulator", server.Close()) }()
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return console.Configuration("--listen: %v", err)
	}
	fmt.Fprintf(env.Out, "%s=http://%s/v1\n%s=%s\n",
		session.EnvBaseURL, listener.Addr(), session.EnvKey, options.Accounts[0].Key)
	// what faults hold back must not keep it from ending
	context.AfterFunc(c.Context(), func() { server.Faults().Close() })
	return serve(c.Context(), server, listener)
}

// options are what the flags and the files they name say.
func (f emulatorFlags) options() (o emulator.Options, err error) {
	f.account.Name, f.account.Features = "Emulated account", emulator.AllFeatures()
	o = emulator.Options{Accounts: []emulator.Account{f.account}}
	if f.interfaceOnly {
		f.profile = emulator.Interface
	}
	if o.OpenPoints, err = emulator.ParseOpenPoints("profile:" + f.profile); err != nil {
		return o, console.Configuration("--profile: %v", err)
	}
	if o.OpenPoints, err = emulator.ParseOpenPoints("profile:" + f.profile + "," + f.openPoints); err != nil {
		return o, console.Configuration("--open-points: %v", err)
	}
	if f.reviewDelay < 0 {
		return o, console.Configuration("--review-delay is %s; want 0s or more", f.reviewDelay)
	}
	o.Review.Delay = max(f.reviewDelay, time.Nanosecond) // a delay of 0 would be the usual one
	if f.seedFile != "" {
		seeds, err := readFile(f.seedFile, emulator.ReadSeed)
		if err != nil {
			return o, console.Configuration("--seed-file: %v", err)
		}
		seeds.Into(&o)
	}
	if f.faults != "" {
		if o.Faults, err = readFile(f.faults, emulator.ReadFaults); err != nil {
			return o, console.Configuration("--faults: %v", err)
		}
	}
	if f.memory {
		return o, nil
	}
	o.Dir = f.data
	if err := os.MkdirAll(f.data, 0o700); err != nil {
		return o, console.Configuration("--data: %v", err)
	}
	return o, nil
}

// readFile gives an open file to a reader.
func readFile[T any](name string, read func(io.Reader) (T, error)) (T, error) {
	file, err := os.Open(name)
	if err != nil {
		var none T
		return none, err
	}
	defer file.Close()
	return read(file)
}

// serve answers until the context ends, then lets requests under way finish.
func serve(ctx context.Context, handler http.Handler, listener net.Listener) error {
	line := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		stopped <- line.Shutdown(grace)
	})
	err := line.Serve(listener)
	if !stop() && errors.Is(err, http.ErrServerClosed) {
		return <-stopped
	}
	return err
}

// loopbackOnly refuses to show the emulator to other machines: it has keys and
// controls that are nobody else's.
func loopbackOnly(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen is %q; want an address such as 127.0.0.1:8484", address)
	}
	ip := net.ParseIP(host)
	if host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("--listen is %q; want a loopback address", address)
}
