package kinds

import (
	"testing"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// A rule that says it advises gives warnings and nothing else: a plan does not
// ask it, and would let through what it refuses.
func TestWhatAdvisesOnlyWarns(t *testing.T) {
	found := 0
	for _, s := range All() {
		for _, rule := range s.Across {
			if !rule.Advises {
				continue
			}
			for _, own := range []string{"a=1", "a=2&a=3", "&", "a=\u00e9", "a b"} {
				see := resource.View{
					Value: func(string) resource.Value { return resource.Text(own) },
					Above: func(resource.Kind, string) resource.Value { return resource.Text("a=9") },
				}
				for _, f := range rule.Check(&see) {
					if found++; f.Severity != diag.Warning {
						t.Errorf("%s: %q of %q is no warning", rule.Name, f.Message, own)
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("no rule that advises found anything")
	}
}
