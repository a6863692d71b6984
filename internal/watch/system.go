package watch

import (
	"path/filepath"
	"slices"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// News is what the system tells of folders. The zero News tells nothing.
type News struct {
	Events <-chan fsnotify.Event
	Errors <-chan error
	// Add asks for news of a folder: of everything in it, or of the names alone, which may be patterns.
	Add   func(folder string, names ...string) error
	Close func()
}

// System asks the system to tell, once for all folders of this process: a user
// has few of its queues. Many file systems never tell anything: those that lie on
// another machine, and most that a program makes (fault F12).
type System struct {
	watcher *fsnotify.Watcher
	ended   chan struct{}

	mu   sync.Mutex
	ears map[*ear]bool
}

// ear is who listens to some folders.
type ear struct {
	system  *System
	folders map[string][]string // the names that are listened for; empty for all
	events  chan fsnotify.Event
	errors  chan error
}

// pendingNews is how much an ear keeps. What is more is let go: a look is due
// already.
const pendingNews = 16

// NewSystem opens the system's queue. It must be closed.
func NewSystem() (*System, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	s := &System{watcher: w, ended: make(chan struct{}), ears: map[*ear]bool{}}
	go s.hear()
	return s, nil
}

// Close ends all news, and waits for that.
func (s *System) Close() error {
	err := s.watcher.Close()
	<-s.ended
	return err
}

// Listen returns news of the folders that are added to it.
func (s *System) Listen() (News, error) {
	e := &ear{
		system: s, folders: map[string][]string{},
		events: make(chan fsnotify.Event, pendingNews), errors: make(chan error, pendingNews),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ears[e] = true
	return News{Events: e.events, Errors: e.errors, Add: e.add, Close: e.close}, nil
}

func (e *ear) add(folder string, names ...string) error {
	e.want(folder, names)
	return e.system.watcher.Add(folder) // anew each time: another folder may stand there by now
}

func (e *ear) want(folder string, names []string) {
	e.system.mu.Lock()
	defer e.system.mu.Unlock()
	if had, listens := e.folders[folder]; !listens || len(had) > 0 { // all of it is more than some names
		e.folders[folder] = names
	}
}

// close ends the news of one ear, and lets folders go that nobody else listens to.
func (e *ear) close() {
	for _, folder := range e.system.leave(e) {
		_ = e.system.watcher.Remove(folder) // gone already is as good
	}
}

// leave takes an ear off, and gives the folders that only it listened to.
func (s *System) leave(e *ear) (alone []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ears, e)
	for folder := range e.folders {
		if !s.listened(folder) {
			alone = append(alone, folder)
		}
	}
	return alone
}

func (s *System) listened(folder string) bool {
	for e := range s.ears {
		if _, listens := e.folders[folder]; listens {
			return true
		}
	}
	return false
}

func (s *System) hear() {
	defer close(s.ended)
	events, errs := s.watcher.Events, s.watcher.Errors
	for events != nil || errs != nil {
		select {
		case event, open := <-events:
			if !open {
				events = nil
				continue
			}
			s.tell(event)
		case err, open := <-errs:
			if !open {
				errs = nil
				continue
			}
			s.warn(err)
		}
	}
}

func (s *System) tell(event fsnotify.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := range s.ears {
		if e.hears(event.Name) {
			select {
			case e.events <- event:
			default:
			}
		}
	}
}

// hears reports whether an event is of a folder that is listened to, or in it.
func (e *ear) hears(name string) bool {
	if names, itself := e.folders[name]; itself && len(names) == 0 {
		return true
	}
	names, inside := e.folders[filepath.Dir(name)]
	return inside && (len(names) == 0 || slices.ContainsFunc(names, func(pattern string) bool {
		matches, _ := filepath.Match(pattern, filepath.Base(name)) // patterns are the program's own
		return matches
	}))
}

// warn tells everybody that news was lost: nobody knows whose.
func (s *System) warn(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := range s.ears {
		select {
		case e.errors <- err:
		default:
		}
	}
}
