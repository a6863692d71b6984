package daemoncmd

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"adsync/internal/resource"
	"adsync/reconcile"
)

// What an apply does is said by the names that people gave, and how far it is by operations: one whose outcome is
// corrected counts once.
func TestWhatAnApplyDoesIsSaid(t *testing.T) {
	var said []string
	l := &lookedOn{tell: func(_ string, data map[string]any) {
		if text, is := data["says"].(string); is {
			said = append(said, text)
		}
	}}
	settled := func(wave, address, name string) reconcile.Event {
		at, _ := resource.ParseAddress(address)
		return reconcile.Event{
			Kind: reconcile.OpSettled, Wave: wave, Outcome: reconcile.Outcome{Address: at, Name: name},
		}
	}
	for _, e := range []reconcile.Event{
		{Kind: reconcile.RunCounted, Operations: 3},
		{Kind: reconcile.WaveStarted, Wave: "lower"},
		settled("lower", "campaign/boots", "Hiking Boots"),
		settled("lower", "campaign/boots", "Hiking Boots"),
		settled("raise", "campaign/boots", "Hiking Boots"),
		settled("raise", "campaign/hats", ""),
		settled("raise", "campaign/more", "More\x1b[31m"),
	} {
		l.happened(e)
	}
	want := []string{
		"applying 1 of 3: Hiking Boots", "applying 1 of 3: Hiking Boots", "applying 2 of 3: Hiking Boots",
		"applying 3 of 3: campaign/hats", `applying 4 of 4: More\x1b[31m`,
	}
	if diff := gocmp.Diff(want, said); diff != "" {
		t.Errorf("it is said (-want +got):\n%s", diff)
	}
}
