package openpoint

// The points of the ad account, its spend limits, audit logs and credentials.
const (
	AccountStatusRepeat Name = "account_status_again"
	SpendUnavailable    Name = "spend_limits_unavailable_status"
	DailyLimitAmbiguous Name = "daily_limit_ambiguous_status"
	DailyLimitRevision  Name = "daily_limit_revision"
	SpendRevisionScope  Name = "spend_revision_scope"
	AuditLogLag         Name = "audit_log_lag"
	AuditLogTypes       Name = "audit_log_types"
	APIKeyNameField     Name = "api_key_name_field"
	OAuthTokenLife      Name = "oauth_token_lifetime"
	OAuthRefresh        Name = "oauth_refresh_token"
	OAuthAccountHeader  Name = "oauth_account_header"
	RateLimitPerAddress Name = "rate_limit_per_address"
)

var accountPoints = []Point{
	{AccountStatusRepeat, []string{"same", "refused"},
		"same", "activate of an active and pause of a paused ad account: the account as it is, or a conflict",
		"part 3: transition conditions of the ad account status are not shown"},
	{SpendUnavailable, []string{"403", "404", "422"}, "403", "status code of spend limit operations " +
		"on an account that is not on postpaid invoice billing", "part 7 says unavailable; no code is shown"},
	{DailyLimitAmbiguous, []string{"422", "409", "400"}, "422", "status code of a daily " +
		"limit call without window_id when several rules could be meant", "part 7 says rejected; no code is shown"},
	{DailyLimitRevision, []string{"required", "optional"},
		"required", "whether daily limit calls need expected_revision; one that is sent is always checked",
		"part 4, spend limit rule 8: how clients name the revision is not shown"},
	{SpendRevisionScope, []string{"all", "daily"},
		"all", "whether changes of dated windows also raise the revision", "part 4, spend limit rule 8: not shown"},
	{AuditLogLag, []string{"0s", "5s", "60s"}, "0s",
		"how long a change stays out of the audit logs", "part 4: not shown"},
	{AuditLogTypes, []string{"action", "update"}, "action",
		"audit_log_type of activate, pause and archive: activate_campaign, or update_campaign like every other change",
		"part 2: field lists of audit log entries are not shown"},
	{APIKeyNameField, []string{"key_name", "name"}, "key_name", "field of POST /api_keys " +
		"that names the key; two clients differ", "part 4: the request body of API key creation is not shown"},
	{OAuthTokenLife, []string{"1h", "5m", "24h"}, "1h",
		"how long an OAuth access token is good for", "part 5: token lifetime is not shown"},
	{OAuthRefresh, []string{"replaced", "kept"}, "replaced",
		"whether a use of a refresh token replaces it by a new one", "part 5: the OAuth flows are not shown"},
	{OAuthAccountHeader, []string{"required", "optional_for_one"}, "required",
		"whether a user who reaches one ad account must still name it", "part 5: the selector for OAuth is not shown"},
	{RateLimitPerAddress, []string{"yes", "no"}, "yes", "whether the rate limits " +
		"also count all requests from one address", "part 8: not shown; published as per account and per address"},
}
