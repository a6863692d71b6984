package emulator_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// tracked is an account with templates at every level: k names the level, and
// each has a parameter of its own.
func tracked(t *testing.T, now time.Time, campaign object) (*emulatortest.Service, string) {
	t.Helper()
	s := emulatortest.Start(t, func(o *emulator.Options) { o.Now = func() time.Time { return now } })
	level := func(body object, name string) object {
		return with(body, "landing_page_configuration", object{
			"query_string_template": "k=" + name + "&" + name + "={ad_id}",
		})
	}
	s.Must(t, "POST", "/_emulator/tracking", object{
		"account_id": emulatortest.AccountID, "query_string_template": "k=account&account=1",
	})
	body := level(emulatortest.CampaignBody("Tracked"), "campaign")
	for name, value := range campaign {
		body[name] = value
	}
	c := s.Must(t, "POST", "/campaigns", body).ID(t)
	g := s.Must(t, "POST", "/ad_groups", level(emulatortest.AdGroupBody(c, "Tracked"), "ad_group")).ID(t)
	creative := object{"type": "product_ad_template", "title": "{{product.title}}", "body": "{{product.body}}"}
	if campaign == nil {
		creative = emulatortest.CreativeBody(s.File(t))
	}
	return s, s.Must(t, "POST",
		"/ads", with(level(emulatortest.AdBody(g, "Tracked", ""), "ad"), "creative", creative)).ID(t)
}

func finalURL(t *testing.T, s *emulatortest.Service, query ...string) url.Values {
	t.Helper()
	r := s.Must(t, "GET", "/_emulator/final_url?"+queryOf(query...), nil).Map(t)
	u, err := url.Parse(fmt.Sprint(r["final_url"]))
	if err != nil || len(r["steps"].([]any)) != 5 {
		t.Fatalf("final_url = %v, want an address in five steps", r)
	}
	return u.Query()
}

var (
	productFeed  = object{"mode": "product_feed", "product_feed_id": "fd_test"}
	beforeLegacy = time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC)
)

func TestFinalURLsOfAds(t *testing.T) {
	s, ad := tracked(t, beforeLegacy, nil)
	got := finalURL(t, s, "ad_id", ad, "oppref", "click 1")
	if got.Get("k") != "ad" || got.Get("account") != "1" || got.Get("campaign") != ad || got.Get("ad_group") != ad {
		t.Errorf("part 2, tracking rules 1 to 3: %v, want the ad's k and a parameter of each level", got)
	}
	expect(t, "unknown ad", s.Do(t, "GET", "/_emulator/final_url?ad_id=ad_x", nil), refusal{404, "not_found", ""})
	expect(t, "no ad", s.Do(t, "GET", "/_emulator/final_url", nil), bad("missing_required_parameter", "ad_id"))
}

func TestFinalURLsOfProducts(t *testing.T) {
	s, ad := tracked(t, beforeLegacy, productFeed)
	const address = "https://shop.example.com/p/1?k=feed&utm_source=feed&size=9"
	got := finalURL(t, s, "ad_id", ad, "feed_url", address)
	if got.Get("k") != "ad" || got.Get("utm_source") != "feed" || got.Get("size") != "9" || got.Get("ad") != ad {
		t.Errorf("part 2, tracking rules 4 and 7: %v, want the ad's k, the feed's utm_source and size", got)
	}
	if got := finalURL(t, s, "ad_id", ad); got.Get("colour") == "" || got.Get("k") != "ad" {
		t.Errorf("without feed_url: %v, want the parameters of a product of the feed", got)
	}
	got = finalURL(t, s, "ad_id", ad, "feed_url", address, "mode", "legacy")
	if got.Get("k") != "feed" || got.Has("utm_source") || got.Get("size") != "9" {
		t.Errorf("part 2, tracking rule 5: %v, want the feed's k and no utm_source", got)
	}
}

func TestLegacyAccountsMigrate(t *testing.T) {
	s, ad := tracked(t, beforeLegacy, productFeed)
	const address = "https://shop.example.com/p/1?k=feed"
	mode := func(mode string) {
		s.Must(t, "POST", "/_emulator/tracking", object{"account_id": emulatortest.AccountID, "mode": mode})
	}
	winner := func() string { return finalURL(t, s, "ad_id", ad, "feed_url", address).Get("k") }
	mode("legacy")
	if got := winner(); got != "feed" {
		t.Errorf("part 2, tracking rule 6: a Legacy account on 5 November has k=%s, want feed", got)
	}
	mode("new")
	if got := winner(); got != "ad" {
		t.Errorf("part 2, tracking rule 6: an account that opted in has k=%s, want ad", got)
	}
	mode("legacy")
	s.Advance(t, 86_400)
	if got := winner(); got != "ad" {
		t.Errorf("part 2, tracking rule 6: a Legacy account after 5 November has k=%s, want ad", got)
	}
	s.Must(t, "POST", "/_emulator/open_points", object{"legacy_tracking_after_deadline": "kept"})
	if got := winner(); got != "feed" {
		t.Errorf("open point legacy_tracking_after_deadline=kept: k=%s, want feed", got)
	}
}
