package compare

import "adsync/internal/resource"

// mostReverts is how many applies in a row may write the same attribute back:
// somebody who changes it again each time manages it too (fault C7).
const mostReverts = 3

// reverts is how many applies in a row have written an attribute back.
func (d *comparedFields) reverts(at resource.Address, attribute string) int64 {
	if r := d.Reverted.Get(at); r != nil {
		n, _ := r.Value(attribute).Number()
		return n
	}
	return 0
}
