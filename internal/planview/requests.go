package planview

import (
	"fmt"
	"slices"
	"strings"

	"adsync/plan"
)

// requests lists what an apply would send, in waves, and what it adds up to.
func (t *printer) requests(all *plan.Requests) {
	if all == nil {
		return
	}
	t.line("")
	t.line("Requests of an apply that goes well:")
	for _, q := range all.Requests {
		t.put(plain, 2, 4, requestLine(q))
	}
	t.put(plain, 2, 4, fmt.Sprintf("%s, %s among "+
		"them that change something; at least %s under the limits of the service",
		Plural(all.Total, "request"), Plural(all.Jobs, "job"), minutes(all.Seconds)))
}

func requestLine(q plan.Request) string {
	count := fmt.Sprint(q.Count)
	if q.AtLeast {
		count = "at least " + count
	}
	line := fmt.Sprintf("%s: %s × %s %s", q.Wave, count, q.Method, q.Path)
	if n := len(q.Operations); n > 0 {
		line += fmt.Sprintf(", %s", operationsOf(q.Operations))
	}
	if q.Bytes > 0 {
		line += ", " + Plural(q.Bytes, "byte")
	}
	if q.FollowUp && !q.AtLeast {
		line += "; what the creates in jobs could not say"
	}
	if q.Why != "" {
		line += "; " + q.Why
	}
	return line
}

func operationsOf(jobs []int) string {
	least, most := slices.Min(jobs), slices.Max(jobs)
	if least == most {
		each := ""
		if len(jobs) > 1 {
			each = " each"
		}
		return Plural(most, "operation") + each
	}
	return fmt.Sprintf("%d to %s", least, Plural(most, "operation"))
}

func minutes(seconds int) string {
	if seconds < 120 {
		return Plural(seconds, "second")
	}
	return strings.TrimSuffix(fmt.Sprintf("%s and %s", Plural(seconds/60, "minute"), Plural(seconds%60, "second")),
		" and 0 seconds")
}
