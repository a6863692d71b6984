package adsapi

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestBaseURL(t *testing.T) {
	for _, tc := range []struct{ name, base, problem string }{
		{name: "https", base: "https://api.ads.example/v1"},
		{name: "https with a prefix and a slash", base: "https://gateway.example/ads/v1/"},
		{name: "http on 127.0.0.1", base: "http://127.0.0.1:8080/v1"},
		{name: "http on another loopback address", base: "http://127.8.9.1/v1"},
		{name: "http on ::1", base: "http://[::1]:8080/v1"},
		{name: "http on 127.0.0.1 within IPv6", base: "http://[::ffff:127.0.0.1]:8080/v1"},
		{name: "http on localhost", base: "http://localhost:1/v1"},
		{name: "http elsewhere", base: "http://api.ads.example/v1", problem: "scheme"},
		{name: "http on a name that begins like loopback", base: "http://127.0.0.1.evil.example/v1", problem: "scheme"},
		{name: "http on localhost of a domain", base: "http://localhost.evil.example/v1", problem: "scheme"},
		{name: "another scheme", base: "ftp://api.ads.example/v1", problem: "scheme"},
		{name: "no scheme", base: "api.ads.example/v1", problem: "no host"},
		{name: "no host", base: "https:///v1", problem: "no host"},
		{name: "no version", base: "https://api.ads.example", problem: "/v1"},
		{name: "another version", base: "https://api.ads.example/v2", problem: "/v1"},
		{name: "version in the middle", base: "https://api.ads.example/v1/x", problem: "/v1"},
		{name: "user", base: "https://me@api.ads.example/v1", problem: "user information"},
		{name: "user and password", base: "https://me:" + canary + "@api.ads.example/v1", problem: "user information"},
		{name: "password that does not parse", base: "https://me:" + canary + "%zz@api.ads.example/v1",
			problem: "cannot be read"},
		{name: "query", base: "https://api.ads.example/v1?key=" + canary, problem: "query"},
		{name: "empty query", base: "https://api.ads.example/v1?", problem: "query"},
		{name: "fragment", base: "https://api.ads.example/v1#x", problem: "fragment"},
		{name: "empty fragment", base: "https://api.ads.example/v1#", problem: "fragment"},
		{name: "empty", base: "", problem: "no host"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := New(Config{BaseURL: tc.base, Key: NewSecret("k")})
			if tc.problem == "" && err != nil {
				t.Fatalf("New(%q) = %v; want no error", tc.base, err)
			}
			if tc.problem != "" && (err == nil || !strings.Contains(err.Error(), tc.problem)) {
				t.Fatalf("New(%q) = %v; want an error about %q", tc.base, err, tc.problem)
			}
			if err != nil && strings.Contains(err.Error(), canary) {
				t.Fatalf("New(…) = %v; it repeats the secret", err)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	for _, tc := range []struct {
		name    string
		change  func(*Config)
		problem string
	}{
		{name: "no key", change: func(c *Config) { c.Key = Secret{} }, problem: "key is empty"},
		{name: "key with a line break", change: func(c *Config) { c.Key = NewSecret(canary + "\n") },
			problem: "the key alone"},
		{name: "key with a space", change: func(c *Config) { c.Key = NewSecret(canary + " x") },
			problem: "the key alone"},
		{name: "share above the limit", change: func(c *Config) { c.Limits.Share = 1.1 }, problem: "share"},
		{name: "share is not a number", change: func(c *Config) { c.Limits.Share = math.NaN() }, problem: "share"},
		{name: "negative limit", change: func(c *Config) { c.Limits.Bulk = -1 }, problem: "limits"},
		{name: "negative attempts", change: func(c *Config) { c.MaxAttempts = -1 }, problem: "bound"},
		{name: "negative timeout", change: func(c *Config) { c.RequestTimeout = -time.Second }, problem: "bound"},
		{name: "line break in the user agent", change: func(c *Config) { c.UserAgent = "a\r\nX: y" },
			problem: "user agent"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := Config{BaseURL: "https://ads.example/v1", Key: NewSecret("k")}
			tc.change(&cfg)
			_, err := New(cfg)
			if err == nil || !strings.Contains(err.Error(), tc.problem) || strings.Contains(err.Error(), canary) {
				t.Fatalf("New = %v; want an error about %q without the key", err, tc.problem)
			}
		})
	}
}
