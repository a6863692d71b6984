package review

import "adsync/internal/words/catalogue"

// reasons are why the service rejects an ad (service facts, part 4), each with the name of what to do about it. Others
// are shown as they are.
var reasons = map[string]string{
	"crawl_failed":                         "page",
	"crawler_bot_blocked":                  "crawler",
	"crawler_captcha":                      "crawler",
	"crawler_login_required":               "other-page",
	"crawler_400":                          "page",
	"crawler_401":                          "other-page",
	"crawler_403":                          "crawler",
	"crawler_404":                          "page",
	"crawler_408":                          "later",
	"crawler_410":                          "other-page",
	"crawler_429":                          "crawler",
	"crawler_500":                          "later",
	"crawler_502":                          "later",
	"crawler_503":                          "later",
	"crawler_504":                          "later",
	"robots_txt":                           "crawler",
	"unsupported_content_type":             "other-page",
	"landing_page_unusable":                "page",
	"missing_favicon":                      "favicon",
	"landing_page_image_processing_failed": "picture",
}

// whyRejected returns a reason of a rejection in words, and what to do. The reason itself
// stands behind them, so that one that is not known is shown as it is.
func whyRejected(reason string) (means, do string) {
	known, ok := reasons[reason]
	switch {
	case ok:
		return catalogue.Say("review.reason." + reason), doing(known)
	case reason == "":
		return catalogue.Say("review.no-reason"), doing("policy")
	}
	return catalogue.Say("review.unknown-reason"), doing("policy")
}

// doing is what to do, by its name; "" is nothing.
func doing(name string) string {
	if name == "" {
		return ""
	}
	return catalogue.Say("review.do." + name)
}

// LooksAt returns the attribute of an ad that a reason is about; "" where none is known.
func LooksAt(reason string) string {
	if _, known := reasons[reason]; known {
		return "target_url"
	}
	return ""
}
