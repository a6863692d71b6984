package main

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/state"
)

// looker plans with a file that was dropped for a look in the place of the source
// of its name. Nothing is written, and nothing sent but reads.
type looker struct {
	worker *worker
	dir    string
}

func (k *looker) look(ctx context.Context, filename string, content []byte) (*daemon.Upload, error) {
	a := k.worker.app
	l := a.load(ctx, k.dir)
	if l.failure != nil {
		return nil, l.failure
	}
	name, contents, err := k.contents(l, filename, content)
	if err != nil {
		return nil, err
	}
	l.desired = sources.LoadContents(ctx, l.project, l.schemas, contents)
	u := &daemon.Upload{Name: path.Base(name), Problems: []string{}}
	problems := l.desired.Problems
	marks := sources.Marks{Problems: problems}
	if !diag.HasErrors(problems) {
		view, account, err := k.plan(ctx, l)
		if err != nil {
			return nil, err
		}
		u.Plan = a.document(l, account, view.Plan)
		problems, marks = u.Plan.Problems, planMarks(l, account, view.Plan)
	}
	for _, p := range problems {
		u.Problems = append(u.Problems, diag.Printable(strings.TrimPrefix(p.Position.String()+": ", ": ")+p.Message+" ("+string(p.Code)+")"))
	}
	var marked bytes.Buffer
	if strings.EqualFold(path.Ext(name), ".xlsx") && sources.WriteMarkedCopy(content, &marked, name, marks) == nil {
		u.Marked = marked.Bytes()
	}
	return u, nil
}

// contents are the sources with the dropped file in the place of the one of its
// name, or beside them.
func (k *looker) contents(l loaded, filename string, content []byte) (name string, contents map[string][]byte, err error) {
	name, contents = path.Base(filepath.ToSlash(filename)), map[string][]byte{}
	for _, s := range l.desired.Sources {
		if strings.EqualFold(path.Base(s.File), name) {
			name = s.File
			continue
		}
		if contents[s.File], err = os.ReadFile(filepath.Join(l.project.Root, filepath.FromSlash(s.File))); err != nil {
			return name, nil, err
		}
	}
	contents[name] = content
	return name, contents, nil
}

func (k *looker) plan(ctx context.Context, l loaded) (*reconcile.View, state.Account, error) {
	a := k.worker.app
	desired, err := a.wanted(l, planFlags{unattended: true})
	if err == nil {
		err = k.worker.dial(l)
	}
	if err != nil {
		return nil, state.Account{}, err
	}
	store, err := a.openState(ctx, l.project, true)
	if err != nil {
		return nil, state.Account{}, err
	}
	defer func() { a.closed("state", store.Close()) }()
	k.worker.mu.Lock()
	client := k.worker.client
	k.worker.mu.Unlock()
	if client == nil { // the account's run has hung up in this moment
		return nil, state.Account{}, configuration("the account cannot be reached now")
	}
	agent := a.agentOf(l, store, client)
	agent.Incremental, agent.Breaks = true, &reconcile.Breaks{}
	view, err := agent.Plan(ctx, desired)
	return view, agent.Account, err
}
