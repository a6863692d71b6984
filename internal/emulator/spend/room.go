// Package spend is the room of the account's spend limits: dated windows and
// daily rules (interface, part 4, spend limit rules 1 to 9). It refuses every
// call of an account that is not on postpaid invoice billing. Its invariant: no
// two windows share a day, no two daily rules share a day, and a change never
// reaches back before the moment it is saved.
package spend

import (
	"net/http"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// Routes of the room.
func Routes() []service.Route {
	const windows, daily = "/ad_account/spend_limit_windows", "/ad_account/daily_spend_limit"
	return []service.Route{
		{Method: http.MethodGet, Pattern: windows, Auth: service.Read, Handle: postpaid(list)},
		post(windows, service.JSONBody, createWindow),
		post(windows+"/{window_id}", service.JSONBody, editWindow),
		post(windows+"/{window_id}/delete", service.NoBody, deleteWindow),
		post(daily, service.JSONBody, saveDaily),
		post(daily+"/delete", service.JSONBody, deleteDaily),
	}
}

func post(pattern string, body service.Body, handle func(*service.Call) (any, error)) service.Route {
	return service.Route{
		Method: http.MethodPost, Pattern: pattern, Auth: service.Write, Body: body, Handle: postpaid(handle),
	}
}

// postpaid refuses an account on another billing (rule 1).
func postpaid(handle func(*service.Call) (any, error)) func(*service.Call) (any, error) {
	return func(c *service.Call) (any, error) {
		err := c.View(func() error {
			if c.Account.Profile().Features.Postpaid {
				return nil
			}
			status := int(c.Points.Int(openpoint.SpendUnavailable))
			return wire.Refusef(status, "spend_limits_unavailable",
				"", "Spend limits are available only for ad accounts on postpaid invoice billing.")
		})
		if err != nil {
			return nil, err
		}
		return handle(c)
	}
}

func list(c *service.Call) (view any, err error) {
	err = c.View(func() error {
		view = open(c.Account, c.Now()).view()
		return nil
	})
	return view, err
}
