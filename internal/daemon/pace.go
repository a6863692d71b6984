package daemon

import "time"

// pacing says what the loop does after a run that ended in a class.
type pacing struct {
	first  time.Duration // to the next attempt; 0: there is none but by what wakes it
	grows  bool          // it doubles with each failure in a row
	most   time.Duration
	failed bool // it counts among the failures in a row
}

// paces is the table of the loop. Where a class has no attempt of its own, the
// loop goes on looking as often as it is told to.
var paces = map[Class]pacing{
	Transient:   {first: 5 * time.Second, grows: true, most: 15 * time.Minute, failed: true},
	Internal:    {first: 30 * time.Second, grows: true, most: 15 * time.Minute, failed: true},
	Locked:      {first: 15 * time.Second, grows: true, most: 2 * time.Minute, failed: true},
	Credentials: {first: 10 * time.Minute, failed: true},
	Misplaced:   {first: 10 * time.Minute},
}

// retryIn is how long the loop waits for its next attempt after so many failures
// in a row; 0 where there is none. chance is in [0, 1): loops that failed together
// do not come back together.
func retryIn(class Class, failures int, chance float64) time.Duration {
	p := paces[class]
	if p.first == 0 || !p.grows {
		return p.first
	}
	wait := p.most
	if doubled := failures - 1; doubled < 20 {
		wait = min(p.first<<max(doubled, 0), p.most)
	}
	return wait - time.Duration(chance*float64(wait)/4)
}

// spread is a time that is up to a tenth shorter, so that accounts do not ask all
// at once.
func spread(d time.Duration, chance float64) time.Duration {
	return d - time.Duration(chance*float64(d)/10)
}

// worst orders classes by how much they ask of a person.
var worst = []Class{InSync, Applied, Stopped, Suspended,
	Held, Transient, Locked, Partial, Undecided, Credentials, Input, Misplaced, Internal}
