package ops

import (
	"cmp"
	"fmt"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/review"
)

// reviewText is what status says of the reviews: how many ads are not approved, and of
// those that were rejected or limited each.
func (d *StatusDocument) reviewText() string {
	if d.Review == nil {
		return ""
	}
	var b strings.Builder
	counts := cmp.Or(planview.ReviewCounts(d.Review), diag.Plural(d.Review.Approved, "ad")+" approved")
	fmt.Fprintf(&b, "review       %s", counts)
	if d.ReviewRead != nil {
		fmt.Fprintf(&b, ", read %s", console.UTC(*d.ReviewRead))
	}
	b.WriteByte('\n')
	for _, l := range d.Review.Ads {
		if l.State != review.InReview {
			fmt.Fprintf(&b, "  %s (%s)  %s\n", l.Called(), l.Address, l.Text())
		}
	}
	return b.String()
}
