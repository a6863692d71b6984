package kinds

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// ofCampaign are the rules a campaign keeps by itself.
func ofCampaign() []resource.Rule {
	return []resource.Rule{
		{Name: "service facts, 2.3: exactly one of daily and lifetime", Check: oneBudget},
		{Name: "interface, part 2, campaign: conversions need a goal", Check: conversionGoal},
		{Name: "an end is not before its start", Check: endAfterStart},
		{Name: "service facts, 2.4: a product-feed campaign is targeted by countries only", Check: feedByCountries},
		{Name: "service facts, 2.4: an audience is included or excluded", Check: audienceOnce},
		{Name: "service facts, 12: location ids are numbers", Check: placesAreNumbers},
		{Name: "service facts, 2.1: a campaign has one mode", Check: oneMode},
	}
}

// acrossCampaign are the rules that see more than what a campaign's row says.
func acrossCampaign() []resource.Across {
	return []resource.Across{
		{Name: "service facts, 2.3: a daily budget does not become a lifetime budget", Check: dailyStaysDaily},
		{Name: "interface, part 8: times up to the end of 2099", Check: withinTimes},
		{Name: "interface, part 2, campaign: the goal is one active, standard event setting with one conversion source",
			Check: goalCounts},
	}
}

func oneMode(value func(string) resource.Value) *resource.Finding {
	if value("product_feed").IsSet() && value("business_agent").IsSet() {
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "business_agent",
			Message: "campaign has a product_feed and a business_agent; want one of them",
		}
	}
	return nil
}

func oneBudget(value func(string) resource.Value) *resource.Finding {
	daily, lifetime := value("budget.daily"), value("budget.lifetime")
	if daily.IsSet() && lifetime.IsSet() {
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "budget.lifetime",
			Message: "campaign has a daily and a lifetime budget; want one of them",
		}
	}
	return nil
}

func conversionGoal(value func(string) resource.Value) *resource.Finding {
	bidding, goal := value("bidding_type"), value("conversion_goal")
	if bidding.Text() == "conversions" && !goal.IsSet() {
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "bidding_type",
			Message: "bidding_type is conversions without a conversion_goal; want the id of one event setting",
		}
	}
	return nil
}

// goalCounts holds the goal of a conversions campaign to what the service takes
// as one (conversion rule 4).
func goalCounts(see *resource.View) []resource.Finding {
	goal, event := see.Value("conversion_goal"), see.Named("conversion_goal", "event_type")
	if see.Value("bidding_type").Text() != "conversions" || !goal.IsSet() || !event.IsSet() {
		return nil
	}
	status, source := see.Named("conversion_goal", "status"), see.Named("conversion_goal", "source")
	switch {
	case event.Text() == customEvent:
		return conflicting("conversion_goal", "conversion_goal is %s, whose event_type "+
			"is %s; want an event setting of a standard event", diag.Printable(goal.Text()), stated(event))
	case status.Text() == Archived:
		return conflicting("conversion_goal", "conversion_goal is %s, which is %s; want an active event setting",
			diag.Printable(goal.Text()), stated(status))
	case !source.IsSet():
		return conflicting("conversion_goal", "conversion_goal is %s, "+
			"which has no one conversion source; want an event setting with exactly one", diag.Printable(goal.Text()))
	}
	return nil
}

// endAfterStart compares days, and moments where both are moments.
func endAfterStart(value func(string) resource.Value) *resource.Finding {
	start, end := value("start"), value("end")
	if !start.IsSet() || !end.IsSet() {
		return nil
	}
	begins, startErr := time.Parse(time.RFC3339, start.Text())
	ends, endErr := time.Parse(time.RFC3339, end.Text())
	late := end.Text()[:10] < start.Text()[:10]
	if startErr == nil && endErr == nil {
		late = !ends.After(begins)
	}
	if late {
		return &resource.Finding{
			Code: diag.BadDate, Attribute: "end", Message: "last day is " +
				end.Text() + ", before the start " + start.Text() + "; want the same day or a later one",
		}
	}
	return nil
}

func feedByCountries(value func(string) resource.Value) *resource.Finding {
	if !value("product_feed").IsSet() {
		return nil
	}
	for _, name := range []string{"targeting.locations", "targeting.excluded_locations"} {
		if len(value(name).Items()) > 0 {
			return &resource.Finding{
				Code: diag.Conflicting, Attribute: name, Message: name +
					" is set on a product-feed campaign, which the service targets by countries only; want countries",
			}
		}
	}
	return nil
}

func audienceOnce(value func(string) resource.Value) *resource.Finding {
	included := value("targeting.audiences")
	for _, id := range value("targeting.excluded_audiences").Items() {
		if slices.Contains(included.Items(), id) {
			return &resource.Finding{
				Code: diag.Conflicting, Attribute: "targeting.excluded_audiences", Message: fmt.Sprintf("audience %q "+
					"is included%s and excluded; want one of the two", id, place(included)),
			}
		}
	}
	return nil
}

func placesAreNumbers(value func(string) resource.Value) *resource.Finding {
	for _, name := range []string{"targeting.locations", "targeting.excluded_locations"} {
		for _, id := range value(name).Items() {
			if strings.Trim(id, "0123456789") != "" {
				return &resource.Finding{
					Code: diag.BadValue, Attribute: name, Message: fmt.Sprintf("%s has %q; want "+
						"location ids, which are numbers such as 2000043", name, diag.Printable(id)),
					Hint: "adsync locations " + diag.Printable(id) + " finds the id",
				}
			}
		}
	}
	return nil
}

func dailyStaysDaily(see *resource.View) []resource.Finding {
	live, wanted := see.Live("budget.daily"), see.Value("budget.lifetime")
	if see.New || !live.IsSet() || !wanted.IsSet() {
		return nil
	}
	return []resource.Finding{{
		Code: diag.Immutable, Attribute: "budget.lifetime",
		Message: fmt.Sprintf("budget.lifetime is %s, and the campaign has a daily budget of %s at "+
			"the service, which cannot become a lifetime budget; want budget.daily", stated(wanted), stated(live)),
		Hint: "a campaign under a new key can have a lifetime budget from the start",
	}}
}

// latest is the last moment the service takes (interface, part 8).
var latest = time.Unix(4102444800, 0)

// withinTimes looks at the moment a last day ends: in a time zone west of
// Greenwich that of 2099-12-31 is beyond what the service takes.
func withinTimes(see *resource.View) []resource.Finding {
	end := see.Value("end")
	if !end.IsSet() || see.Zone == nil {
		return nil
	}
	seconds, err := resource.EndSeconds(end.Text(), see.Zone)
	if err != nil || seconds <= latest.Unix() {
		return nil
	}
	return []resource.Finding{{Code: diag.BadDate,
		Attribute: "end", Message: fmt.Sprintf("last day is %s, which ends after %s in %s, the last "+
			"moment the service takes; want an earlier day", end.Text(), latest.UTC().Format(time.RFC3339), see.Zone)}}
}
