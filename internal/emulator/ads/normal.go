package ads

import (
	"net/url"
	"slices"
	"strings"

	"adsync/internal/emulator/openpoint"
)

// What the service does to values before it keeps them; all of it is open.

func normName(points *openpoint.Settings, name string) string {
	if points.Is(openpoint.TrimNames, "trimmed") {
		return strings.TrimSpace(name)
	}
	return name
}

func normList(points *openpoint.Settings, list []string) []string {
	if points.Is(openpoint.SortArrays, "sorted") {
		list = slices.Clone(list)
		slices.Sort(list)
	}
	return list
}

func normURL(points *openpoint.Settings, address string) string {
	u, err := url.Parse(address)
	if err != nil || points.Is(openpoint.LowerHost, "kept") {
		return address
	}
	return strings.Replace(address, u.Host, strings.ToLower(u.Host), 1)
}
