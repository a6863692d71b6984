package emulator_test

import (
	"testing"

	"adsync/internal/testing/emulatortest"
)

func TestVisibilityLag(t *testing.T) {
	s := emulatortest.Start(t, frozen)
	create := func() string {
		return s.Must(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"), "Idempotency-Key", "k").ID(t)
	}
	shown := func() int { return len(s.Must(t, "GET", "/campaigns", nil).Map(t)["data"].([]any)) }
	first := create()
	armed(t, s, `{}`, `{"visibility_lag":{"for":"30s"}}`)
	if n := shown(); n != 0 {
		t.Errorf("a list shows %d campaigns at once, want 0", n)
	}
	expect(t, "a create that is refused", s.Do(t, "POST", "/campaigns", `{}`, "Idempotency-Key", "k"),
		bad("missing_required_parameter", "name"))
	s.Advance(t, 30)
	if n, again := shown(), create(); n != 1 || again != first {
		t.Errorf("after the lag: %d campaigns and %s under the key, want 1 and %s", n, again, first)
	}
	s.Must(t, "DELETE", "/_emulator/faults", nil)
	armed(t, s, `{}`, `{"visibility_lag":{"for":"60s"}}`)
	if again := create(); again == first {
		t.Errorf("within the lag the key is known")
	}
}

func TestVisibilityLagOfOperationKeys(t *testing.T) {
	s := emulatortest.Start(t, frozen)
	campaign := func() any { return runBody(t, s, job(campaignOp("a")))[0]["resource_id"] }
	armed(t, s, `{"op_type":"campaign.create"}`, `{"visibility_lag":{"for":"30s"}}`)
	first, second := campaign(), campaign()
	s.Advance(t, 30)
	if third := campaign(); first == second || second != third {
		t.Errorf("the key of an operation gave %v, "+
			"within the lag %v, after it %v; want another one within, and that one after", first, second, third)
	}
}

func TestKeyTTL(t *testing.T) {
	s := emulatortest.Start(t, frozen)
	create := func() string {
		return s.Must(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"), "Idempotency-Key", "k").ID(t)
	}
	submit := func() string {
		return s.Must(t, "POST", "/bulk_mutation_jobs", job(campaignOp("a")), "Idempotency-Key", "j").ID(t)
	}
	armed(t, s, `{}`, `{"key_ttl":{"for":"30m"}}`)
	campaign, submitted := create(), submit()
	s.JobEnd(t, submitted)
	s.Advance(t, 1799)
	if create() != campaign || submit() != submitted {
		t.Error("a key is forgotten a second too early")
	}
	s.Advance(t, 1)
	if create() == campaign || submit() == submitted {
		t.Error("a key is known after its life")
	}
}
