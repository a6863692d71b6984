// Package ops holds the commands of who operates an account: status, doctor,
// explain, policy, audit, insights, history, show, forget, suspend, reconcile,
// unlock and pause-all.
//
// Each command has a file of its own. Only pause-all changes the account.
package ops
