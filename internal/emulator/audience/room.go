// Package audience is the room of custom audiences: their files, the
// memberships, and the operations that change them (interface, parts 3, 4 and
// 8). Publications and operations take time on the emulator's clock: each
// request first brings everything that is due to its end, so what a request sees
// depends on the clock alone and survives a kill. It refuses a change while
// another is under way. Its invariant: no identifier is kept, repeated in an
// answer, or logged; what is kept is who of the synthetic population was meant.
//
// room.go has the routes; create.go, change.go and merge.go what changes people, operation.go
// and settle.go what takes time, upload.go and cells.go files, members.go who is in, list.go
// and view.go answers.
package audience

import (
	"net/http"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
)

// Room serves custom audiences.
type Room struct {
	maxFile int64 // bytes
}

// MaxFile is the published bound of an audience file, bytes.
const MaxFile = 500_000_000

// maxBody is the published bound of a body with inline identifiers, bytes.
const maxBody = 16 << 20

// NewRoom is the room; maxFile bounds audience files, 0 is MaxFile.
func NewRoom(maxFile int64) *Room {
	if maxFile == 0 {
		maxFile = MaxFile
	}
	return &Room{maxFile: maxFile}
}

// Routes of the room.
func (r *Room) Routes() []service.Route {
	const one = "/custom_audiences/{custom_audience_id}"
	const operation = one + "/operations/{operation_id}"
	return []service.Route{
		get("/custom_audiences", list),
		{Method: http.MethodPost, Pattern: "/custom_audiences",
			Auth: service.Write, Body: service.JSONBody, Handle: settled(create)},
		get(one, read),
		{Method: http.MethodPost, Pattern: one + "/archive",
			Auth: service.Write, Body: service.NoBody, Handle: settled(archive)},
		change(one+"/add", addMembers),
		change(one+"/remove", removeMembers),
		change(one+"/replace", replaceMembers),
		change("/custom_audiences/merge", merge),
		get(operation, readOperation),
		get(one+"/operations", listOperations),
		act(operation+"/cancel", cancel),
		act(operation+"/resume", resume),
		{
			Method: http.MethodPost, Pattern: "/uploads", Auth: service.Write, Body: service.AnyBody,
			MaxBody: r.maxFile + 1<<20, Point: openpoint.AudienceUploads, Handle: r.upload,
		},
	}
}

func get(pattern string, handle handler) service.Route {
	return service.Route{Method: http.MethodGet, Pattern: pattern, Auth: service.Read, Handle: settled(handle)}
}

// change is a membership operation: its Idempotency-Key is required (part 4).
func change(pattern string, handle handler) service.Route {
	return service.Route{
		Method: http.MethodPost, Pattern: pattern, Auth: service.Write, Key: service.KeyRequired,
		Body: service.JSONBody, MaxBody: maxBody, Handle: settled(handle),
	}
}

// act is a cancel or resume: no body and no key.
func act(pattern string, handle handler) service.Route {
	return service.Route{
		Method: http.MethodPost, Pattern: pattern, Auth: service.Write, Key: service.KeyForbidden,
		Body: service.NoBody, Handle: settled(handle),
	}
}

type handler = func(*service.Call) (any, error)

// settled brings what is due to its end before a request is answered.
func settled(handle handler) handler {
	return func(c *service.Call) (any, error) {
		if err := settle(c); err != nil {
			return nil, err
		}
		return handle(c)
	}
}
