package forge

import (
	"net/url"
	"path"
	"strings"
)

// mostOfPage is how many bytes an address of a page has at most.
const mostOfPage = 2000

// site is the host of a forge's pages.
type site string

// siteOf returns the host of the pages of a forge whose API has an address: the same, but for GitHub's own.
func siteOf(api *url.URL) site {
	bare, is := strings.CutPrefix(api.Host, "api.")
	if is && (bare == "github.com" || strings.HasSuffix(bare, ".ghe.com")) {
		return site(bare)
	}
	return site(api.Host)
}

// tree returns the address of a folder of a branch, in pages of a repository.
func (s site) tree(repository, pages, branch, folder string) string {
	at := url.URL{Scheme: "https", Host: string(s), Path: path.Join("/", repository, pages, branch, folder)}
	return s.page(at.String())
}

// page returns an address for people as it is, and "" where it is none of this forge that a browser may be sent to.
func (s site) page(address string) string {
	at, err := url.Parse(address)
	odd := strings.ContainsFunc(address, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("<>\"`|\\", r)
	})
	if err != nil || odd || len(address) > mostOfPage || at.Scheme != "https" || at.User != nil ||
		!strings.EqualFold(at.Host, string(s)) {
		return ""
	}
	return address
}
