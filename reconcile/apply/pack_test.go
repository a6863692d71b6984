package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/live"
	"adsync/reconcile/wire"

	"pgregory.net/rapid"
)

// B15: whatever is packed, every job obeys every limit, no unit is torn but at
// its end, and nothing is lost or doubled.
func TestPackedJobsObeyEveryLimit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		units := drawUnits(rt)
		jobs := wire.Pack(units, wire.Room{Operations: wire.MaxOperations, Bytes: wire.MaxBodyBytes})
		seen := map[string]int{}
		for _, job := range jobs {
			if len(job) == 0 || len(job) > wire.MaxOperations {
				rt.Fatalf("a job has %d operations; want 1 to %d", len(job), wire.MaxOperations)
			}
			if job.Bytes() > wire.MaxBodyBytes {
				rt.Fatalf("a job has %d bytes; want at most %d", job.Bytes(), wire.MaxBodyBytes)
			}
			for _, p := range job {
				seen[p.ID]++
			}
		}
		for u, unit := range units {
			jobOf := jobHolding(jobs, unit[0].ID)
			for i, p := range unit {
				if seen[p.ID] != 1 {
					rt.Fatalf("operation %s came out %d times; want once", p.ID, seen[p.ID])
				}
				if j := jobHolding(jobs, p.ID); j >= 0 && j != jobOf {
					rt.Fatalf("unit %d is torn: operation %d stands in job %d, its root in job %d", u, i, j, jobOf)
				}
			}
		}
	})
}

func drawUnits(rt *rapid.T) []wire.Batch {
	shape := rapid.SampledFrom([]struct{ bytes, most int }{{20, 1000},
		{30_000, 500}, {wire.MaxOperationBytes - 2, 31}}).Draw(rt, "bytes and most operations")
	sizes := rapid.SliceOfN(rapid.IntRange(1, shape.most), 1, 6).Draw(rt, "operations of each unit")
	bytes := shape.bytes
	raw := json.RawMessage(`"` + strings.Repeat("x", bytes) + `"`)
	units := make([]wire.Batch, len(sizes))
	for u, size := range sizes {
		for i := range size {
			units[u] = append(units[u], wire.Packed{ID: fmt.Sprintf("%d/%d", u, i), JSON: raw})
		}
	}
	return units
}

func jobHolding(jobs []wire.Batch, id string) int {
	for j, job := range jobs {
		for _, p := range job {
			if p.ID == id {
				return j
			}
		}
	}
	return -1
}

// The bytes that are counted are at least those that are sent.
func TestCountedBytesCoverTheBody(t *testing.T) {
	job := wire.Batch{{JSON: json.RawMessage(`{"a":1}`)}, {JSON: json.RawMessage(`{"b":2}`)}}
	for _, validateOnly := range []bool{false, true} {
		body, err := job.Body(validateOnly)
		if err != nil {
			t.Fatal(err)
		}
		if len(body) > job.Bytes() {
			t.Errorf("a body of %d bytes was counted as %d", len(body), job.Bytes())
		}
	}
}

// performance.md: 5,000 trees of three are 16 jobs, 1,000 trees of seven are 7.
func TestJobsAreAsFewAsTheLimitAllows(t *testing.T) {
	for _, row := range []struct{ trees, size, want int }{{5000, 3, 16},
		{1000, 11, 12}, {10, 501, 10}, {2, 500, 1}, {1000, 1, 1}, {1001, 1, 2}} {
		units := make([]wire.Batch, row.trees)
		for u := range units {
			for range row.size {
				units[u] = append(units[u], wire.Packed{JSON: json.RawMessage(`{}`)})
			}
		}
		if jobs := wire.Pack(units,
			wire.Room{Operations: wire.MaxOperations, Bytes: wire.MaxBodyBytes}); len(jobs) != row.want {
			t.Errorf("%d trees of %d: %d jobs; want %d", row.trees, row.size, len(jobs), row.want)
		}
	}
}

