package sim

import (
	"slices"
	"time"
)

// patience is how long a history that went wrong is made smaller.
const patience = 20 * time.Second

// shrink returns the smallest script found that still goes wrong, and how.
func shrink(s script, bad error, play func(script) error) (script, error) {
	until := time.Now().Add(patience)
	for smaller := true; smaller && time.Now().Before(until); {
		smaller = false
		for _, try := range simpler(s) {
			if time.Now().After(until) {
				break
			}
			if err := play(try); err != nil {
				s, bad, smaller = try, err, true
				break
			}
		}
	}
	return s, bad
}

// simpler are scripts with one thing less, the largest steps first.
func simpler(s script) []script {
	var tries []script
	for _, n := range []int{4, 2, 1} {
		for i := len(s.Actions) - n; i >= 0; i-- {
			tries = append(tries, s.with(slices.Delete(slices.Clone(s.Actions), i, i+n)))
		}
	}
	for _, change := range []func(*script){
		func(s *script) { s.Points = 0 }, func(s *script) {
			s.Wire =
				false
		}, func(s *script) { s.Read = false }, func(s *script) { s.Disk = false }, func(s *script) {
			s.Prune =
				""
		}, func(s *script) { s.Revert = false }, func(s *script) { s.Strict = s.Guards },
	} {
		try := s
		if change(&try); !try.equal(s) {
			tries = append(tries, try)
		}
	}
	for i := range s.Actions {
		for _, change := range []func(*action){
			func(a *action) { a.Death = death{} }, func(a *action) { a.Cut = cut{} }, func(a *action) { a.Agent = 0 },
			func(a *action) { a.Target = 0 }, func(a *action) { a.What = 0 }, func(a *action) { a.Value = 0 },
		} {
			try := s.with(slices.Clone(s.Actions))
			if change(&try.Actions[i]); !try.equal(s) {
				tries = append(tries, try)
			}
		}
	}
	return tries
}

func (s script) with(actions []action) script {
	s.Actions = actions
	return s
}

func (s script) equal(other script) bool {
	return s.Points == other.Points && s.Wire == other.Wire &&
		s.Read == other.Read && s.Disk == other.Disk && s.Prune == other.Prune &&
		s.Revert == other.Revert && s.Strict == other.Strict && s.Kinds == other.Kinds && s.Turns == other.Turns &&
		s.Guards == other.Guards && s.Spoils == other.Spoils && slices.Equal(s.Actions, other.Actions)
}
