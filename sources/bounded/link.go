package bounded

import (
	"io/fs"
	"os"
)

// LinkIn returns the first part of a path that is a symbolic link, or "".
func LinkIn(root *os.Root, slashPath string) string {
	for i := 0; i <= len(slashPath); i++ {
		if i < len(slashPath) && slashPath[i] != '/' {
			continue
		}
		about, err := root.Lstat(slashPath[:i])
		if err != nil {
			return ""
		}
		if about.Mode()&fs.ModeSymlink != 0 {
			return slashPath[:i]
		}
	}
	return ""
}
