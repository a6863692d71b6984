package console

import "testing"

// A browser is handed nothing that could be a file, a program or an address in the clear.
func TestWhatABrowserOpens(t *testing.T) {
	for _, row := range []struct {
		address string
		want    bool
	}{
		{"https://ads.example.com/previews/1?token=a", true},
		{"http://127.0.0.1:8085/_oauth/authorize", true},
		{"http://[::1]:8085/", true},
		{"http://ads.example.com/previews/1", false},
		{"http://localhost.ads.example.com/", false},
		{"http://127.0.0.1.ads.example.com/", false},
		{"file:///etc/passwd", false},
		{"javascript:alert(1)", false},
		{"https:", false},
		{"-version", false},
	} {
		if got := opens(row.address); got != row.want {
			t.Errorf("opens(%q) is %v; want %v", row.address, got, row.want)
		}
	}
}
