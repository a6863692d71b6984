package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/orders"
)

// TestStopAtEveryRequest puts a file STOP while the real binary waits for the
// answer of each request that changes something: it sends nothing more, ends with 6
// and a whole report, names the file, and goes on once it is gone.
func TestStopAtEveryRequest(t *testing.T) {
	h, d := disturbed(t)
	d.expect(-1, nil)
	h.finish()
	moments := d.since()
	moments = moments[:len(moments)-1] // after the last nothing is left to stop
	for i, at := range moments {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			h, d := disturbed(t)
			path := filepath.Join(h.dir, ".adsync", orders.StopName)
			d.expect(at, func() { noError(t, os.WriteFile(path, []byte("the landing page is down"), 0o600)) })
			said := listenFor("\x00")
			c, out := h.started(said, "apply", "--yes", "-o", "json")
			_ = c.Wait()
			if code := c.ProcessState.ExitCode(); code != console.ExitRefused ||
				!strings.Contains(said.String(), ".adsync/STOP lies there: nothing is sent until it is taken away") {
				t.Fatalf("STOP at request %d: code %d; want %d, and the file\n%s", at, code, console.ExitRefused, said)
			}
			if sent := len(d.since()); sent != i+1 {
				t.Errorf("%d requests change something; want %d, and none after STOP", sent, i+1)
			}
			if !bytes.Contains(out.Bytes(), []byte(`"exit": 6`)) ||
				!bytes.HasSuffix(bytes.TrimSpace(out.Bytes()), []byte("}")) {
				t.Errorf("the report is not whole:\n%s", out)
			}
			noError(t, os.Remove(path))
			h.calm(d)
		})
	}
}
