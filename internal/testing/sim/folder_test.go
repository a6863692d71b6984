package sim

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"adsync/internal/testing/oracle"
	"adsync/state"
)

// folder is a state in real files. Each process finds it as the one before left
// it: killed, with a write lost or kept. On the way it is opened damaged, too.
type folder struct {
	root    string
	lives   int
	options state.Options
	chance  *rand.Rand

	left image          // what a process that died left, where it is not what stands there now
	torn image          // the same, with some sectors of the write that was under way
	due  oracle.Version // what that write would have made of the state
}

// image is the files of a folder by name.
type image map[string][]byte

func newFolder(o state.Options, chance *rand.Rand) *folder {
	root, err := os.MkdirTemp(memoryRoot(), "adsync-sim-")
	if err != nil {
		panic(err)
	}
	return &folder{root: root, options: o, chance: chance}
}

// memoryRoot is in memory where the machine has such a place.
func memoryRoot() string {
	if at, err := os.Stat("/dev/shm"); err == nil && at.IsDir() {
		return "/dev/shm"
	}
	return ""
}

func (f *folder) remove() { _ = os.RemoveAll(f.root) }

func (f *folder) dir() string { return filepath.Join(f.root, fmt.Sprint(f.lives)) }

func (f *folder) open() (state.Store, error) {
	return state.Open(context.Background(), f.dir(), f.options)
}

// files returns what stands there, without what is made anew by whoever opens it.
func (f *folder) files() image {
	files := image{}
	entries, err := os.ReadDir(f.dir())
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		if name := e.Name(); name != "lock" && !strings.HasSuffix(name, "-shm") {
			if files[name], err = os.ReadFile(filepath.Join(f.dir(), name)); err != nil {
				panic(err)
			}
		}
	}
	return files
}

// lay puts files into a folder of their own.
func (f *folder) lay(files image) {
	f.lives++
	if err := os.MkdirAll(f.dir(), 0o700); err != nil {
		panic(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(f.dir(), name), content, 0o600); err != nil {
			panic(err)
		}
	}
}

// tear does the write at which a process died, and notes what is left where it
// was lost, or was on its way to the disk.
func (d *disk) tear(keep bool, do func() error) {
	f := d.folder
	before, sent, begun, steps := f.files(), maps.Clone(d.sent), maps.Clone(d.begun), maps.Clone(d.steps)
	d.looked(d.Header(), digest(d.Store))
	if do() != nil {
		return
	}
	if keep {
		d.wrote(d.Header(), false)
		return
	}
	after := f.files()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent, d.begun, d.steps = refill(d.sent, sent), refill(d.begun, begun), refill(d.steps, steps)
	f.left, f.torn, f.due = before, f.mixed(before, after), version(d.Store)
}

// refill gives a map the content of another.
func refill[V any](m, with map[string]V) map[string]V {
	clear(m)
	maps.Copy(m, with)
	return m
}

// mixed is what is there before a write, with some sectors of what is after it.
func (f *folder) mixed(before, after image) image {
	const sector = 512
	mix := maps.Clone(before)
	for name, content := range after {
		was := mix[name]
		now := slices.Clone(content)
		for at := 0; at < len(now); at += sector {
			end := min(at+sector, len(now))
			if f.chance.IntN(2) == 0 {
				clear(now[at:end])
				copy(now[at:end], was[min(at, len(was)):min(end, len(was))])
			}
		}
		mix[name] = now
	}
	return mix
}

// reopen gives the state of an agent to its next process, as the one before left
// it, and has damaged copies of it opened as well.
func (w *world) reopen(agent int) {
	d := w.disks[agent]
	f := d.folder
	if f == nil {
		return
	}
	left := f.left
	if left == nil {
		d.looked(d.Header(), digest(d.Store))
		left = f.files()
	}
	if f.torn != nil {
		w.load(agent, "some sectors of a write", f.torn)
	}
	w.load(agent, "a file cut short", f.cut(left))
	w.load(agent, "a bit flipped", f.flipped(left))
	f.left, f.torn, f.due = nil, nil, oracle.Version{}
	_ = d.Close()
	f.lay(left)
	if store := w.judge(agent, "", f.open); store != nil {
		d.Store = store
	}
}

// some is one of the files, the longer ones more often.
func (f *folder) some(files image) string {
	names, total := slices.Sorted(maps.Keys(files)), 0
	for _, content := range files {
		total += 1 + len(content)
	}
	at := f.chance.IntN(total)
	for _, name := range names {
		if at -= 1 + len(files[name]); at < 0 {
			return name
		}
	}
	panic("no file")
}

func (f *folder) cut(files image) image {
	name, with := f.some(files), maps.Clone(files)
	with[name] = with[name][:f.chance.IntN(len(with[name])+1)]
	return with
}

func (f *folder) flipped(files image) image {
	name, with := f.some(files), maps.Clone(files)
	if len(with[name]) > 0 {
		with[name] = bytes.Clone(with[name])
		with[name][f.chance.IntN(len(with[name]))] ^= 1 << f.chance.IntN(8)
	}
	return with
}

// load opens a damaged copy, as commands that only read do.
func (w *world) load(agent int, damage string, files image) {
	f := w.disks[agent].folder
	f.lay(files)
	store := w.judge(agent, damage, func() (state.Store, error) { return state.OpenReadOnly(w.ctx, f.dir()) })
	if store != nil {
		_ = store.Close()
	}
	_ = os.RemoveAll(f.dir())
}

// judge notes what became of a state that was opened; nil where it was refused.
func (w *world) judge(agent int, damage string, open func() (state.Store, error)) state.Store {
	noted := oracle.Load{
		Agent: agent, Damage: damage, Before: len(w.history.Versions[agent]) - 1, Due: w.disks[agent].folder.due,
	}
	store, err := open()
	became := "opened"
	if err != nil {
		noted.Refused, store, became = err.Error(), nil, "refused"
	} else {
		noted.Got = version(store)
	}
	w.count(fmt.Sprintf("state %s, damage %q", became, damage))
	w.history.Loads = append(w.history.Loads, noted)
	return store
}

func version(s state.Store) oracle.Version {
	h := s.Header()
	return oracle.Version{Serial: h.Serial, Lineage: h.Lineage, Digest: digest(s)}
}

// digest is everything a state says, in one line.
func digest(s state.Store) string {
	ctx := context.Background()
	last, failed := s.Last(ctx)
	check(failed)
	text := fmt.Sprintf("%+v", s.Header())
	for r := range last.All() {
		text += fmt.Sprintf("\n%+v", *r)
	}
	for _, read := range []func() (any, error){
		func() (any, error) { return s.Open(ctx) },
		func() (any, error) { return s.Files(ctx) },
		func() (any, error) { return s.Capabilities(ctx) },
		func() (any, error) { return s.Blocked(ctx) },
		func() (any, error) { return s.Runs(ctx, 0) },
	} {
		what, failed := read()
		check(failed)
		text += fmt.Sprintf("\n%+v", what)
	}
	return text
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
