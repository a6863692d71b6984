package kinds

import (
	"fmt"
	"net/url"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// acrossTracking are warnings about parameters that do not arrive as they are
// written (interface, part 2, tracking parameters). above are the kinds whose
// templates this one goes over, the nearest first.
func acrossTracking(own resource.Kind, above ...resource.Kind) []resource.Across {
	return []resource.Across{
		{Name: "interface, part 2, campaign: a query string template", Advises: true, Check: trackingReads},
		{Name: "interface, part 2, tracking rules 2 and 3: of a key at two levels that of the ad wins, then " +
			"the ad group, then the campaign", Advises: true, Check: func(see *resource.View) []resource.Finding {
			return overriding(see, own, above)
		}},
	}
}

// trackingReads warns of what a browser or a report may read otherwise.
func trackingReads(see *resource.View) []resource.Finding {
	v := see.Value("tracking")
	if !v.IsSet() {
		return nil
	}
	seen := map[string]bool{}
	var findings []resource.Finding
	for _, p := range resource.Parameters(v.Text()) {
		switch {
		case p.Key == "":
			findings = append(findings,
				unclear("", "tracking has a parameter without a name; want key=value pairs joined by one &"))
		case seen[p.Key]:
			findings = append(findings, unclear("", "tracking has "+
				"the parameter %q twice, and what reads it may take either; want it once", diag.Printable(p.Key)))
		}
		seen[p.Key] = true
	}
	if encoded := encodedASCII(v.Text()); encoded != v.Text() {
		f := unclear("", "tracking holds letters an address does not; want them encoded")
		f.Hint = "write " + encoded
		findings = append(findings, f)
	}
	return findings
}

// encodedASCII writes what an address cannot hold as its percent escapes.
func encodedASCII(template string) string {
	var b strings.Builder
	for _, r := range template {
		if r > ' ' && r < 0x7f && !strings.ContainsRune("\"<>\\^`|", r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(url.QueryEscape(string(r)))
	}
	return b.String()
}

// overriding says, once for each parameter of a template that another level
// sets too, which of the two arrives.
func overriding(see *resource.View, own resource.Kind, above []resource.Kind) []resource.Finding {
	v := see.Value("tracking")
	if !v.IsSet() {
		return nil
	}
	var findings []resource.Finding
	for _, kind := range above {
		lower := see.Above(kind, "tracking")
		if !lower.IsSet() {
			continue
		}
		for _, p := range resource.Parameters(v.Text()) {
			for _, l := range resource.Parameters(lower.Text()) {
				if p.Key == l.Key && p.Value != l.Value {
					findings = append(findings, unclear(fmt.Sprintf("%s %s %s", lower.Position, own, p.Key),
						"tracking sets %q, which the tracking of its %s sets too%s; of the two that of the %s arrives",
						diag.Printable(p.Key), called(kind), place(lower), called(own)))
				}
			}
		}
	}
	return findings
}

func called(kind resource.Kind) string { return strings.ReplaceAll(string(kind), "_", " ") }

func unclear(once, format string, args ...any) resource.Finding {
	return resource.Finding{
		Code: diag.Overridden, Severity: diag.Warning,
		Attribute: "tracking", Once: once, Message: fmt.Sprintf(format, args...),
	}
}
