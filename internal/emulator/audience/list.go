package audience

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// audienceList is the envelope of a list, and the policy it was made by.
type audienceList struct {
	wire.List[audienceView]
	PolicyRevision string `json:"policy_revision"`
}

const maxIDs = 500

// list returns audiences; with intended_use only those that may be used so.
func list(c *service.Call) (out any, err error) {
	use := c.Query.Choice("intended_use", "", "inclusion", "exclusion", "bid_multiplier")
	ids := c.Query.Texts("custom_audience_ids", maxIDs)
	revision := c.Query.Text("policy_revision", 64, 64)
	granular := wantGranular(c)
	if err := c.Query.Err(); err != nil {
		return nil, err
	}
	err = c.View(func() error {
		now, policy := c.Now(), policyOf(c.Account)
		if revision != "" && revision != policy {
			return wire.Conflictf("custom_audience_policy_revision_mismatch",
				"The policy has changed; list again without policy_revision.")
		}
		t := c.Account.Audiences
		rows := service.Rows[world.Audience]{Version: t.Version(), Entry: entry}
		rows.All = slices.DeleteFunc(t.All(), func(d world.Audience) bool {
			return !usable(d, use) || (len(ids) > 0 && !slices.Contains(ids, d.ID))
		})
		page, err := service.List(c, rows, func(d world.Audience) audienceView {
			return show(c.Account, d, now, granular)
		})
		out = audienceList{page, policy}
		return err
	})
	return out, err
}

func entry(d world.Audience) service.Entry {
	return service.Entry{ID: d.ID, Name: d.Name, Created: d.CreatedAt, Archived: d.Status == archived}
}

// usable reports whether an audience may be used so; "" asks for nothing.
func usable(d world.Audience, use string) bool {
	switch use {
	case "":
		return true
	case "exclusion":
		return d.Status == ready || d.Status == tooSmall
	}
	return d.Status == ready && d.Users >= minUsers
}

// policyOf names the rules by which audiences of the account are usable.
func policyOf(a *world.Account) string {
	rules := fmt.Sprintf("custom audience policy 1: %d users, small %v", minUsers, a.Profile().Features.SmallAudiences)
	sum := sha256.Sum256([]byte(rules))
	return hex.EncodeToString(sum[:])
}

func read(c *service.Call) (view any, err error) {
	granular := wantGranular(c)
	if err := c.Query.Err(); err != nil {
		return nil, err
	}
	err = c.View(func() error {
		d, err := find(c.Account, c.Path("custom_audience_id"))
		view = show(c.Account, d, c.Now(), granular)
		return err
	})
	return view, err
}

func find(a *world.Account, id string) (world.Audience, error) {
	d, ok := a.Audiences.Get(id)
	if !ok {
		return d, wire.NotFoundf("No custom audience found with id '%s'.", id)
	}
	return d, nil
}

// mayChange refuses a change of an audience that is not published, or while an
// operation is under way.
func mayChange(a *world.Account, d world.Audience) error {
	if op, ok := underWay(a, d.ID); ok && op.Stalled {
		return wire.Conflictf("custom_audience_operation_recovery_required",
			"The operation %s has stopped at a checkpoint; resume it.", op.ID)
	}
	if d.Status == archived {
		return wire.Conflictf("resource_archived", "The custom audience %s is archived and cannot be changed.", d.ID)
	}
	if _, ok := underWay(a, d.ID); ok || (d.Status != ready && d.Status != tooSmall) {
		return conflict(d.ID)
	}
	return nil
}

func conflict(id string) error {
	return wire.Conflictf("custom_audience_mutation_conflict",
		"The custom audience %s cannot be changed so at the moment.", id)
}
