package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// readForeign: {"actor": NAME, "path": PATH, "patch": {…}, "when": "before"}.
// Somebody else sends a POST to the same account, before the request is carried
// out or after it. The path is one below /v1, in which the names in braces of the
// request's route stand for its own, and {id} for the id in its answer; left out,
// it is the resource that the request is about. patch is the body.
func readForeign(o *wire.Object) action {
	o.Require("actor", "patch")
	actor := o.Name("actor", 1, 255).V
	target := o.Text("path", 1, 2048).V
	patch := readPatch(o)
	after := o.Choice("when", "before", "after").V == "after"
	if target != "" && target[0] != '/' {
		o.Fail("path", "invalid_value", "'%s' is %q; want a path below /v1 such as /campaigns/{campaign_id}.",
			o.At("path"), target)
	}
	if strings.Contains(target, "{id}") && !after {
		o.Fail("path", "invalid_value", "'%s' names the id of the answer; want 'when' to be after.", o.At("path"))
	}
	return action{request: func(x *exchange) service.Response {
		if after {
			resp := x.next()
			x.write(actor, target, patch, resp.Body)
			return resp
		}
		x.write(actor, target, patch, nil)
		return x.next()
	}}
}

func readPatch(o *wire.Object) json.RawMessage {
	patch := o.Raw("patch")
	if patch.Given() && patch.V[0] != '{' {
		o.Fail("patch", "invalid_type", "'%s' is %s; want an object.", o.At("patch"), patch.V)
	}
	return patch.V
}

// write sends the request of somebody else, and keeps why it was refused.
func (x *exchange) write(actor, target string, patch, answer []byte) {
	target, err := x.path(target, answer)
	if err != nil {
		x.armed.failed(err.Error())
		return
	}
	if string(patch) == "{}" {
		patch = nil
	}
	ctx := withStranger(x.layer.alive, service.Principal{Actor: actor, AccountID: x.call.Principal.AccountID})
	if resp := x.layer.send(ctx, http.MethodPost, target, patch); resp.Status >= 300 {
		x.armed.failed(fmt.Sprintf("POST %s: %d %s", target, resp.Status, strings.TrimSpace(string(resp.Body))))
	}
}

// path is where a foreign write goes.
func (x *exchange) path(target string, answer []byte) (string, error) {
	var record struct {
		ID string `json:"id"`
	}
	json.Unmarshal(answer, &record) // an answer without an id leaves {id} in the path
	if target == "" {
		target = resourceOf(x.call.Route.Pattern)
	}
	segments := strings.Split(target, "/")
	for i, segment := range segments {
		name, ok := strings.CutPrefix(segment, "{")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, "}")
		value := x.call.Path(name)
		if name == "id" {
			value = record.ID
		}
		if value == "" {
			return "", fmt.Errorf("path %s: the request has no %s", target, name)
		}
		segments[i] = url.PathEscape(value)
	}
	return strings.Join(segments, "/"), nil
}

// resourceOf is the path of the resource a route is about: up to its first name
// in braces, or what it creates.
func resourceOf(pattern string) string {
	before, rest, ok := strings.Cut(pattern, "{")
	if !ok {
		return pattern + "/{id}"
	}
	name, _, _ := strings.Cut(rest, "}")
	return before + "{" + name + "}"
}

type strangerKey struct{}

// withStranger marks what somebody else sends, which no fault strikes.
func withStranger(ctx context.Context, p service.Principal) context.Context {
	return context.WithValue(ctx, strangerKey{}, p)
}

// Stranger is who sends a request that a fault made; false for every other request.
func Stranger(ctx context.Context) (service.Principal, bool) {
	p, ok := ctx.Value(strangerKey{}).(service.Principal)
	return p, ok
}
