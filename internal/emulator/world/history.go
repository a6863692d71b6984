package world

// History is the whole mutation log so far, oldest first, durable, and without a
// copy: entry i has Seq i+1, and nothing of it may be changed.
func (w *World) History() ([]Mutation, error) {
	w.log.mu.Lock()
	all := w.log.entries[:len(w.log.entries):len(w.log.entries)]
	w.log.mu.Unlock()
	return all, w.store.Wait(w.store.Last())
}
