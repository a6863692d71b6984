package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"adsync/state/postgres"
)

// A copy keeps the lineage of a state, and all its records. The source is closed first, by a commit of its own, and
// every later Open of it is ErrMoved; only then is anything written in the target, in one transaction. So no two
// states of one account can ever be written, wherever a copy is cut short, and another one ends it.

// End is where a copy begins or ends: a folder, or an account of a database.
type End interface {
	String() string
	there(ctx context.Context) (bool, error)
	// take opens what is there for this process, also where it is closed. It returns no ledger where nothing is.
	take(ctx context.Context, o Options) (*ledger, error)
	// mark names this very place, and none that looks like it.
	mark(ctx context.Context) (string, error)
	// receive puts records in the place of what was taken. It is errTaken where something else came there meanwhile.
	receive(ctx context.Context, there *ledger, h Header, t tally, writes []write) error
	release() error
}

// errTaken says that a target was empty, and is not any more.
var errTaken = errors.New("another state has come there meanwhile")

// Copied is what a copy did.
type Copied struct {
	Header  Header // in the target
	Records int64
	Open    int  // steps of the journal that are open
	Before  bool // an earlier copy, which was cut short, had done it
}

// Copy moves the state of an account from one place to another. It refuses a target that has a state which the
// source does not follow. Once the source is closed, and before the target can be opened, beside copies what is kept
// beside the state; another copy, of one that was cut short, asks for it again.
func Copy(ctx context.Context, from, to End, account string, beside func() error, o Options) (c Copied, err error) {
	there, err := from.there(ctx)
	if err == nil && !there {
		err = ErrNone
	}
	if err != nil {
		return c, fmt.Errorf("copy %s: %w", from, err)
	}
	defer func() { err = errors.Join(err, to.release(), from.release()) }()
	source, err := from.take(ctx, o)
	if err != nil {
		return c, fmt.Errorf("copy %s: %w", from, err)
	}
	target, err := to.take(ctx, o)
	if err != nil {
		return c, fmt.Errorf("copy to %s: %w", to, err)
	}
	if err := source.isOf(account); err != nil {
		return c, fmt.Errorf("copy %s: %w", from, err)
	}
	if c, err = copyLedger(ctx, source, target, from, to, beside); err != nil {
		return c, fmt.Errorf("copy %s to %s: %w", from, to, err)
	}
	return c, nil
}

func (l *ledger) isOf(account string) error {
	if id := l.header.Account.ID; id != "" && id != account {
		return fmt.Errorf("%w: it is of %s; want %s", ErrForeign, id, account)
	}
	return nil
}

func copyLedger(ctx context.Context, source, target *ledger, from, to End, beside func() error) (Copied, error) {
	mark, err := to.mark(ctx)
	if err != nil {
		return Copied{}, err
	}
	gone, err := source.moved()
	if err != nil {
		return Copied{}, err
	}
	if gone != nil && gone.Mark != mark {
		return Copied{}, source.here()
	}
	done, err := follows(source, target, gone != nil)
	if err != nil {
		return Copied{}, err
	}
	if done {
		return target.copied(true), nil
	}
	closed := false
	if gone == nil {
		if err := source.leave(to.String(), mark); err != nil {
			return Copied{}, err
		}
		closed = true
	}
	if err := beside(); err != nil {
		return Copied{}, err
	}
	h, t, writes, err := source.forTarget(from.String())
	if err != nil {
		return Copied{}, err
	}
	err = to.receive(ctx, target, h, t, writes)
	if errors.Is(err, errTaken) && closed { // so that nothing of this one is there
		err = errors.Join(err, source.change(func(b *batch) error { b.remove(classPlace, movedKey); return nil }))
	}
	c := source.copied(false)
	c.Header, c.Records = h, t.rows
	return c, err
}

// follows refuses a target that would lose something: one of another lineage, and one that went on by itself after
// the source was left for it, or after the source was put back from a copy of its own. done reports whether the
// target has the source already.
func follows(source, target *ledger, closed bool) (done bool, err error) {
	if target == nil {
		return false, nil
	}
	if target.header.Lineage != source.header.Lineage {
		return false, fmt.Errorf("%w: another state is there, of lineage %s at commit %d; "+
			"want none, or an earlier one of %s", ErrForeign, target.header.Lineage, target.header.Serial,
			source.header.Lineage)
	}
	sources, err := source.began()
	if err != nil {
		return false, err
	}
	targets, err := target.began()
	if err != nil {
		return false, err
	}
	if closed && slices.Contains(targets, source.header.Serial+1) {
		return true, nil
	}
	gone, err := target.moved()
	if err != nil || gone != nil && slices.Contains(sources, target.header.Serial+1) {
		return false, err
	}
	return false, fmt.Errorf("%w there before: the one there is at commit %d and goes on, and this one, at commit %d, "+
		"was put back from a copy; move this one away", ErrMoved, target.header.Serial, source.header.Serial)
}

