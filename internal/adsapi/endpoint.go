package adsapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// flatParents are the first path segments whose second segment is a fixed
// word; elsewhere the second segment is a resource id (interface, part 4).
var flatParents = []string{"ad_account", "conversions", "geo_lookup"}

// fixedWords stand where an id could stand.
var fixedWords = []string{"delete", "merge"}

// additive are the actions on a resource that do more when done twice, so
// that naming an id does not make them safe to repeat.
var additive = []string{"add", "remove", "replace"}

// singletonActions change the one account of the key; doing them twice is
// doing them once.
var singletonActions = []string{"/ad_account/activate", "/ad_account/pause", "/ad_account/brand"}

// answersWithoutID are the last segments of requests whose answer is not a
// resource with an id (interface, part 4: deletion results, daily spend
// limit changes, previews, created keys).
var answersWithoutID = []string{"delete", "daily_spend_limit", "preview", "api_keys",
	"ad_account_creation_sessions"}

// JoinPath builds a request path from plain segments, for example
// JoinPath("campaigns", id, "pause"). It refuses a segment that is empty, a
// dot segment, or holds a slash or a control character.
func JoinPath(segments ...string) (string, error) {
	for _, segment := range segments {
		if err := checkSegment(segment); err != nil {
			return "", err
		}
	}
	return "/" + strings.Join(segments, "/"), nil
}

func checkSegment(segment string) error {
	if segment == "" || segment == "." || segment == ".." {
		return fmt.Errorf("path segment is %q; want a resource name or an id", segment)
	}
	if strings.ContainsRune(segment, '/') || strings.ContainsFunc(segment, isControl) {
		return fmt.Errorf("path segment is %q; want no slash and no control character", clean(segment, 80))
	}
	return nil
}

func isControl(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }

// endpoint is a path taken apart.
type endpoint struct {
	path     string   // plain, as the caller gave it
	segments []string // plain
	ids      []int    // indices of the segments that are ids
}

func parseEndpoint(path string) (endpoint, error) {
	rest, ok := strings.CutPrefix(path, "/")
	if !ok {
		return endpoint{}, fmt.Errorf("path is %q; want it to begin with a slash", clean(path, 80))
	}
	e := endpoint{path: path, segments: strings.Split(rest, "/")}
	if _, err := JoinPath(e.segments...); err != nil {
		return endpoint{}, err
	}
	first := 1
	if slices.Contains(flatParents, e.segments[0]) {
		first = 2
	}
	for i := first; i < len(e.segments); i += 2 {
		if !slices.Contains(fixedWords, e.segments[i]) {
			e.ids = append(e.ids, i)
		}
	}
	return e, nil
}

// escaped is the path as it goes on the wire.
func (e endpoint) escaped() string {
	var b strings.Builder
	for _, segment := range e.segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(segment))
	}
	return b.String()
}

// template is the name under which the service counts requests: the path
// with every id left out.
func (e endpoint) template(method string) string {
	segments := slices.Clone(e.segments)
	for _, i := range e.ids {
		segments[i] = "{id}"
	}
	return method + " /" + strings.Join(segments, "/")
}

// repeatable reports whether doing the request twice is doing it once: it is an
// update or a state change.
func (e endpoint) repeatable() bool {
	if slices.Contains(singletonActions, e.path) {
		return true
	}
	return len(e.ids) > 0 && !slices.Contains(additive, e.segments[len(e.segments)-1])
}

// answerID returns which id the answer must carry: any, the one in the path, or
// none at all.
func (e endpoint) answerID() (wanted string, needed bool) {
	if slices.Contains(answersWithoutID, e.segments[len(e.segments)-1]) {
		return "", false
	}
	if slices.Contains([]string{"campaigns", "ad_groups", "ads", "bulk_mutation_jobs"}, e.segments[0]) &&
		len(e.ids) > 0 {
		return e.segments[1], true
	}
	return "", true
}

// bracketed are the array query parameters (interface, part 4), which the
// service reads in bracket form only.
var bracketed = []string{
	"include", "includes", "fields", "filters", "segments", "sort", "time_ranges", "override_segment_group_order",
	"custom_audience_ids", "campaign_ids", "ad_group_ids", "ad_ids", "inventory_items",
}

// encodeQuery returns array parameters their brackets: include[]=serving_issues.
func encodeQuery(q url.Values) string {
	wire := make(url.Values, len(q))
	for name, values := range q {
		if slices.Contains(bracketed, name) {
			name += "[]"
		}
		wire[name] = append(wire[name], values...)
	}
	return wire.Encode()
}
