package direct

import "testing"

func TestOnlySomeVerbsCanBeAllowed(t *testing.T) {
	for text, good := range map[string]bool{
		"direct=audience-cancel": true, "direct=conversions-send": true,
		"direct=keys-create": false, "direct=": false, "direct=audience cancel": false,
	} {
		if err := CheckAllowance(text); (err == nil) != good {
			t.Errorf("CheckAllowance(%q) = %v; want good: %t", text, err, good)
		}
	}
}
