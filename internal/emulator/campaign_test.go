package emulator_test

import (
	"testing"

	"adsync/internal/emulator/emulatortest"
)

func TestTreeIsMadeReadAndChanged(t *testing.T) {
	s := emulatortest.Start(t)
	c := s.Campaign(t, "Spring")
	g := s.AdGroup(t, c, "Runners")
	d := s.Ad(t, g, "Hero")
	t.Log(string(s.Must(t, "GET", "/campaigns/"+c+"?include[]=serving_issues", nil).Body))
	t.Log(string(s.Must(t, "GET", "/ad_groups?campaign_id="+c, nil).Body))
	t.Log(string(s.Must(t, "GET", "/ads/"+d, nil).Body))
	s.Advance(t, 61)
	t.Log(string(s.Must(t, "POST", "/ads/"+d+"/activate", nil).Body))
	t.Log(string(s.Must(t, "GET", "/_emulator/mutations", nil).Body))
	t.Log(string(s.Do(t, "POST", "/campaigns/"+c, `{"nme":"x"}`).Body))
}
