package session

import (
	"time"

	"adsync/internal/watch"
)

// How long files must hold still before they are taken for written, and how
// often they are looked at where nothing tells of a change.
const (
	QuietTime = 300 * time.Millisecond
	LookAgain = 5 * time.Second
)

// Watcher returns what watches the files of a folder.
func Watcher(env *Env, dir string, lookAgain time.Duration,
	listen func() (watch.News, error), look func() time.Duration) *watch.Watcher {
	return &watch.Watcher{Root: dir, Quiet: QuietTime, LookAgain: lookAgain, Listen: listen, Look: look, Note: env.Note}
}

// SystemNews is what the system tells this command.
func SystemNews() (watch.News, error) {
	s, err := watch.NewSystem()
	if err != nil {
		return watch.News{}, err
	}
	n, err := s.Listen()
	leave := n.Close
	n.Close = func() { leave(); _ = s.Close() } // the process ends
	return n, err
}
