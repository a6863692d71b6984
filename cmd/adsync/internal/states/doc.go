// Package states has the commands about where the state of an account lies: adsync state copy, between a folder and a
// database, and adsync state accept, after a database went back in time.
//
// It asks the service nothing.
package states
