package state

import (
	"fmt"
	"testing"

	"adsync/internal/testing/pgtest"
)

const fleet = 15_000

func BenchmarkRecord15000(b *testing.B) {
	b.ReportAllocs()
	applied := ads(0, fleet)
	for b.Loop() {
		b.StopTimer()
		s := openFolder(b, b.TempDir())
		b.StartTimer()
		if err := s.Record(b.Context(), applied); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}

func BenchmarkRecord15000Merged(b *testing.B) {
	b.ReportAllocs()
	s := openFolder(b, b.TempDir())
	applied := ads(0, fleet)
	for i := range applied {
		applied[i].Replace = false
	}
	if err := s.Record(b.Context(), applied); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.Record(b.Context(), applied); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen15000(b *testing.B) {
	dir := filled(b)
	b.ReportAllocs()
	for b.Loop() {
		openFolder(b, dir).Close()
	}
}

func BenchmarkLast15000(b *testing.B) {
	s := openFolder(b, filled(b))
	b.ReportAllocs()
	for b.Loop() {
		if last, err := s.Last(b.Context()); err != nil || last.Len() != fleet {
			b.Fatalf("Last() = %d resources, %v", last.Len(), err)
		}
	}
}

func BenchmarkReadOnlyLast15000(b *testing.B) {
	dir := filled(b)
	b.ReportAllocs()
	for b.Loop() {
		s, err := OpenReadOnly(b.Context(), dir)
		if err != nil {
			b.Fatal(err)
		}
		if last, err := s.Last(b.Context()); err != nil || last.Len() != fleet {
			b.Fatalf("Last() = %d resources, %v", last.Len(), err)
		}
	}
}

func BenchmarkJobThroughItsLife(b *testing.B) {
	s := openFolder(b, b.TempDir())
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		step := job(fmt.Sprintf("run/1/%d", i), 1000)
		for _, err := range []error{
			s.Begin(b.Context(), step),
			s.Move(b.Context(), step.ID, Sent, Update{SentAt: morning}),
			s.Move(b.Context(), step.ID, Accepted, Update{JobID: "job_1"}),
			s.Move(b.Context(), step.ID, Terminal, Update{}),
			s.Move(b.Context(), step.ID, ResultsRead, Update{}),
			s.Finish(b.Context(), step.ID, ads(0, 1000), nil),
			s.Move(b.Context(), step.ID, Verified, Update{}),
			s.Move(b.Context(), step.ID, Closed, Update{}),
		} {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// filled returns a folder that holds the fleet.
func filled(b *testing.B) string {
	dir := b.TempDir()
	s := openFolder(b, dir)
	defer s.Close()
	if err := s.Record(b.Context(), ads(0, fleet)); err != nil {
		b.Fatal(err)
	}
	return dir
}

func BenchmarkRecord15000InADatabase(b *testing.B) {
	b.ReportAllocs()
	server := openServer(b, pgtest.Start(b).Database(b)) // one that waits for the disk
	applied := ads(0, fleet)
	for i := 0; b.Loop(); i++ {
		s, err := server.Open(b.Context(), fmt.Sprintf("act_%d", i), options())
		if err == nil {
			err = s.Record(b.Context(), applied)
		}
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkOpenAndLast15000InADatabase(b *testing.B) {
	b.ReportAllocs()
	server := openServer(b, pgtest.Start(b).Database(b))
	s := openAccount(b, server)
	if err := s.Record(b.Context(), ads(0, fleet)); err != nil {
		b.Fatal(err)
	}
	s.Close()
	for b.Loop() {
		s := openAccount(b, server)
		if last, err := s.Last(b.Context()); err != nil || last.Len() != fleet {
			b.Fatalf("Last() = %d resources, %v", last.Len(), err)
		}
		s.Close()
	}
}

func BenchmarkCommitInADatabase(b *testing.B) {
	b.ReportAllocs()
	s := openAccount(b, openServer(b, pgtest.Start(b).Database(b)))
	for b.Loop() {
		if _, err := s.NextSequence(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
