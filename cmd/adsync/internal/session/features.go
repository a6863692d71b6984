package session

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"adsync/internal/adsapi"
)

// Features asks for a page of everything that is listed, and returns what the account has of it and
// what it has not: not every account, and not every credential, has all.
func Features(ctx context.Context, client *adsapi.Client) (has, without []string, err error) {
	asked := []string{"audit_logs"}
	for _, schema := range Schemas() {
		if path := cmp.Or(schema.Listing.Path, schema.Collection); path != "" &&
			path != "ad_account" && schema.Parent == "" && !schema.Listing.Optional && !slices.Contains(asked, path) {
			asked = append(asked, path)
		}
	}
	for _, path := range asked {
		switch _, err := client.Get(ctx, "/"+path, nil); {
		case err == nil:
			has = append(has, path)
		case errors.Is(err, adsapi.ErrUnauthorized), errors.Is(err, adsapi.ErrNotFound):
			without = append(without, path)
		default:
			return nil, nil, err
		}
	}
	return has, without, nil
}
