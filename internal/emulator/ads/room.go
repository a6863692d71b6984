// Package ads is the room of the campaign tree: campaigns, ad groups, ads and
// image uploads (interface, parts 2, 3 and 4). It also holds the rules that bulk
// jobs share with single requests. It refuses every change the interface does
// not allow. Its invariant: the tree in the tables always obeys the rules of part 2.
//
// room.go has the routes. What is refused: campaign_rules.go, ad_rules.go, adgroup_rules.go
// with the limits in adgroup_attributes.go, bids and their ceiling in bidding.go (once more for
// jobs in bulk/inputs.go), places and audiences in targeting.go, changes of status in state.go,
// idempotency keys in keys.go. The files …_view.go answer, serving.go says why something is not
// delivered.
package ads

import (
	"net/http"
	"slices"
	"time"

	"adsync/internal/emulator/images"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// Room serves the campaign tree.
type Room struct {
	*Serving
	images *images.Source
}

// NewRoom returns the room with its reviewer and its source of images.
func NewRoom(review world.Review, source *images.Source) *Room {
	return &Room{images: source, Serving: &Serving{
		review:          review,
		AccountIssues:   func(*world.Account, time.Time) []string { return nil },
		BudgetExhausted: func(*world.Account, string) bool { return false },
	}}
}

// Routes returns the routes of the room.
func (r *Room) Routes() []service.Route {
	return slices.Concat(campaigns{r.Serving}.routes(), adGroups{r.Serving}.routes(),
		adverts{r.Serving}.routes(), uploads{r.images}.routes())
}

func get(pattern string, handle func(*service.Call) (any, error)) service.Route {
	return service.Route{Method: http.MethodGet, Pattern: pattern, Auth: service.Read, Handle: handle}
}

func create(pattern string, handle func(*service.Call) (any, error)) service.Route {
	return service.Route{
		Method: http.MethodPost, Pattern: pattern,
		Auth: service.Write, Key: service.KeyOptional, Body: service.JSONBody, Handle: handle,
	}
}

func update(pattern string, handle func(*service.Call) (any, error)) service.Route {
	return service.Route{
		Method: http.MethodPost, Pattern: pattern, Auth: service.Write, Body: service.JSONBody, Handle: handle,
	}
}

func act(pattern string, handle func(*service.Call) (any, error)) service.Route {
	return service.Route{
		Method: http.MethodPost, Pattern: pattern, Auth: service.Write, Body: service.NoBody, Handle: handle,
	}
}

// actions are the three state changes by path (part 3).
var actions = map[string]world.Status{
	"activate": world.Active,
	"pause":    world.Paused,
	"archive":  world.Archived,
}

// resourceActions are the routes for the three of them.
func resourceActions(pattern string,
	do func(c *service.Call, action string, to world.Status) (any, error)) []service.Route {
	var all []service.Route
	for _, action := range []string{"activate", "pause", "archive"} {
		all = append(all, act(pattern+"/"+action, func(c *service.Call) (any, error) {
			return do(c, action, actions[action])
		}))
	}
	return all
}
