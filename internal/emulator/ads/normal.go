package ads

import (
	"net/url"
	"slices"
	"strings"

	"adsync/internal/emulator/openpoint"
)

// What the service does to values before it keeps them is open, all of it.

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
