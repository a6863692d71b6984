package secret

import (
	"strings"
	"testing"
)

// Fault row X2: what people paste is known by its form, and words of campaigns are not taken for it.
func TestX2CredentialsAreKnownByTheirForm(t *testing.T) {
	key := "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
	for _, row := range []struct{ text, what, shown string }{
		{"title: sk-" + key, "an API key", "title: [redacted]"},
		{"title: sk-proj-" + key + "_x", "an API key", "title: [redacted]"},
		{"# key sk_live_" + key + " of the shop", "an API key", "# key [redacted] of the shop"},
		{"ghp_" + key, "a token of GitHub", "[redacted]"},
		{"a,github_pat_11" + key + ",b", "a token of GitHub", "a,[redacted],b"},
		{"glpat-" + key, "a token of GitLab", "[redacted]"},
		{"xoxb-1234567890-" + key, "a token of Slack", "[redacted]"},
		{"AKIAIOSFODNN7EXAMPLE", "an access key of AWS", "[redacted]"},
		{"AIza" + key[:35], "an API key of Google", "[redacted]"},
		{"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.sig", "a signed token", ""},
		{"-----BEGIN RSA PRIVATE KEY-----", "a private key", "[redacted]"},
		{"-----BEGIN PRIVATE KEY-----", "a private key", "[redacted]"},
		{"https://hooks.slack.com/services/T0123ABCD/B0123ABCD/" + key[:24], "an address of " +
			"Slack that whoever knows may write to", "https://hooks.slack.com/services/T0123ABCD/B0123ABCD/[redacted]"},
		{"url: https://ann:s3cret@git.example.com/ads.git",
			"an address with a password", "url: https://ann:[redacted]@git.example.com/ads.git"},

		{"name: sk-slovakia-summer-campaign-of-2026-for-everyone", "", ""},
		{"name: risk-free-" + key, "", ""},
		{"key: AKIA-summer-shoes-for-winter", "", ""},
		{"image: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "", ""},
		{"id: cmpgn_0123456789abcdef0123456789abcdef", "", ""},
		{"target_url: https://shop.example/a@b?x=1:2", "", ""},
		{"url: https://git@git.example.com:8443/ads.git", "", ""},
		{"url: https://ann:$TOKEN@git.example.com/ads.git", "", ""},
		{"mail: ann@example.com", "", ""},
		{"-----BEGIN CERTIFICATE-----", "", ""},
		{"----------------------------------------", "", ""},
		{"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 alone", "", ""},
	} {
		found := Find([]byte(row.text))
		if row.what == "" {
			if len(found) > 0 || Masked(row.text) != row.text {
				t.Errorf("%q is taken for %+v and shown as %q; want nothing found", row.text, found, Masked(row.text))
			}
			continue
		}
		if len(found) != 1 || found[0].What != row.what || strings.TrimSpace(row.text[found[0].At:found[0].End]) == "" {
			t.Errorf("Find(%q) = %+v; want %s", row.text, found, row.what)
		}
		if got := Masked(row.text); row.shown != "" && got != row.shown {
			t.Errorf("Masked(%q) = %q; want %q", row.text, got, row.shown)
		}
	}
}

// What a line calls a password is not shown, whatever its form.
func TestX2ALineIsShownWithoutWhatItCallsASecret(t *testing.T) {
	for line, want := range map[string]string{
		"api_key: hunter2":             "api_key: [redacted]",
		"  - password: 'hunter 2' # x": "  - password: [redacted]",
		`"git-token": hunter2`:         `"git-token": [redacted]`,
		"token: {env: GIT_TOKEN}":      "token: {env: GIT_TOKEN}",
		"key: summer":                  "key: summer",
		"title: password: the game":    "title: password: the game",
	} {
		if got := Masked(line); got != want {
			t.Errorf("Masked(%q) = %q; want %q", line, got, want)
		}
	}
}

// Whatever the text, what is found lies in it, in order, and finding ends.
func FuzzFind(f *testing.F) {
	f.Add("a sk-" + strings.Repeat("a1", 20) + " https://a:b@c -----BEGIN PRIVATE KEY-----\n")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, found := range Find([]byte(text)) {
			if found.At < end || found.End <= found.At || found.End > len(text) {
				t.Fatalf("Find(%q) gives %+v behind %d", text, found, end)
			}
			end = found.End
		}
		Masked(text)
	})
}

func BenchmarkFind(b *testing.B) {
	text := []byte(strings.Repeat("kind: ad\nkey: "+
		"shoes-for-winter\ntarget_url: https://shop.example/shoes?utm_source=chat\nimage: images/shoes.png\n", 10_000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(text)
	}
}
