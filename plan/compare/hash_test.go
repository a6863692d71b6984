package compare_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"adsync/plan"
	"adsync/plan/compare"

	"pgregory.net/rapid"
)

// TestTheHashIsThatOfTheDocument: whoever reads the JSON form can compute the hash,
// without what decides nothing.
func TestTheHashIsThatOfTheDocument(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := compare.Diff(draw(rt, true).input(t))
		d := p.Document()
		d.Money, d.Base, d.Without = &plan.Money{}, nil, nil
		for i := range d.Changes {
			c := &d.Changes[i]
			c.Foreign, c.Pending, c.RestOf, c.Without = nil, false, "", nil
			for _, fields := range [][]plan.FieldDocument{c.Fields, c.Recorded} {
				for j := range fields {
					fields[j].Edited, fields[j].Foreign, fields[j].Pending = nil, nil, false
				}
			}
		}
		text, err := json.Marshal(d)
		if err != nil {
			rt.Fatal(err)
		}
		sum := sha256.Sum256(text)
		if want := hex.EncodeToString(sum[:]); p.Hash() != want {
			rt.Errorf("hash is %s; want %s, of %s", p.Hash(), want, text)
		}
	})
}
