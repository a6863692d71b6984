package reconcile

// crash hands a panic of this goroutine to whoever ends the process. It is for
// defer, where a goroutine begins: what nobody catches ends the process as well,
// with an exit code that says something else and a text that may quote anything.
func (a *Agent) crash() {
	if a.Crash == nil {
		return
	}
	if cause := recover(); cause != nil {
		a.Crash(cause)
	}
}
