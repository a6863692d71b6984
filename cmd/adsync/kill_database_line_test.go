package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"adsync/cmd/adsync/internal/session"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// A process whose line to the database breaks once it has changed something, or says nothing any more for longer than a
// lease, ends without success; another that reaches the database goes on meanwhile, and makes nothing twice.
func TestALineToTheDatabaseThatIsSick(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 26)
	server := fmt.Sprintf("127.0.0.1:%d", f.server.Port)
	for n, row := range []struct {
		name, toxics string
		done         bool
	}{
		{"slow", `{"type": "latency", "attributes": {"latency": 10, "jitter": 5}}`, true},
		{"cut", `{"type": "reset_peer"}`, false},
		{"silent", `{"name": "to", "type": "timeout", "stream": "upstream"} {"name": "from", "type": "timeout"}`, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			f.populate(1000 + n)
			f.accounts = f.accounts[:1]
			h := f.accounts[0]
			line := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
				"database", "127.0.0.1:0", server)
			noError(t, line.Start())
			t.Cleanup(line.Stop)
			sick := make(chan struct{})
			var once sync.Once
			before := &executioner{emulator: h.before.emulator, strike: func(*os.Process) error {
				defer once.Do(func() { close(sick) })
				for _, toxic := range strings.SplitAfter(row.toxics, "} ") {
					if _, err := line.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
						t.Errorf("toxic %s: %v", toxic, err)
					}
				}
				return nil
			}}
			service := httptest.NewServer(before)
			defer service.Close()
			c, said := f.command(h, "apply", "--yes")
			c.Env = append(c.Env, session.EnvBaseURL+"="+service.URL+"/v1",
				"ADSYNC_DATABASE="+strings.Replace(f.server.URL("adsync"), server, line.Listen, 1))
			noError(t, before.start(c, moment{changing: true, edge: afterAnswer}))
			<-sick
			if !row.done {
				other, text := f.command(h, "apply", "--yes")
				if err := other.Run(); err != nil {
					t.Errorf("apply of another = %v; want it to go on once the lease has ended\n%s", err, text)
				}
				line.Stop() // so that a silent one ends before its patience does
			}
			err := c.Wait()
			f.ended(c, said.String())
			if done := err == nil; done != row.done {
				t.Errorf("apply ended with %v; want done %t\n%s", err, row.done, said)
			}
			f.judge()
		})
	}
	t.Log(perKind(f.codes))
}
