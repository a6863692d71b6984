// Package access has the commands of accounts and credentials: which accounts a credential reaches,
// who it is, and new keys. Open keys.go first.
//
// It refuses to print a secret, and to put one anywhere but into the file that is named. Its
// invariant: a key that may have been made is said.
package access
