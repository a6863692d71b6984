package geo

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"
	"sync"
)

// Place is a location of the catalogue.
type Place struct {
	ID          string // decimal
	Name        string
	Type        string // country, region, dma
	CountryCode string // ISO 3166-1 alpha-2
	RegionCode  string // ISO 3166-2 of a region, market number of a dma; "" of a country
	ParentID    string // "" of a country
}

// The catalogue is a sample: every country, the regions of some, the greatest
// markets of one. Ids 1000055, 2000043, 3000001 and 3000194 are the published
// ones; assumption: the others are the emulator's own, in the same ranges, and
// never change.
//
//go:embed catalogue.csv
var file string

type index struct {
	all  []Place // in order of ids
	byID map[string]int
}

var catalogue = sync.OnceValue(func() index {
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("read the embedded catalogue: %v", err))
	}
	c := index{byID: make(map[string]int, len(rows))}
	for _, r := range rows[1:] {
		c.byID[r[0]] = len(c.all)
		c.all = append(c.all, Place{r[0], r[1], r[2], r[3], r[4], r[5]})
	}
	return c
})

// Find is the place of that id.
func Find(id string) (Place, bool) {
	c := catalogue()
	i, ok := c.byID[id]
	if !ok {
		return Place{}, false
	}
	return c.all[i], true
}

// CanonicalName is the name with those of the places around it, such as
// "California, United States".
func (p Place) CanonicalName() string {
	if parent, ok := Find(p.ParentID); ok {
		return p.Name + ", " + parent.CanonicalName()
	}
	return p.Name
}
