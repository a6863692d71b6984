// Package branch keeps the state of one account on a git branch, for pipelines whose runners forget: each run fills an
// ordinary state folder from the branch, works there, and pushes what it wrote as files that people can compare.
//
// It refuses to begin anew where a record is not found, to go on from files that the key of the apply environment did
// not sign, and to work while another run has the account. Its invariant: no request is sent before the branch holds
// its exact bytes and its key, and says that it may have been sent.
//
// Open branch.go first (Open, OpenReadOnly, Begin), then store.go (when is pushed), files.go (what), copy.go.
package branch
