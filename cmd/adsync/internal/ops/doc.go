// Package ops holds the commands of who operates an account: status, doctor,
// explain, policy, audit, insights, history, show, forget, suspend, reconcile,
// unlock and pause-all.
//
// Each command has a file of its own. Only pause-all changes the account.
//
// A file a command; what does not say so: figures.go is shared by insights and hotels,
// reviews.go is what status says of reviews; explainaddress.go and explaincolumns.go are two
// answers of explain.
package ops
