package forge

// What a push did to its branch. Anything else moved it.
const (
	branchMade    = "made"
	branchRemoved = "removed"
)

// pushed is who pushed to a branch, read from the newest push to the oldest: each ends where the next newer one begins,
// so that none is missing, and the last made the branch. Who removes it, as people do once it is merged, wrote nothing.
type pushed struct {
	end  string // the commit at which the next older one ends
	made string // the commit at which the branch was made; "" before that is read
	by   []string

	done, broken bool
}

// add takes the next older one.
func (p *pushed) add(did, from, to, by string) {
	switch {
	case p.done:
	case p.made != "" && did == branchRemoved && from == p.made: // somebody restored it: what is older counts
		p.end, p.made = from, ""
	case p.made != "":
		p.done = true
	case did == branchRemoved:
	case to != p.end:
		p.broken, p.done = true, true
	default:
		p.by, p.end = append(p.by, by), from
		if did == branchMade {
			p.made = to
		}
	}
}

// whole reports whether all of them are read.
func (p *pushed) whole() bool { return p.made != "" && !p.broken }
