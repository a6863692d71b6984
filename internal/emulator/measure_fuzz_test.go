package emulator_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// FuzzAudienceAndConversionBodies sends any body to the routes of audiences and
// conversion setup and to the receiver of events: no answer is a 5xx, and no
// refused request changes anything.
func FuzzAudienceAndConversionBodies(f *testing.F) {
	s, err := emulator.Open(onDisk(""))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	paths := []string{
		"/v1/custom_audiences", "/v1/custom_audiences/caud_x/add",
		"/v1/custom_audiences/caud_x/replace", "/v1/custom_audiences/merge",
		"/v1/uploads", "/v1/conversions/pixels", "/v1/conversions/event_settings",
		"/_events/v1/pixel?pid=x", "/_emulator/clicks",
	}
	f.Add(0, `{"name":"Empty","description":null,"identifier_type":{}}`)
	f.Add(1, `{"identifiers":[{"identifier_type":"email","identifier":"a@b.example"},`+
		`{"identifier":null,"identifier_type":[]},null]}`)
	f.Add(2, `{"file_id":"x","expected_revision":0}`)
	f.Add(3, `{"name":"Both","custom_audience_ids":["a","b",null]}`)
	f.Add(4, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n\"a\n\r\n--b--")
	f.Add(6,
		`{"name":"o","event_type":"custom","custom_event_name":null,"attribution_window_days":30,"source_ids":["x"]}`)
	f.Add(7,
		`{"events":[{"id":"1","type":"custom","timestamp_ms":1,"action_source":"web","data":null,"user":null,"custom_event_name":5}]}`)
	f.Fuzz(func(t *testing.T, at int, body string) {
		path := paths[uint(at)%uint(len(paths))]
		before := s.World().MutationCount()
		req := httptest.NewRequest("POST", path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+emulatortest.Key)
		req.Header.Set("Idempotency-Key", "k")
		req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		got := httptest.NewRecorder()
		s.ServeHTTP(got, req)
		if got.Code >= 500 {
			t.Fatalf("POST %s %q = %d %s", path, body, got.Code, got.Body)
		}
		if got.Code >= 300 && s.World().MutationCount() != before {
			t.Fatalf("POST %s %q was refused with %d and changed something", path, body, got.Code)
		}
	})
}
