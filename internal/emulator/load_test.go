package emulator_test

import (
	"fmt"
	"sync"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// TestManyClientsKeepTheRules sends creates under few keys from many clients:
// each key makes one object, the account's limit holds, and the log agrees.
// EMULATOR_TEST_CLIENTS sets how many.
func TestManyClientsKeepTheRules(t *testing.T) {
	const keys, limit = 10, 25
	clients := count(t, "EMULATOR_TEST_CLIENTS", 40)
	s := emulatortest.Start(t, func(o *emulator.Options) {
		o.Dir = t.TempDir()
		o.Accounts[0].Features.MaxCampaigns = limit
	})
	var mu sync.Mutex
	made := map[string]map[string]bool{}
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for i := range keys {
				key := fmt.Sprint("k", (client+i)%keys)
				got := s.Do(t, "POST", "/campaigns", emulatortest.CampaignBody("Of "+key), "Idempotency-Key", key)
				if got.Status != 200 {
					t.Errorf("create under %s = %d %s", key, got.Status, got.Body)
					return
				}
				mu.Lock()
				if made[key] == nil {
					made[key] = map[string]bool{}
				}
				made[key][got.ID(t)] = true
				mu.Unlock()
				s.Do(t, "POST", "/campaigns", emulatortest.CampaignBody("Without a key"))
				s.Must(t, "GET", "/campaigns?limit=500", nil)
			}
		})
	}
	all.Wait()
	for key, ids := range made {
		if len(ids) != 1 {
			t.Errorf("key %s made %d campaigns, want 1", key, len(ids))
		}
	}
	a := s.World().Account(emulatortest.AccountID)
	checkNothingLostInMemory(t, s.Server, limit)
	if n := a.LiveCampaign.Count("active", "paused"); n != limit {
		t.Errorf("the account has %d campaigns, want its limit of %d", n, limit)
	}
}

func checkNothingLostInMemory(t *testing.T, s *emulator.Server, want int) {
	t.Helper()
	log, err := s.World().Mutations(0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if len(log) != want {
		t.Errorf("the log has %d creates, want %d", len(log), want)
	}
	for i, m := range log {
		if m.Seq != int64(i)+1 {
			t.Errorf("entry %d has seq %d", i, m.Seq)
		}
	}
}

// BenchmarkBulkCreates is 1,000 creates in one job on a durable store.
func BenchmarkBulkCreates(b *testing.B) {
	s := emulatortest.Start(b, func(o *emulator.Options) {
		o.Dir = b.TempDir()
		f := &o.Accounts[0].Features
		f.MaxCampaigns, f.MaxAdGroups, f.MaxAds = 1<<30, 1<<30, 1<<30
	})
	for n := 0; b.Loop(); n++ {
		var ops []object
		for i := range 1000 {
			ops = append(ops, campaignOp(fmt.Sprintf("k %d %d", n, i)))
		}
		id := s.Must(b, "POST", "/bulk_mutation_jobs", job(ops...)).ID(b)
		if got := s.JobEnd(b, id)["status"]; got != "completed" {
			b.Fatalf("job is %v", got)
		}
	}
}

// BenchmarkListOf500 is one page of 500 of 5,000 campaigns.
func BenchmarkListOf500(b *testing.B) {
	s := emulatortest.Start(b)
	for n := range 5 {
		var ops []object
		for i := range 1000 {
			ops = append(ops, campaignOp(fmt.Sprintf("k %d %d", n, i)))
		}
		s.JobEnd(b, s.Must(b, "POST", "/bulk_mutation_jobs", job(ops...)).ID(b))
	}
	for b.Loop() {
		s.Must(b, "GET", "/campaigns?limit=500", nil)
	}
}
