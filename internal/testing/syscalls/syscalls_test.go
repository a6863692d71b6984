package syscalls

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinesOfStrace(t *testing.T) {
	rows := []struct {
		line string
		want Call
		none bool
	}{
		{line: `pwrite64(9<\x2f\x61>, "\x00\xff", 2, 8192) = 2`, want: Call{
			Name: "pwrite64", FD: 9, Path: "/a", Data: []byte{0, 255}, Offset: 8192,
		}},
		{line: `write(1<\x70>, "\x6f\x6b\x0a", 3)    = 3`, want: Call{
			Name: "write", FD: 1, Path: "p", Data: []byte("ok\n"), Offset: -1,
		}},
		{line: `fsync(8<\x2f\x61>) = -1 EIO (Input/output error) (INJECTED)`, want: Call{
			Name: "fsync", FD: 8, Path: "/a", Offset: -1, Injected: true,
		}},
		{line: `ftruncate(8<\x2f\x61>, 16384)      = 0`, want: Call{
			Name: "ftruncate", FD: 8, Path: "/a", Offset: -1, Size: 16384,
		}},
		{line: `renameat(AT_FDCWD<\x2f>, "\x2f\x61", AT_FDCWD<\x2f>, "\x2f\x62") = 0`, want: Call{
			Name: "renameat", FD: -1, Path: "/a", To: "/b", Offset: -1,
		}},
		{line: `unlink("\x2f\x61") = -1 ENOENT (No such file or directory)`, none: true},
		{line: `+++ exited with 0 +++`, none: true},
	}
	for _, row := range rows {
		got, ok, err := parse(row.line)
		if err != nil || ok == row.none {
			t.Errorf("parse(%s) = %v, %v", row.line, ok, err)
			continue
		}
		if diff := cmp.Diff(row.want, got); !row.none && diff != "" {
			t.Errorf("parse(%s) (-want +got):\n%s", row.line, diff)
		}
	}
}
