package send

import (
	"context"
	"fmt"
	"strings"

	"adsync/internal/adsapi"
	"adsync/reconcile/live"
	"adsync/reconcile/wire"
	"adsync/state"
)

// A key may name what was made beneath another parent: the state was lost, somebody archived an ad group, and a person
// had it made again. The key of its ad is that of the ad beneath the first one, and a service may answer it with that
// ad. It is not beneath the second, so it is not what the files name: a person decides, as of any key that
// made something else.

// elsewhereError is a create that was answered with what stands beneath another parent.
type elsewhereError struct{ said string }

func (e elsewhereError) Error() string { return e.said }

// foundElsewhere returns an error where the answer to a create holds what stands beneath another parent: it says so
// (service facts, 4.3: not always), or it is older than its parent by more than clocks are apart.
func (a *Requests) foundElsewhere(ctx context.Context, step state.Step, record adsapi.Record) error {
	if len(step.Operations) != 1 || !wire.Keyed(step.Operations[0]) {
		return nil
	}
	schema := a.Schemas.Of(step.Operations[0].Address.Kind)
	if schema.Parent == "" || schema.ParentWire == "" {
		return nil
	}
	parent := live.ParentIn(schema, step.Body)
	above := strings.ToLower(a.Schemas.Of(schema.Parent).Title)
	switch says := live.ParentIn(schema, record.JSON); {
	case says == parent || parent == "":
		return nil
	case says != "":
		return elsewhereError{fmt.Sprintf("the service answers its key with %s, which stands beneath the %s %s "+
			"and not %s", record.ID, above, says, parent)}
	}
	older, err := live.OlderThanParent(ctx, a.Env, schema, record, parent)
	if older {
		err = elsewhereError{fmt.Sprintf("the service answers its key with %s, which is older than the %s %s: "+
			"it stands beneath another", record.ID, above, parent)}
	}
	return err
}
