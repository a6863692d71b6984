package ads

import (
	"net/url"
	"slices"
	"strings"

	"adsync/internal/emulator/openpoint"
)

// What the service does to values before it keeps them, and what it shows of those
// that were not sent, is open, all of it.

// NormName is a name, title or body as it is kept.
func NormName(points *openpoint.Settings, name string) string {
	if points.Is(openpoint.TrimNames, "trimmed") {
		return strings.TrimSpace(name)
	}
	return name
}

// NormList is a list of countries, locations, platforms or hints as it is kept.
func NormList(points *openpoint.Settings, list []string) []string {
	if points.Is(openpoint.SortArrays, "sorted") {
		list = slices.Clone(list)
		slices.Sort(list)
	}
	return list
}

// NormURL is a target URL as it is kept.
func NormURL(points *openpoint.Settings, address string) string {
	u, err := url.Parse(address)
	if err != nil || points.Is(openpoint.LowerHost, "kept") {
		return address
	}
	return strings.Replace(address, u.Host, strings.ToLower(u.Host), 1)
}

// shownList is a list of a record as it is shown; nil leaves the field out.
func shownList(points *openpoint.Settings, list []string) *[]string {
	if len(list) == 0 && points.Is(openpoint.EmptyLists, "dropped") {
		return nil
	}
	return &list
}

// shownDescription is a description as it is shown; nil is null.
func shownDescription(points *openpoint.Settings, text *string) *string {
	if text == nil && points.Is(openpoint.NoDescription, "empty") {
		return new(string)
	}
	return text
}
