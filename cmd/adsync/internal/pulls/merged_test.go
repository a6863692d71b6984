package pulls

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"adsync/internal/forge"
)

// lost is a forge that does not answer for the pull requests of some numbers.
type lost struct {
	*hub
	is func(number int) bool
}

func (l lost) Find(ctx context.Context, number int) (forge.Pull, error) {
	if l.is(number) {
		return forge.Pull{}, errors.New("away")
	}
	return l.hub.Find(ctx, number)
}

// However many that were merged are followed, or cannot be found, one that is merged now has its result at once, and
// those that are followed have theirs in turn.
func TestThoseThatAreMergedAreSeenToInTurn(t *testing.T) {
	const many = mostPlans + 5
	for name, is := range map[string]func(number int) bool{
		"they are not done":  func(int) bool { return false },
		"they are not found": func(number int) bool { return number <= many },
		"some are, some not": func(number int) bool { return number <= many/2 },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Forge = lost{f.hub, is}
			for n := range many + 1 {
				number := n + 1
				f.hub.open = append(f.hub.open, forge.Pull{Number: number, Head: fmt.Sprint(number)})
				f.plans[number], f.hub.merged[number] = "up", "m"
			}
			f.look(t)
			f.look(t)
			newest := f.hub.open[many]
			f.hub.open = []forge.Pull{newest}
			f.look(t)
			f.hub.open = nil
			if got := strings.Join(f.look(t), "\n"); !strings.Contains(got, "merged") ||
				!strings.Contains(got, fmt.Sprint(newest.Number, " ")) {
				t.Errorf("the forge is asked\n%s\nwant the result of %d among it", got, newest.Number)
			}
			f.look(t)
			for number := range f.said {
				if told := f.said[number].Merged != ""; told == is(number) {
					t.Errorf("pull request %d is told its result: %t; want %t", number, told, !is(number))
				}
			}
		})
	}
}

// One that the forge does not answer for keeps no yes to another from the run that reads its merge.
func TestARunTakesEachYesThatThereIs(t *testing.T) {
	f := newConsenting(t)
	f.Forge = lost{f.hub, func(number int) bool { return number == 8 }}
	f.hub.open, f.plans[8] = append(f.hub.open, forge.Pull{Number: 8, Head: "h8"}), "up"
	f.reviews("bob", "h1")
	f.look(t)
	f.hub.heads[7], f.hub.merged[7], f.hub.open = "h1", "m1", nil
	f.now = f.now.Add(time.Minute)
	f.Settle(t.Context())
	if len(f.given) != 2 {
		t.Errorf("the run knows of %q; want what bob approved", f.given)
	}
}
