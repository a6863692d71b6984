package emulator

import (
	"net/http"

	"adsync/internal/emulator/openapi"
)

// showDocument is the OpenAPI document of the routes that are served.
func (s *Server) showDocument(*http.Request) (any, error) {
	d, _ := openapi.New(s.Routes())
	return d, nil
}
