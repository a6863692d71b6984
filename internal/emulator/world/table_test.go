package world

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"adsync/internal/emulator/clock"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/store"
	_ "adsync/internal/testing/drawn"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func load(t testing.TB, st *store.Store) *World {
	t.Helper()
	w, err := Load(st, clock.New(nil), openpoint.Defaults(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func newTestAccount(t testing.TB, dir string) (*Account, *store.Store) {
	t.Helper()
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := load(t, st).AddAccount(Profile{ID: "adacct_1", Status: Active}, "sk-1")
	if err != nil {
		t.Fatal(err)
	}
	return a, st
}

// shape is everything one can see of a table and its indexes.
type shape struct {
	All     []AdGroup
	ByOwner map[string][]AdGroup
	Live    int
}

func shapeOf(a *Account) shape {
	s := shape{All: a.AdGroups.All(), ByOwner: map[string][]AdGroup{}, Live: a.LiveAdGroup.Count("active", "paused")}
	for _, owner := range []string{"a", "b"} {
		s.ByOwner[owner] = a.AdGroupsOf.Of(owner)
	}
	return s
}

var errUndo = errors.New("undo")

func TestAFailedUpdateNeverWas(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, st := newTestAccount(t, "")
		defer st.Close()
		draw := func(tx *Tx) {
			for range rapid.IntRange(0, 8).Draw(rt, "steps") {
				id := fmt.Sprint("g", rapid.IntRange(0, 5).Draw(rt, "id"))
				if rapid.IntRange(0, 4).Draw(rt, "delete") == 0 {
					a.AdGroups.Delete(tx, id)
					continue
				}
				a.AdGroups.Put(tx, AdGroup{
					ID:         id,
					CampaignID: rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "owner"),
					Status:     rapid.SampledFrom([]Status{Active, Paused, Archived}).Draw(rt, "status"),
				})
				tx.Record(Mutation{Action: "put"}, nil, id)
			}
		}
		if err := a.Update(Cause{}, func(tx *Tx) error { draw(tx); return nil }); err != nil {
			rt.Fatal(err)
		}
		before, logged := shapeOf(a), a.world.MutationCount()
		err := a.Update(Cause{}, func(tx *Tx) error {
			draw(tx)
			mark, middle := tx.Mark(), shapeOf(a)
			draw(tx)
			tx.Rollback(mark)
			if diff := cmp.Diff(middle, shapeOf(a)); diff != "" {
				rt.Fatalf("after Rollback (-want +got):\n%s", diff)
			}
			return errUndo
		})
		if !errors.Is(err, errUndo) {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(before, shapeOf(a)); diff != "" {
			rt.Fatalf("after a failed Update (-want +got):\n%s", diff)
		}
		if got := a.world.MutationCount(); got != logged {
			rt.Fatalf("a failed Update logged %d entries", got-logged)
		}
	})
}

func TestLoadedTablesAreAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	a, st := newTestAccount(t, dir)
	err := a.Update(Cause{Actor: "me"}, func(tx *Tx) error {
		for i := range 20 {
			a.AdGroups.Put(tx, AdGroup{ID: tx.NewID("adgrp_"), CampaignID: []string{"a", "b"}[i%2], Status: Paused})
		}
		first := a.AdGroups.All()[0]
		first.Status = Archived
		a.AdGroups.Put(tx, first)
		a.AdGroups.Delete(tx, a.AdGroups.All()[5].ID)
		tx.Record(Mutation{Action: "create", Resource: "ad_group"}, nil, first)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before, births := shapeOf(a), a.births
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st, err = store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	again := load(t, st).Account("adacct_1")
	if diff := cmp.Diff(before, shapeOf(again)); diff != "" {
		t.Errorf("loaded (-want +got):\n%s", diff)
	}
	if again.births != births {
		t.Errorf("births after loading = %d, want %d", again.births, births)
	}
	log, err := again.world.Mutations(0, 10)
	if err != nil || len(log) != 1 || log[0].Actor != "me" {
		t.Errorf("log after loading = %+v, %v; want the one entry of me", log, err)
	}
}

func TestIDsAreNeverGivenTwice(t *testing.T) {
	a, st := newTestAccount(t, "")
	defer st.Close()
	var ids []string
	for range 3 {
		a.Update(Cause{}, func(tx *Tx) error {
			for range 50 {
				ids = append(ids, tx.NewID("x_"))
			}
			return errUndo // what was undone is not given again either
		})
	}
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n != 150 {
		t.Errorf("150 ids, %d different", n)
	}
}

func TestKeysAreBoundToAccounts(t *testing.T) {
	a, st := newTestAccount(t, "")
	defer st.Close()
	if _, err := a.world.AddAccount(Profile{ID: "adacct_2"}, "sk-2"); err != nil {
		t.Fatal(err)
	}
	for secret, want := range map[string]string{"sk-1": "adacct_1", "sk-2": "adacct_2", "sk-3": ""} {
		got := ""
		if owner, _, ok := a.world.ByKey(secret); ok {
			got = owner.ID
		}
		if got != want {
			t.Errorf("ByKey(%s) = %q, want %q", secret, got, want)
		}
	}
}
