package console

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os/exec"
	"runtime"
	"time"
)

// opensWith is the program that opens an address in the person's browser, by system, and
// what stands before the address.
func opensWith(system string) []string {
	switch system {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open"}
}

// Browser returns what opens addresses in the person's browser, or why nothing here does.
func Browser() (open func(address string) error, err error) {
	with := opensWith(runtime.GOOS)
	program, err := exec.LookPath(with[0])
	if err != nil {
		return nil, fmt.Errorf("%s is not here, which opens a browser; open the addresses yourself", with[0])
	}
	return func(address string) error { return openWith(program, with[1:], address) }, nil
}

// opensWithin is how long the program is waited for. Some return once the browser has the
// address, some when the browser ends.
const opensWithin = 3 * time.Second

// opens reports whether an address is one to hand to a browser: of https, or of this machine.
func opens(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && err == nil && ip.IsLoopback()
}

// openWith hands an address to a program, and no shell reads it.
func openWith(program string, first []string, address string) error {
	if !opens(address) {
		return errors.New("not opened: it is no https address")
	}
	c := exec.Command(program, append(first, address)...)
	if err := c.Start(); err != nil {
		return fmt.Errorf("not opened: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("not opened: %s: %w", c.Args[0], err)
		}
	case <-time.After(opensWithin):
	}
	return nil
}