// The records of a copy.
const (
	movedKey = "moved"
	beganKey = "began"
)

var beganRecord = record{classPlace, beganKey}

// movedRecord is where a state was copied to.
type movedRecord struct {
	To   string `json:"to"`
	Mark string `json:"mark"`
	Unix int64  `json:"unix"`
}

// beganEntry is one copy that a state is of.
type beganEntry struct {
	Serial int64  `json:"serial"` // with which it began there
	From   string `json:"from"`
	Unix   int64  `json:"unix"`
}

// moved returns where the state was copied to, nil where it is here.
func (l *ledger) moved() (gone *movedRecord, err error) {
	err = l.view(func(b *batch) error {
		r := record{classPlace, movedKey}
		value, there, err := b.get(r)
		if err != nil || !there {
			return err
		}
		if json.Unmarshal([]byte(value), &gone) != nil || gone == nil {
			return unreadable(r)
		}
		return nil
	})
	return gone, err
}

// here refuses a state that was copied elsewhere.
func (l *ledger) here() error {
	gone, err := l.moved()
	if err != nil || gone == nil {
		return err
	}
	return fmt.Errorf("%w to %s on %s; go on there, or end the copying, or bring it back: adsync state copy",
		ErrMoved, gone.To, time.Unix(gone.Unix, 0).UTC().Format(time.RFC3339))
}

// leave closes the state, durably.
func (l *ledger) leave(to, mark string) error {
	value, err := json.Marshal(movedRecord{to, mark, l.now().Unix()})
	if err != nil {
		return err
	}
	return l.change(func(b *batch) error { b.put(classPlace, movedKey, string(value)); return nil })
}

// began returns the serials with which the state began where it was copied to, and where it is.
func (l *ledger) began() (serials []int64, err error) {
	entries, err := l.beganEntries()
	for _, e := range entries {
		serials = append(serials, e.Serial)
	}
	return serials, err
}

func (l *ledger) beganEntries() (entries []beganEntry, err error) {
	err = l.view(func(b *batch) error {
		value, there, err := b.get(beganRecord)
		if err == nil && there && json.Unmarshal([]byte(value), &entries) != nil {
			err = unreadable(beganRecord)
		}
		return err
	})
	return entries, err
}

// lastBegan is the serial with which a state began where it is.
func lastBegan(value string) int64 {
	var entries []beganEntry
	if json.Unmarshal([]byte(value), &entries) != nil || len(entries) == 0 {
		return 1
	}
	return entries[len(entries)-1].Serial
}

// forTarget returns what a closed state is in the place it was left for.
func (l *ledger) forTarget(from string) (h Header, t tally, writes []write, err error) {
	h = l.header
	h.Format, h.Serial = formatVersion, h.Serial+1
	if _, writes, err = l.records(); err != nil {
		return h, t, nil, err
	}
	writes = slices.DeleteFunc(writes, func(w write) bool { return w.class == classPlace })
	for _, w := range writes {
		t.add(w.sum)
	}
	entries, err := l.beganEntries()
	if err != nil {
		return h, t, nil, err
	}
	value, err := json.Marshal(append(entries, beganEntry{h.Serial, from, l.now().Unix()}))
	if err != nil {
		return h, t, nil, err
	}
	w := write{record: beganRecord, value: string(value)}
	w.sum = l.summer.sum(w.record, w.value)
	t.add(w.sum)
	return h, t, append(writes, w), l.whole(t, w.sum)
}

