package emulatortest

import (
	"strings"
	"testing"

	"adsync/internal/emulator/openapi"
	"adsync/internal/emulator/service"
)

// judgeOf fails the test when an answer, or a body that was taken, is not as the
// OpenAPI document says.
func judgeOf(t testing.TB, routes []*service.Route) func(*service.Call, service.Response) {
	judge := openapi.NewJudge(routes)
	return func(c *service.Call, answer service.Response) {
		problems := judge.Exchange(c, answer)
		if len(problems) == 0 {
			return
		}
		t.Errorf("%s %s = %d %.500s\nrequest %.500s\nis not as docs/develop/openapi.json says:\n  %s",
			c.Request.Method, c.Request.URL.RequestURI(),
			answer.Status, answer.Body, c.Body, strings.Join(problems[:min(len(problems), 10)], "\n  "))
	}
}
