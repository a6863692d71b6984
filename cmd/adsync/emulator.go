package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"adsync/internal/emulator"

	"github.com/spf13/cobra"
)

// emulatorFlags are those of the emulator.
type emulatorFlags struct {
	listen  string
	data    string
	memory  bool
	account emulator.Account
}

func (a *app) emulator() *cobra.Command {
	var f emulatorFlags
	c := &cobra.Command{
		Use:   "emulator",
		Short: "Serve the advertising service on this machine, for trying and testing",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return a.runEmulator(c, f) },
	}
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8484", "loopback address to serve on; port 0 takes a free one")
	c.Flags().StringVar(&f.data, "data", ".adsync/emulator", "data folder")
	c.Flags().BoolVar(&f.memory, "memory", false, "keep nothing")
	c.Flags().StringVar(&f.account.ID, "account", "adacct_emulator", "id of the seeded account")
	c.Flags().StringVar(&f.account.Currency, "currency", "USD", "currency of the seeded account")
	c.Flags().StringVar(&f.account.TimeZone, "timezone", "UTC", "time zone of the seeded account")
	c.Flags().StringVar(&f.account.Key, "key", "sk-emulator", "API key of the seeded account")
	return c
}

func (a *app) runEmulator(c *cobra.Command, f emulatorFlags) error {
	if err := loopbackOnly(f.listen); err != nil {
		return usage(c, err)
	}
	if f.memory {
		f.data = ""
	} else if err := os.MkdirAll(f.data, 0o700); err != nil {
		return configuration("--data: %v", err)
	}
	f.account.Name, f.account.Features = "Emulated account", emulator.AllFeatures()
	server, err := emulator.Open(emulator.Options{Dir: f.data, Accounts: []emulator.Account{f.account}})
	if err != nil {
		return configuration("start the emulator: %v", err)
	}
	defer func() { a.closed("emulator", server.Close()) }()
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return configuration("--listen: %v", err)
	}
	fmt.Fprintf(a.out, "%s=http://%s/v1\n%s=%s\n", envBaseURL, listener.Addr(), envKey, f.account.Key)
	return serve(c.Context(), server, listener)
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
