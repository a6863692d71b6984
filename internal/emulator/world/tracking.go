package world

// Tracking is the account's own tracking settings: defaults below those of
// campaigns, ad groups and ads (interface, part 2, tracking parameters). The
// service sets them in its web interface only.
type Tracking struct {
	AccountID           string `json:"account_id"`
	QueryStringTemplate string `json:"query_string_template"`
}
