package runview

import (
	"net/url"
	"strings"
)

// Approver is who approved something of a plan at a forge, and where.
type Approver struct {
	By   string `json:"by"`
	Link string `json:"link"` // to the review or comment
}

// Page returns an address as it is, and "" where a browser should not be sent there.
func Page(address string) string {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "https" || at.Host == "" || at.User != nil || printable(address) != address ||
		strings.ContainsAny(address, " <>\"`|\\") {
		return ""
	}
	return address
}
