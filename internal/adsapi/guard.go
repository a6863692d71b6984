package adsapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"adsync/internal/pattern"
)

// readable are the first path segments a read-only client may GET
// (interface, part 4, and the published additions).
var readable = []string{
	"campaigns", "ad_groups", "ads", "bulk_mutation_jobs", "custom_audiences",
	"ad_account", "ad_accounts", "audit_logs", "conversions", "geo_lookup", "me",
}

// isPreview is the request for the picture of an ad: it is a POST, and changes nothing
// (interface, part 4).
var isPreview = pattern.Of(`^ads/[^/]+/preview$`)

// maxBulkBody is the largest bulk job body in bytes (interface, part 8).
const maxBulkBody = 16 << 20

// guard is the transport of a read-only client (design, part 2, rule 4). It
// lets through GET on the read list, the preview of an ad, conversion insights, and a bulk job whose body,
// as it goes out, says validate_only: true. Everything else fails with ErrReadOnly.
type guard struct {
	base *url.URL
	next http.RoundTripper
}

func (g guard) RoundTrip(req *http.Request) (*http.Response, error) {
	checked, err := g.check(req)
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	return g.next.RoundTrip(checked)
}

func (g guard) check(req *http.Request) (*http.Request, error) {
	rest, ok := strings.CutPrefix(req.URL.Path, g.base.Path+"/")
	if !ok || req.URL.Host != g.base.Host || req.URL.Scheme != g.base.Scheme {
		return nil, fmt.Errorf("%w: %s %q is not an address of the service",
			ErrReadOnly, req.Method, clean(req.URL.Path, 80))
	}
	if req.Method == http.MethodGet && req.Body == nil {
		first, _, _ := strings.Cut(rest, "/")
		if slices.Contains(readable, first) {
			return req, nil
		}
	}
	if req.Method == http.MethodPost && req.Body == nil && isPreview.MatchString(rest) {
		return req, nil
	}
	if req.Method == http.MethodPost && "/"+rest == conversionsPath {
		return req, nil
	}
	if req.Method == http.MethodPost && rest == "bulk_mutation_jobs" {
		return onlyValidating(req)
	}
	return nil, fmt.Errorf("%w: %s %q is not on its read list", ErrReadOnly, req.Method, clean(rest, 80))
}

// onlyValidating reads the body that would be sent, checks it, and gives a
// request with exactly the bytes that were checked.
func onlyValidating(req *http.Request) (*http.Request, error) {
	if req.Body == nil || req.Header.Get("Content-Encoding") != "" {
		return nil, fmt.Errorf("%w: a bulk job without a plain body", ErrReadOnly)
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBulkBody+1))
	_ = req.Body.Close()
	if err != nil || len(body) > maxBulkBody {
		return nil, fmt.Errorf("%w: the body of the bulk job cannot be read or is over 16 MiB", ErrReadOnly)
	}
	if !saysValidateOnly(body) {
		return nil, fmt.Errorf("%w: the bulk job does not say validate_only: true", ErrReadOnly)
	}
	checked := req.Clone(req.Context())
	checked.Body = io.NopCloser(bytes.NewReader(body))
	checked.ContentLength = int64(len(body))
	checked.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return checked, nil
}

// saysValidateOnly holds only where no reader of JSON could see it
// otherwise: the top-level member occurs once, under its exact name, is
// literally true, and no other member differs from it in letter case alone.
func saysValidateOnly(body []byte) bool {
	if !json.Valid(body) {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return false
	}
	said := 0
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return false
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return false
		}
		text, _ := name.(string)
		if !strings.EqualFold(text, "validate_only") {
			continue
		}
		if text != "validate_only" || string(value) != "true" {
			return false
		}
		said++
	}
	return said == 1
}
