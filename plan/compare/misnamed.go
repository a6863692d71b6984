package compare

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan/drafting"
)

// takeMisnamed takes what Identify found wrong with the ids of rows. A row whose id names
// nothing, or something else, waits where rows may: nobody can tell what it is. An id that
// two rows have concerns more than a row, and stops everything.
func (d *reading) takeMisnamed() {
	for _, p := range d.Misnamed {
		place, ofRow := d.placeOf(p.Address)
		switch {
		case !ofRow || p.Severity != diag.Error || p.Code == diag.Duplicate:
			d.Problems.Add(p)
		default:
			wrong := len(d.Wrong)
			if d.Refuse(&d.All[place], "", p); len(d.Wrong) > wrong {
				d.Wrong[wrong].Lowers, d.Wrong[wrong].Adrift = true, true
			}
		}
	}
}

// placeOf finds the row of the files at an address.
func (d *reading) placeOf(address string) (place int, ofRow bool) {
	a, _ := resource.ParseAddress(address)
	place, there := slices.BinarySearchFunc(d.All, a, func(t drafting.Entry, a resource.Address) int {
		return t.Address.Compare(a)
	})
	return place, there && d.All[place].Desired != nil
}
