// Package members reads a file with the identifiers of people and keeps
// nothing of them but hashes and counts.
//
// It refuses to guess: an identifier that needs a country code added, a name
// taken off or a mailbox's habits known is left out and counted. It never gives
// an identifier to anybody: not in an error, a count, a panic or a file.
//
// Its invariant is that the same people give the same digest, whatever the
// order, case, blanks, repetitions and encoding of the file.
//
// normal.go brings an identifier into the form that is hashed, text.go and workbook.go read the
// files, column.go finds the column, hashes.go keeps what is counted.
package members

import (
	"encoding/hex"
	"strings"
)

// Identifier is what a members file holds of each person (interface, part 2,
// custom audience).
type Identifier string

// The identifiers that are known.
const (
	Email     Identifier = "email"
	Phone     Identifier = "phone"
	EmailHash Identifier = "email_sha256"
	PhoneHash Identifier = "phone_number_sha256"
)

// ruleSet names the rules of normal.go. It is part of each digest, so that other
// rules make another digest.
const ruleSet = "adsync-members-1"

// Hashed is what the identifiers are once they are hashed: the type to upload
// them under.
func (i Identifier) Hashed() Identifier {
	switch i {
	case Email:
		return EmailHash
	case Phone:
		return PhoneHash
	}
	return i
}

// Hash is the SHA-256 of a normalised identifier.
type Hash [32]byte

// String is what is uploaded of a person: lower-case hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Counts say what became of the lines of a file. Read is the sum of the others.
type Counts struct {
	Read      int `json:"read"`
	Used      int `json:"used"`
	Blank     int `json:"blank"`
	Duplicate int `json:"duplicate"`
	Rejected  int `json:"rejected"`
}

// Rejection is a reason for which lines were left out, and some of the lines.
type Rejection struct {
	Reason Reason `json:"reason"`
	Count  int    `json:"count"`
	Lines  []int  `json:"lines"` // the first few, at most maxNamed in all of a file
}

// maxNamed is how many lines of a file are named.
const maxNamed = 20

// List is the people of a file.
type List struct {
	Identifier Identifier
	Counts     Counts
	Rejections []Rejection // in the order of the reasons
	Hidden     int         // hidden rows of a workbook, which were read
	hashes     hashes
	named      int
}

// take reads one identifier.
func (l *List) take(line int, text string) {
	l.Counts.Read++
	text = visible(text)
	if text == "" {
		l.Counts.Blank++
		return
	}
	hash, reason := normalise(l.Identifier, text)
	if reason != "" {
		l.reject(line, reason)
		return
	}
	l.hashes.add(hash)
}

func (l *List) reject(line int, reason Reason) {
	l.Counts.Rejected++
	for i := range l.Rejections {
		if l.Rejections[i].Reason == reason {
			l.Rejections[i].Count++
			l.nameLine(&l.Rejections[i], line)
			return
		}
	}
	l.Rejections = append(l.Rejections, Rejection{Reason: reason, Count: 1, Lines: []int{}})
	l.nameLine(&l.Rejections[len(l.Rejections)-1], line)
}

func (l *List) nameLine(r *Rejection, line int) {
	if l.named < maxNamed {
		l.named++
		r.Lines = append(r.Lines, line)
	}
}

// end counts once every line was taken.
func (l *List) end() *List {
	l.Counts.Used = l.hashes.settle()
	l.Counts.Duplicate = l.Counts.Read - l.Counts.Used - l.Counts.Blank - l.Counts.Rejected
	return l
}

// Fault is why nothing of a file can be used. It says where and what, and never
// what is written there.
type Fault struct {
	Line    int // 0 where it is the file's
	Message string
	Hint    string
}

func (f *Fault) Error() string { return f.Message }

func fault(line int, message, hint string) *Fault { return &Fault{line, message, hint} }

// fold makes names of columns comparable.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}
