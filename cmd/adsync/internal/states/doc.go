// Package states has the commands about where the state of an account lies: adsync state copy, between a folder and a
// database, and adsync state accept, after a database went back in time.
//
// It changes nothing at the service; only state accept asks it, for what adsync did since.
package states
