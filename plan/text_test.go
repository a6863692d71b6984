package plan_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// quarter is a plan with a little of everything.
func quarter(t testing.TB) *plan.Plan {
	live := `
		campaign/brand#cmpn_1 name=Brand status=active budget.daily=120 description=ours targeting.countries=US
		ad_group/brand/loyal#adgrp_1 name=Loyal status=active bid.max=1 context_hints=people_who_run|people_who_walk
		ad/brand/loyal/hero#ad_1 name=Hero title=Shoes_for_mud body=Light target_url=https://a.example/ image=https://a.example/a.png status=active
		campaign/dark#cmpn_2 name=Dark status=active bidding_type=clicks budget.daily=30
		campaign/gone#cmpn_3 name=Gone status=active
		ad_group/gone/r#adgrp_3 name=Runners status=active
		campaign/left#cmpn_4 name=Left status=paused
		campaign/over#cmpn_5 name=Over status=paused
		ad_group/quiet/r#adgrp_6 name=Quiet bid.max=2
		campaign/quiet#cmpn_6 name=Quiet`
	last := live
	live = strings.Replace(live, "description=ours", "description=theirs", 1)
	live = strings.Replace(live, "name=Gone status=active", "name=Gone status=archived", 1)
	live = strings.Replace(live, "name=Dark status=active", "name=Dark status=paused", 1)
	live += "\ncampaign/~cmpn_9#cmpn_9 name=Theirs status=active budget.daily=10\ncampaign/sale#cmpn_7 name=Sale status=paused budget.lifetime=500"
	last = strings.Replace(last, "name=Over status=paused", "name=Over status=paused description=same", 1)
	desired := `
		campaign/brand budget.daily=160 description=ours targeting.countries=US|CA
		ad_group/brand/loyal bid.max=1.50 context_hints=people_who_run|people_who_climb
		ad/brand/loyal/hero title=Shoes_for_rain
		campaign/dark status=active bidding_type=impressions budget.daily=200
		campaign/gone name=Gone
		ad_group/gone/r name=Runners
		campaign/over status=archived
		campaign/sale name=Sale budget.lifetime=500
		ad_group/quiet/r bid.max=1
		campaign/quiet name=Quiet` + strings.ReplaceAll(newTree, "/x", "/spring")
	return plan.Diff(plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(),
		Last: snapshot(t, last), Desired: written(snapshot(t, desired)), Live: snapshot(t, live)})
}

func text(t testing.TB, p *plan.Plan, o plan.TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := plan.WriteText(&b, p, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteText(t *testing.T) {
	golden(t, "quarter.txt", []byte(text(t, quarter(t), plan.TextOptions{Currency: "USD"})))
}

func TestDocument(t *testing.T) {
	document, err := json.MarshalIndent(quarter(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "quarter.json", append(document, '\n'))
}

func TestTextIsSafeOnATerminal(t *testing.T) {
	hostile := "Sale\x1b[2J\u202e\r\nPlan: 0"
	live, desired := &resource.Snapshot{}, &resource.Snapshot{}
	live.Add(&resource.Resource{Address: resource.Address{Kind: kinds.Campaign, Key: "x"}, ID: "c\x1b[1m", Attributes: resource.Attributes{{Name: "description", Value: resource.Text(hostile)}}})
	desired.Add(&resource.Resource{Address: resource.Address{Kind: kinds.Campaign, Key: "x"}, Position: diag.Position{File: "a\x1b.yaml", Line: 1},
		Attributes: resource.Attributes{{Name: "description", Value: resource.Text(hostile + "!")}, {Name: "name", Value: resource.Text(hostile)}}})
	p := plan.Diff(plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Last: live, Desired: desired, Live: live})
	for _, line := range strings.Split(text(t, p, plan.TextOptions{}), "\n") {
		if diag.HasHidden(line) {
			t.Errorf("line holds what cannot be seen: %q", line)
		}
	}
}

func TestColorIsOnlyOnSymbols(t *testing.T) {
	p := quarter(t)
	plain, colored := text(t, p, plan.TextOptions{}), text(t, p, plan.TextOptions{Color: true})
	if plain == colored {
		t.Fatal("color changes nothing")
	}
	for _, code := range []string{"\x1b[0m", "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[36m", "\x1b[1;31m", "\x1b[35m", "\x1b[2m"} {
		colored = strings.ReplaceAll(colored, code, "")
	}
	if d := cmp.Diff(plain, colored); d != "" {
		t.Errorf("colored without its codes (-want +got):\n%s", d)
	}
}

func TestALargeTreeIsListedWithoutItsAttributes(t *testing.T) {
	got := text(t, diff(t, "", largeTree(400), ""), plan.TextOptions{})
	for i := range 400 {
		if want := fmt.Sprintf("+ create ad/x/r/a%d \"", i); !strings.Contains(got, want) {
			t.Fatalf("text lacks %q", want)
		}
	}
	if !strings.Contains(got, "attributes, all in -o json") || strings.Contains(got, "target_url") {
		t.Errorf("attributes of 402 creates are not folded, or not said to be:\n%.600s", got)
	}
}

func TestWhatIsNotListedIsSaid(t *testing.T) {
	got := text(t, diff(t, "", largeTree(40), ""), plan.TextOptions{Limit: 10})
	if want := "Not listed, without hazard and not held: create ad 32. Every one is in -o json."; !strings.Contains(got, want) {
		t.Errorf("text lacks %q:\n%s", want, got)
	}
	got = text(t, diff(t, "", strings.Replace(largeTree(40), "budget.daily=5", "", 1), ""), plan.TextOptions{Limit: 10})
	if strings.Contains(got, "Not listed") || !strings.Contains(got, "ad/x/r/a39 ") {
		t.Errorf("what is held is not listed whole:\n%s", got)
	}
}

func largeTree(ads int) string {
	var b strings.Builder
	b.WriteString("campaign/x name=Spring bidding_type=clicks budget.daily=5\nad_group/x/r name=Runners\n")
	for i := range ads {
		fmt.Fprintf(&b, "ad/x/r/a%d name=Hero_%d %s\n", i, i, ad)
	}
	return b.String()
}

func TestALongTextIsCutWhereItDiffers(t *testing.T) {
	same := strings.Repeat("same_", 40)
	p := diff(t, "campaign/x#1 description="+same+"first", "campaign/x description="+same+"second", "campaign/x#1 description="+same+"first")
	got := text(t, p, plan.TextOptions{})
	if !strings.Contains(got, `first" (207 characters)`) || !strings.Contains(got, `second" (208 characters)`) {
		t.Errorf("the cut hides the difference:\n%s", got)
	}
}
