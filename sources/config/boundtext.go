package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/sources/bounded"
)

// Bound sets the bounds a text names, such as "yaml=4MiB,hints=1000000". They
// protect whoever runs adsync, so a project file cannot set them. Sizes are in
// bytes, KiB, MiB or GiB; the rest are counts, and time is as in "60s".
func (p *Project) Bound(text string) error {
	b := bounded.Defaults()
	if p.Bounds != nil {
		b = *p.Bounds
	}
	for item := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		set, known := BoundNames[name]
		if !known {
			names := slices.Sorted(maps.Keys(BoundNames))
			return fmt.Errorf("bound is %q; want one of %s, with a value%s",
				name, strings.Join(names, ", "), orNothing(diag.DidYouMean(name, names)))
		}
		if err := set(&b, value); err != nil {
			return fmt.Errorf("bound %s is %q; want %w", name, value, err)
		}
	}
	p.Bounds = &b
	return nil
}

// Beside returns the project of another folder, for the same account and within the
// same bounds: what is converted out of a project is read again as large as it was.
func (p Project) Beside(root string) Project {
	other, _ := ReadProject(root) // its problems are those of its file
	other.Account, other.Bounds = p.Account, p.Bounds
	return other
}

func orNothing(hint string) string {
	if hint == "" {
		return ""
	}
	return "; " + hint
}

var BoundNames = map[string]func(*bounded.Limits, string) error{
	"files":    count(func(b *bounded.Limits) *int { return &b.Files }),
	"depth":    count(func(b *bounded.Limits) *int { return &b.YAMLDepth }),
	"rows":     count(func(b *bounded.Limits) *int { return &b.SheetRows }),
	"hints":    count(func(b *bounded.Limits) *int { return &b.HintRows }),
	"folders":  count(func(b *bounded.Limits) *int { return &b.FolderDepth }),
	"entries":  count(func(b *bounded.Limits) *int { return &b.Entries }),
	"problems": count(func(b *bounded.Limits) *int { return &b.Problems }),
	"total":    size(func(b *bounded.Limits) *int64 { return &b.TotalBytes }),
	"yaml":     size(func(b *bounded.Limits) *int64 { return &b.YAMLBytes }),
	"csv":      size(func(b *bounded.Limits) *int64 { return &b.CSVBytes }),
	"workbook": size(func(b *bounded.Limits) *int64 { return &b.WorkbookBytes }),
	"unzipped": size(func(b *bounded.Limits) *int64 { return &b.UnzippedBytes }),
	"attached": size(func(b *bounded.Limits) *int64 { return &b.AttachedBytes }),
	"members":  size(func(b *bounded.Limits) *int64 { return &b.MembersBytes }),
	"time": func(b *bounded.Limits, text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return fmt.Errorf("a time such as 60s")
		}
		b.PerFile = d
		return nil
	},
}

func count(field func(*bounded.Limits) *int) func(*bounded.Limits, string) error {
	return func(b *bounded.Limits, text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return fmt.Errorf("a count such as 5000")
		}
		*field(b) = n
		return nil
	}
}

// units of sizes, the longer names first.
var units = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}

// largestSize keeps a size within what a file can be read into.
const largestSize = 1 << 33

func size(field func(*bounded.Limits) *int64) func(*bounded.Limits, string) error {
	return func(b *bounded.Limits, text string) error {
		for _, unit := range units {
			digits, ok := strings.CutSuffix(text, unit.name)
			if !ok {
				continue
			}
			n, err := strconv.ParseInt(digits, 10, 64)
			if err != nil || n <= 0 || n > largestSize/unit.bytes {
				break
			}
			*field(b) = n * unit.bytes
			return nil
		}
		return fmt.Errorf("a size such as 4MiB, at most 8GiB")
	}
}
