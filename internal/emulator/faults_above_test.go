package emulator_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// everyFault strikes now and then, each in its own way.
const everyFault = `{"seed": %d, "faults": [
	{"match":{"probability":0.1},"action":{"delay":{"for":"10s"}}},
	{"match":{"method":"POST","probability":0.1},"action":{"drop_before_commit":{}}},
	{"match":{"method":"POST","probability":0.1},"action":{"drop_after_commit":{}}},
	{"match":{"method":"POST","probability":0.2},"action":{"duplicate":{}}},
	{"match":{"method":"POST","times":1,"probability":0.3},"action":{"hold_until":{"step":"the end"}}},
	{"match":{"probability":0.1},"action":{"status":{"code":503,"retry_after":1}}},
	{"match":{"method":"POST","probability":0.1},"action":{"status":{"code":500,"commit":true}}},
	{"match":{"method":"GET","probability":0.2},"action":{"mutate_body":{"how":"truncate"}}},
	{"match":{"method":"GET","probability":0.2},"action":{"slow":{"bytes_per_second":100000}}},
	{"match":{"probability":0.3},"action":{"visibility_lag":{"for":"1m"}}},
	{"match":{"method":"POST","probability":0.2},"action":{"key_ttl":{"for":"2s"}}},
	{"match":{"probability":0.1},"action":{"job":{"do":"stuck"}}},
	{"match":{"probability":0.1},"action":{"job":{"do":"job_error"}}},
	{"match":{"op_type":"campaign.create","probability":0.2},"action":{"job":{"do":"fail_op"}}},
	{"match":{"op_type":"campaign.update","probability":0.2},"action":{"job":{"do":"skip"}}},
	{"match":{"method":"POST","path":"/campaigns","probability":0.3},"action":{"foreign_write":{"actor":"somebody","path":"/campaigns/{id}","patch":{"name":"Theirs"},"when":"after"}}},
	{"match":{"probability":0.1},"action":{"flip":{"what":"account"}}}
]}`

// TestFaultsStandAboveTheLog lets visitors loose under every fault at once. What
// they are told may be anything; what happened is whole and in the log.
func TestFaultsStandAboveTheLog(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) { o.Dir = t.TempDir() })
	s.Must(t, "POST", "/_emulator/faults", fmt.Sprintf(everyFault, 3))
	h := newHistory()
	theirs := sha256.Sum256([]byte(`{"name":"Theirs"}`))
	h.bodies[hex.EncodeToString(theirs[:])] = true
	var all sync.WaitGroup
	for client := range 8 {
		v := h.visit(s, 3, uint64(client))
		all.Go(func() { v.act(t, 60) })
	}
	driveUntil(t, s, &all)
	for _, f := range s.Faults().States() {
		if f.Fired == 0 {
			t.Errorf("%s never fired; it was matched %d times", f.Name, f.Matched)
		}
	}
	s.Must(t, "DELETE", "/_emulator/faults", nil)
	s.Advance(t, 3600)
	h.bad = nil
	checkRules(t, s, h)
	checkListsAreWhole(t, s)
}

// driveUntil moves the clock and releases what is held until the visitors are done.
func driveUntil(t *testing.T, s *emulatortest.Service, all *sync.WaitGroup) {
	t.Helper()
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		case <-time.After(5 * time.Millisecond):
			s.Advance(t, 1)
		}
		if i == 20 {
			s.Must(t, "POST", "/_emulator/faults/release", `{"step":"the end"}`)
		}
	}
}
