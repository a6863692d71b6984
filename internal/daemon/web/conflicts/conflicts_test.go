package conflicts

import (
	"fmt"
	"testing"
	"time"

	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/words"
	"adsync/plan"
)

// TestWhatNobodyElseChangedCostsNothing: a page of a plan of ten thousand creates that wait for a yes is as quick as
// one of none, and as many conflicts as a page has room for do not cost more where there are more.
func TestWhatNobodyElseChangedCostsNothing(t *testing.T) {
	document := func(creates, foreign int) *planview.Document {
		p := &planview.Document{}
		for i := range creates + foreign {
			address := resource.Address{Kind: "campaign", Key: fmt.Sprint("c", i)}
			c := plan.ChangeDocument{Kind: "campaign", Address: address.String()}
			c.Fields = []plan.FieldDocument{{Name: "name"}}
			if i >= creates {
				last, live := resource.Text("ours"), resource.Text("theirs")
				c.Fields[0].Last, c.Fields[0].Live, c.Fields[0].Held = &last, &live, &plan.HoldDocument{}
			}
			p.Changes = append(p.Changes, c)
			p.Asks = append(p.Asks,
				planview.Ask{Item: fmt.Sprint("item", i), Allow: plan.AllowAt(plan.Conflicts, address)})
		}
		return p
	}
	counted := func(p *planview.Document) float64 {
		return testing.AllocsPerRun(3, func() { Of(nil, p, &words.Names{}, time.UTC) })
	}
	if n := counted(document(10_000, 0)); n != 0 {
		t.Errorf("10,000 creates take %.0f allocations; want none", n)
	}
	few, many := document(0, most), document(0, 10*most)
	if a, b := counted(few), counted(many); b > a {
		t.Errorf("%d conflicts take %.0f allocations, %d take %.0f; want no more", most, a, 10*most, b)
	}
	v := Of(nil, many, &words.Names{}, time.UTC)
	if len(v.All) != most || v.More != 9*most || v.All[1].Mine != "item1" {
		t.Errorf("%d shown, %d more, the second is %+v; want %d, %d and item1",
			len(v.All), v.More, v.All[1], most, 9*most)
	}
}
