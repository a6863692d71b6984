// Package review knows where ads stand with the service's review: what a reason
// means in words and what to do about it, what was known of each ad last, and when
// to ask again.
//
// It refuses to speak to the service, and to hold or change anything: a rejected ad
// is in sync with its files all the same. Its one invariant: what the service says
// and no table here knows is shown as it is, never left out.
package review