// records returns all of them, as they would be written, and the header of that moment.
func (l *ledger) records() (h Header, writes []write, err error) {
	err = l.view(func(b *batch) error {
		h = b.header
		for _, c := range slices.Sorted(maps.Keys(b.counts)) {
			err := b.engine.each(c, func(key, value string) error {
				r := record{c, key}
				writes = append(writes, write{record: r, value: value, sum: b.sums[r]})
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return h, writes, err
}

// whole holds a copy with a record of its own against the records of the state.
func (l *ledger) whole(t tally, own uint64) error {
	t.remove(own)
	mine := l.tally
	for _, key := range []string{movedKey, beganKey} {
		if sum, there := l.sums[record{classPlace, key}]; there {
			mine.remove(sum)
		}
	}
	if t != mine {
		return fmt.Errorf("%w: %d records were read, and there are %d, or others", ErrDamaged, t.rows, mine.rows)
	}
	return nil
}

func (l *ledger) copied(before bool) Copied {
	return Copied{Header: l.header, Records: l.tally.rows, Open: l.counts[classOperations], Before: before}
}

// InFolder is the state in a folder, as an end of a copy.
func InFolder(dir string) (End, error) {
	path, err := filepath.Abs(dir)
	return &folderEnd{folder: folder(path)}, err
}

type folderEnd struct {
	folder folder
	lock   *os.File
	ledger *ledger
}

func (e *folderEnd) String() string {
	host, err := os.Hostname()
	if err != nil {
		return "the folder " + string(e.folder)
	}
	return fmt.Sprintf("the folder %s on %s", e.folder, host)
}

func (e *folderEnd) there(context.Context) (bool, error) { return e.folder.exists() }

func (e *folderEnd) take(ctx context.Context, o Options) (*ledger, error) {
	var err error
	if e.lock, err = e.folder.take(o); err != nil {
		return nil, err
	}
	if err := e.folder.selfTest(); err != nil {
		return nil, err
	}
	there, err := e.folder.exists()
	if err != nil || !there {
		return nil, err
	}
	e.ledger, err = e.folder.openExisting(ctx, o)
	return e.ledger, err
}

// mark is drawn once, and kept in the folder: another folder may have its path, on another machine or later.
func (e *folderEnd) mark(context.Context) (string, error) {
	path := e.folder.path(placeName)
	text, err := os.ReadFile(path)
	switch {
	case err == nil && len(text) > 0:
		return string(text), nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	drawn, err := Options{}.lineage()
	if err != nil {
		return "", err
	}
	return drawn, writeFile(string(e.folder), path, []byte(drawn))
}

func (e *folderEnd) receive(ctx context.Context, there *ledger, h Header, t tally, writes []write) error {
	if there == nil {
		return e.folder.fill(ctx, h, t, writes)
	}
	stays := make(map[record]bool, len(writes))
	for _, w := range writes {
		stays[w.record] = true
	}
	for r := range there.sums {
		if !stays[r] {
			writes = append(writes, write{record: r, remove: true})
		}
	}
	return there.engine.commit(h, t, writes)
}

func (e *folderEnd) release() (err error) {
	if e.ledger != nil {
		err = e.ledger.Close()
	}
	if e.lock != nil {
		err = errors.Join(err, unlock(e.lock))
	}
	return err
}

// InDatabase is the state of an account in a database, as an end of a copy.
func (s *Server) InDatabase(account string) End { return &databaseEnd{server: s, account: account} }

type databaseEnd struct {
	server  *Server
	account string
	leased  *leased
}

func (e *databaseEnd) String() string { return e.server.states.Name() }

func (e *databaseEnd) there(ctx context.Context) (bool, error) {
	serial, err := e.server.SerialOf(ctx, e.account)
	return serial > 0, err
}

func (e *databaseEnd) take(ctx context.Context, o Options) (*ledger, error) {
	there, err := e.there(ctx)
	if err != nil || !there {
		return nil, err
	}
	if e.leased, err = e.server.open(ctx, e.account, o); err != nil {
		return nil, ofDatabase(err)
	}
	return e.leased.ledger, nil
}

func (e *databaseEnd) mark(ctx context.Context) (string, error) {
	mark, err := e.server.states.Mark(ctx)
	return mark, ofDatabase(err)
}

func (e *databaseEnd) receive(ctx context.Context, _ *ledger, h Header, t tally, writes []write) error {
	var over Claimed
	if e.leased != nil {
		over = e.leased.Claimed
	}
	err := e.server.states.Receive(ctx, e.account, over, headOf(h, t), writesOf(writes))
	if errors.Is(err, postgres.ErrTaken) {
		return fmt.Errorf("%w: %w", ErrForeign, errTaken)
	}
	return ofDatabase(err)
}

func (e *databaseEnd) release() error {
	if e.leased == nil {
		return nil
	}
	return e.leased.Close()
}
