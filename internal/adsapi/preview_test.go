package adsapi

import (
	"strings"
	"testing"
)

// TestPreviewIsTheAddressOfItsFrame: what else an answer holds is no preview.
func TestPreviewIsTheAddressOfItsFrame(t *testing.T) {
	for _, row := range []struct{ body, want string }{
		{`{"data":[{"body":"<iframe src=\"https://ads.example.com/previews/a?x=1&amp;token=t\" ` +
			`width=\"390\"></iframe>"}]}`,
			"https://ads.example.com/previews/a?x=1&token=t"},
		{`{"data":[]}`, ""},
		{`{"data":[{"body":"<script src=\"https://evil.example/\">"}]}`, ""},
		{`{"data":[{"body":"<iframe src=javascript:alert(1)>"}]}`, ""},
	} {
		w := &wire{answers: []answer{{status: 200, body: row.body}, {status: 200, body: row.body},
			{status: 200, body: row.body}, {status: 200, body: row.body}, {status: 200, body: row.body},
			{status: 200, body: row.body}}}
		got, err := Preview(t.Context(), clientOf(t, w).Reader(), "ad_1")
		if got != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%s: %q, %v; want %q", row.body, got, err, row.want)
		}
		if r := w.requests(); len(r) == 0 || !strings.HasSuffix(r[0].url, "/ads/ad_1/preview") {
			t.Errorf("%s: the preview was not asked for", row.body)
		}
	}
}