func TestOperationOverTheLimitIsRefused(t *testing.T) {
	p := wire.Part{Change: &plan.Change{Address: resource.Address{Kind: "ad_group", Key: "a/b"}}}
	_, err := wire.EncodeOperation(p, wire.BulkOperation{
		Input: map[string]any{"context_hints": strings.Repeat("x", wire.MaxOperationBytes)},
	})
	if err == nil || !strings.Contains(err.Error(), "ad_group/a/b takes") {
		t.Errorf("operation of over 512 KiB: %v; want it refused by name", err)
	}
}

// A key names an account, an address and a life, and nothing else.
func TestCreateKeysNameAccountAddressAndLife(t *testing.T) {
	ad := resource.Address{Kind: "ad", Key: "spring/g/a"}
	key := wire.CreateKey("acct_1", ad, 1)
	if key != wire.CreateKey("acct_1", ad, 1) {
		t.Error("the same create has two keys")
	}
	for name, other := range map[string]string{
		"another account": wire.CreateKey("acct_2", ad, 1), "another life": wire.CreateKey("acct_1", ad, 2),
		"another address": wire.CreateKey("acct_1", resource.Address{Kind: "ad", Key: "spring/g/b"}, 1),
		"another kind":    wire.CreateKey("acct_1", resource.Address{Kind: "ad_group", Key: "spring/g/a"}, 1),
	} {
		if other == key {
			t.Errorf("%s has the same key %s", name, key)
		}
	}
	if wire.PreflightKey(key) == key || len(wire.PreflightKey(key)) > 255 {
		t.Errorf("a dry run has the key %s", wire.PreflightKey(key))
	}
}

// The keys of a preflight are longer than those of its jobs: what fits a job with the
// one and not with the other is left out of the preflight, with what is beneath it,
// and ends nothing.
func TestARehearsalLeavesOutWhatIsTooLargeForItAlone(t *testing.T) {
	group := resource.Address{Kind: "ad_group", Key: "a/b"}
	tree := []resource.Address{{Kind: "campaign", Key: "a"}, group, {Kind: "ad", Key: "a/b/c"}}
	r := newTestRun(&View{Live: &live.Live{Snapshot: &resource.Snapshot{}}})
	packedWith := func(hints int, key func(string) string) []resource.Address {
		keys := map[resource.Address]string{}
		var creates wire.Batch
		for i, address := range tree {
			keys[address] = key(wire.CreateKey("acct_1", address, 1))
			p := wire.Part{Change: &plan.Change{Address: address}, Create: true}
			if address == group {
				p.Fields = []plan.Field{{Name: "context_hints",
					Desired: resource.List([]string{strings.Repeat("x", hints)})}}
			}
			creates = append(creates, wire.Packed{Part: p, ID: fmt.Sprintf("c%d", i+1)})
		}
		whole, err := r.repack(creates, keys)
		if err != nil {
			t.Fatal(err)
		}
		var left []resource.Address
		for _, p := range whole {
			left = append(left, p.Part.Change.Address)
		}
		return left
	}
	own := func(key string) string { return key }
	most := sort.Search(wire.MaxOperationBytes, func(hints int) bool {
		return len(packedWith(hints, own)) < len(tree)
	}) - 1
	if whole := packedWith(most, own); len(whole) != len(tree) {
		t.Fatalf("with %d bytes of hints %v is packed; want all of it", most, whole)
	}
	if whole := packedWith(most, wire.PreflightKey); !slices.Equal(whole, tree[:1]) {
		t.Errorf("under keys of a rehearsal %v is packed; want the campaign alone", whole)
	}
	huge := wire.Part{
		Change: &plan.Change{Address: group}, Create: true, Fields: []plan.Field{{Name: "context_hints",
			Desired: resource.List([]string{strings.Repeat("x", wire.MaxOperationBytes)})}},
	}
	none := func(context.Context, wire.Batch) ([]diag.Problem, error) { return nil, errors.New("it is asked") }
	jobs := []wire.Batch{{{Part: huge, ID: "c1"}}}
	if problems, err := r.validateEach(t.Context(), jobs, nil, none); err != nil || len(problems) > 0 {
		t.Errorf("a job of which nothing is left: %v, %v; want nothing asked and nothing said", problems, err)
	}
}
