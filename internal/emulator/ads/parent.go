package ads

import (
	"net/http"
	"strconv"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// beneath is a list that takes a parent: what it holds, as the open points have it.
type beneath[R any] struct {
	point         openpoint.Name // whether it is there, and for the whole account
	param, parent string         // the parameter that names the parent, and what it says; "" where it is not given
	find          func() error   // looks for the parent
	all           func() []R
	of            func(parent string) []R
}

// rows are the rows of the list; it is called inside View.
func (b beneath[R]) rows(c *service.Call) ([]R, error) {
	value := c.Points.Of(b.point)
	switch {
	case value == "not_allowed":
		return nil, wire.Refusef(http.StatusMethodNotAllowed,
			"method_not_allowed", "", "Not allowed to %s on %s.", c.Request.Method, c.Request.URL.Path)
	case b.parent == "" && value == "account":
		return b.all(), nil
	case b.parent == "":
		return nil, refusedWith(c.Points.Of(openpoint.ListWithoutParent),
			"missing_required_parameter", b.param, "Missing required parameter: '"+b.param+"'.")
	}
	if err := b.find(); err != nil {
		return nil, refusedWith(c.Points.Of(openpoint.ListUnknownParent), "not_found", b.param, err.Error())
	}
	return b.of(b.parent), nil
}

// refusedWith is a refusal with a status, or nil where the list is empty instead.
func refusedWith(status, code, param, message string) error {
	if status == "empty" {
		return nil
	}
	number, err := strconv.Atoi(status)
	if err != nil {
		panic("an open point is no status: " + status)
	}
	if number == http.StatusNotFound {
		return wire.NotFoundf("%s", message)
	}
	return wire.Refusef(number, code, param, "%s", message)
}
