package resource

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Membership is how people reach a resource of a kind: by an operation that goes
// on at the service after it was accepted, and of which nothing can be read back
// but a number that each operation raises (interface, part 4, custom audiences).
type Membership struct {
	File       string                // attribute: the file of people
	As         string                // attribute: what the file holds of each
	Do         string                // attribute: which operation the file is for
	Operations []MembershipOperation // the first is meant where the files do not say
	Merge      string                // attribute: the resources a new one is made of, with all their people
	MergeCall  Call                  // the request that makes it
	MergeWire  string                // field of its body with their ids

	People   string // noted: how many people the file has
	Known    string // noted: the most people adsync knows to be in it
	Merged   string // noted: the ids of the resources it was made of
	Revision string // noted: the number of the membership at the service
	Sent     string // noted: how far a list is that goes in several requests

	State  string   // wire field that says how far the service is
	Making []string // states in which nothing can be sent yet
	Failed string   // the state nothing comes after
	Ready  string   // the state in which its people can be merged

	Size  string           // wire field with the range in which the number of its matched people lies
	Under map[string]int64 // of the words of Size: below which number it lies
	Small string           // the state of one that has too few
}

// MembershipOperation is something a file of people can do.
type MembershipOperation struct {
	Name    string // the choice in the files, and the last segment of the path
	Adds    bool   // people who are in the file are in it afterwards
	Removes bool   // people may be in it no more
	Whole   bool   // it is the file afterwards; the service wants the revision it takes the place of
	Resumes bool   // the service can make it go on where it has stopped
}

// Has reports whether an attribute is part of the membership: they reach the service
// together.
func (m *Membership) Has(attribute string) bool {
	return slices.Contains([]string{m.File, m.As, m.Do, m.Merge, m.People}, attribute)
}

// Notes reports whether adsync notes an attribute itself, and no file says it.
func (s *Schema) Notes(attribute string) bool {
	return slices.ContainsFunc(s.Noted, func(a Attribute) bool { return a.Name == attribute })
}

// Operation finds what a value of Do asks for.
func (m *Membership) Operation(do Value) MembershipOperation {
	i := slices.IndexFunc(m.Operations, func(o MembershipOperation) bool { return o.Name == do.Text() })
	return m.Operations[max(i, 0)]
}

// Adding is the operation that takes nobody out.
func (m *Membership) Adding() MembershipOperation {
	i := slices.IndexFunc(m.Operations, func(o MembershipOperation) bool { return o.Adds && !o.Removes })
	return m.Operations[i]
}

// SentSoFar is the note that an operation was carried out for the first people of a list.
func (m *Membership) SentSoFar(digest, operation string, people int) Value {
	return Text(fmt.Sprintf("%s %s %d", digest, operation, people))
}

// SentOf returns for how many people of a list a note says that an operation was carried
// out; 0 where it is of another list or operation.
func (m *Membership) SentOf(note Value, digest, operation string) int {
	said, ok := strings.CutPrefix(note.Text(), digest+" "+operation+" ")
	people, err := strconv.Atoi(said)
	if !ok || err != nil {
		return 0
	}
	return people
}
