package live

import (
	"context"
	"fmt"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
)

// yearsBack is how far back spend is asked for: as far as the service looks
// (service facts, section 10). What it no longer has counts as not spent.
const yearsBack = 5

// SpentSoFar asks what campaigns with a lifetime budget have spent, in micros by
// id. It asks nothing where none can spend one, and gives nil where the service
// does not say: then the whole budget counts as left.
func (a *insights) SpentSoFar(ctx context.Context, live *resource.Snapshot) (map[string]int64, error) {
	budgets := map[resource.Kind]map[string]bool{}
	for r := range live.All() {
		if schema := a.Schemas.Of(r.Address.Kind); r.ID != "" && schema.Insights != "" && hasLifetime(schema, r) {
			if budgets[schema.Kind] == nil {
				budgets[schema.Kind] = map[string]bool{}
			}
			budgets[schema.Kind][r.ID] = true
		}
	}
	spent := map[string]int64{}
	for kind, ids := range budgets {
		if err := a.readSpend(ctx, a.Schemas.Of(kind).Insights, ids, spent); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			a.Logger.Warn("what lifetime budgets have spent is not known", "error", err)
			return nil, nil
		}
	}
	return spent, nil
}

// hasLifetime reports whether a resource has a budget for its whole life and is not
// removed.
func hasLifetime(schema *resource.Schema, r *resource.Resource) bool {
	has := false
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		if a.Spend == resource.Delivery && r.Value(a.Name).Text() == schema.Removal {
			return false
		}
		has = has || a.Spend == resource.Amount && a.Per == "lifetime" && r.Value(a.Name).IsSet()
	}
	return has
}

func (a *insights) readSpend(ctx context.Context, level string, ids map[string]bool, spent map[string]int64) error {
	today := a.Now().Add(-a.Service.Ahead()).In(a.Zone) // by the service's clock: it refuses days that have not come
	q := adsapi.InsightsQuery{
		Level: level, Granularity: "none", TimeZone: a.Zone.String(), Fields: []string{level + ".id", "spend"},
		Since: today.AddDate(-yearsBack, 0, 1).Format(time.DateOnly), Until: today.Format(time.DateOnly),
	}
	for row, err := range a.Service.Insights(ctx, q) {
		if err != nil {
			return fmt.Errorf("read what each %s has spent: %w", level, err)
		}
		id := row.Fields[level+"_id"]
		if !ids[id] {
			continue
		}
		micros, err := microsOf(row.Fields["spend"])
		if err != nil {
			return fmt.Errorf("read what %s %s has spent: %w", level, id, err)
		}
		spent[id] += micros
	}
	return nil
}

// microsOf reads currency units as the service writes them. What is below a
// micro is dropped, so that never too much counts as spent.
func microsOf(units string) (int64, error) {
	whole, fraction, hasPoint := strings.Cut(units, ".")
	text := whole
	if hasPoint && fraction != "" {
		text += "." + fraction[:min(len(fraction), 6)]
	}
	micros, finding := resource.ParseMoney(text, "")
	if finding != nil {
		return 0, fmt.Errorf("spend is %q; want units of the account's currency such as 25.00", units)
	}
	return micros, nil
}
