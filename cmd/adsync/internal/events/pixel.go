package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/config"
)

// pixelOf returns the id that events of a pixel carry: the text itself or, of an address such as
// pixel/web-shop, what the service says of the one that was applied.
func pixelOf(ctx context.Context, env *session.Env, p config.Project, client *adsapi.Client,
	text string) (string, error) {
	address, ok := resource.ParseAddress(text)
	kind := session.Schemas().Of(address.Kind)
	if !ok || kind == nil {
		return text, nil
	}
	id, err := appliedID(ctx, env, p, address)
	if err != nil {
		return "", err
	}
	for row, err := range client.Rows(ctx, kind.Collection, nil) {
		if errors.Is(err, adsapi.ErrNotFound) {
			return "", console.Configuration("the service lists no pixels, so %s cannot be looked up; "+
				"want the pixel's own id, as the ads manager shows it", diag.Printable(text))
		}
		var pixel struct {
			ID      string `json:"id"`
			PixelID string `json:"pixel_id"`
		}
		if err == nil {
			err = json.Unmarshal(row, &pixel)
		}
		if err != nil {
			return "", fmt.Errorf("look for %s: %w", diag.Printable(text), err)
		}
		if pixel.ID == id && pixel.PixelID != "" {
			return pixel.PixelID, nil
		}
	}
	return "", console.Configuration("the service lists no pixel with the id %q, which %s has; "+
		"want the address of a pixel", diag.Printable(id), diag.Printable(text))
}

func appliedID(ctx context.Context, env *session.Env, p config.Project, address resource.Address) (string, error) {
	store, err := session.OpenState(ctx, env, p, true)
	if err != nil {
		return "", err
	}
	defer func() { session.Closed(env, "state", store.Close()) }()
	last, err := store.Last(ctx)
	if err != nil {
		return "", err
	}
	for r := range last.All() {
		if r.Address == address {
			return r.ID, nil
		}
	}
	return "", console.Configuration("%s is not in adsync's record; want the address of what was applied, "+
		"or the pixel's own id", diag.Printable(address.String()))
}
