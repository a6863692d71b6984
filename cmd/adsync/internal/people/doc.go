// Package people has the commands of audiences: which there are and what they may be used for, and the
// operations on who is in one. Open audience.go first.
//
// It refuses to show anybody who is in an audience: the service does not tell. Its invariant: an operation
// that apply has sent stays apply's to follow, whatever is done to it here.
package people
