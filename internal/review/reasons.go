package review

// words are what a code of the service means to whoever wrote the ad, and what to do.
type words struct{ means, do string }

// What most reasons ask for.
const (
	openPage = "open the Target URL in a private " +
		"window, mend the page or the address, and save the ad: a changed ad is reviewed again"
	letIn = "ask whoever runs the site to " +
		"let the service's crawler in, then change the ad (its Body, say): a changed ad is reviewed again"
	laterAgain = "see whether the page answers " +
		"now; if so, change the ad (its Body, say): a changed ad is reviewed again"
	otherPage = "lead the ad to a page that anybody can read, by its Target URL: a changed ad is reviewed again"
)

// reasons are why the service rejects an ad (service facts, part 4). Others are shown
// as they are.
var reasons = map[string]words{
	"crawl_failed":             {"the landing page could not be read", openPage},
	"crawler_bot_blocked":      {"the landing page turns the service's crawler away", letIn},
	"crawler_captcha":          {"the landing page asks for a captcha", letIn},
	"crawler_login_required":   {"the landing page asks for a login", otherPage},
	"crawler_400":              {"the landing page answers that the address is malformed (400)", openPage},
	"crawler_401":              {"the landing page asks for a login (401)", otherPage},
	"crawler_403":              {"the landing page refuses the service's crawler (403)", letIn},
	"crawler_404":              {"the landing page is not there (404)", openPage},
	"crawler_408":              {"the landing page took too long to answer (408)", laterAgain},
	"crawler_410":              {"the landing page is gone for good (410)", otherPage},
	"crawler_429":              {"the site turned the service's crawler away, as it asked too often (429)", letIn},
	"crawler_500":              {"the landing page fails with an error of its site (500)", laterAgain},
	"crawler_502":              {"the landing page fails with an error of its site (502)", laterAgain},
	"crawler_503":              {"the site of the landing page is not available (503)", laterAgain},
	"crawler_504":              {"the site of the landing page did not answer in time (504)", laterAgain},
	"robots_txt":               {"the robots.txt of the site forbids the service's crawler", letIn},
	"unsupported_content_type": {"the Target URL is no web page", otherPage},
	"landing_page_unusable":    {"the landing page cannot be used", openPage},
	"missing_favicon": {"the site of the landing page has no icon",
		"ask whoever runs the site for a favicon, then change the ad (its Body, say): a changed ad is reviewed again"},
	"landing_page_image_processing_failed": {
		"a picture of the landing page could not be read", "give the page " +
			"a picture in JPEG, PNG or WebP, then change the ad (its Body, say): a changed ad is reviewed again",
	},
}

// unknownDo is what to do about a rejection whose reason no table knows, or that has none.
const unknownDo = "read the service's policy for ads, and change the ad: a changed ad is reviewed again"

// whyRejected returns a reason of a rejection in words, and what to do. The reason itself
// stands behind them, so that one that is not known is shown as it is.
func whyRejected(reason string) (means, do string) {
	known, ok := reasons[reason]
	switch {
	case ok:
		return known.means, known.do
	case reason == "":
		return "the service gives no reason", unknownDo
	}
	return "its reason is one that adsync does not know", unknownDo
}

// LooksAt returns the attribute of an ad that a reason is about; "" where none is known.
func LooksAt(reason string) string {
	if _, known := reasons[reason]; known {
		return "target_url"
	}
	return ""
}
