package reconcile_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/emulator/emulatortest"
)

// listForms are the published forms of the lists of ad groups and ads, and what is
// open beside them.
func listForms() (forms []string) {
	unknown := []string{"404", "400", "empty"}
	for _, ads := range []string{"account", "by_ad_group", "absent", "not_allowed"} {
		for _, groups := range []string{"account", "by_campaign"} {
			for _, without := range []string{"400", "422", "404", "empty"} {
				for _, echoed := range []string{"yes", "no"} {
					forms = append(forms, fmt.Sprintf("list_ads=%s,list_ad_groups=%s,list_without_parent=%s,parent_id_echoed=%s,list_of_unknown_parent=%s",
						ads, groups, without, echoed, unknown[len(forms)%len(unknown)]))
				}
			}
		}
	}
	return forms
}

// Whatever the lists want to be asked with, and whatever the service
// makes of what was sent, the plan after an apply is empty.
func TestTheSecondPlanIsEmptyWhateverListsWant(t *testing.T) {
	const normalising = ",normalise_names=trimmed,normalise_arrays=sorted,normalise_url_host=lowered,normalise_empty_lists=dropped,normalise_description=empty"
	for _, form := range listForms() {
		for _, route := range []string{"bulk", "single"} {
			t.Run(strings.ReplaceAll(form, ",", " ")+" "+route, func(t *testing.T) {
				w := newWorld(t, emulatortest.WithPoints(t, form+normalising), func(o *emulator.Options) { o.Accounts[0].Features.Bulk = route == "bulk" })
				w.wide("spring", 3)
				w.clean()
				w.write("campaign/spring", map[string]any{"name": "Renamed", "status": "paused", "bidding_type": "clicks", "budget.lifetime": 90_000_000, "targeting.countries": []string{"US"}})
				w.tree("autumn", "active")
				w.clean()
			})
		}
	}
}
