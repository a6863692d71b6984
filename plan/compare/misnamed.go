package compare

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// takeMisnamed takes what Identify found wrong with the ids of rows. A row whose id names
// nothing, or something else, waits where rows may: nobody can tell what it is. An id that
// two rows have concerns more than a row, and stops everything.
func (d *reading) takeMisnamed() {
	for _, p := range d.Misnamed {
		place, ofRow := d.placeOf(p.Address)
		switch {
		case !ofRow || p.Severity != diag.Error || p.Code == diag.Duplicate:
			d.problems.Add(p)
		default:
			wrong := len(d.wrong)
			if d.refuse(&d.all[place], "", p); len(d.wrong) > wrong {
				d.wrong[wrong].lowers, d.wrong[wrong].adrift = true, true
			}
		}
	}
}

// placeOf finds the row of the files at an address.
func (d *reading) placeOf(address string) (place int, ofRow bool) {
	a, _ := resource.ParseAddress(address)
	place, there := slices.BinarySearchFunc(d.all, a, func(t entry, a resource.Address) int {
		return t.address.Compare(a)
	})
	return place, there && d.all[place].desired != nil
}
