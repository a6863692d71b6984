package emulator

import (
	"net/http"

	"adsync/internal/emulator/openapi"
)

// showDocument is the OpenAPI document of the routes that are served.
func (c *controls) showDocument(*http.Request) (any, error) {
	d, _ := openapi.New(c.routes())
	return d, nil
}
