package bench

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Account and Key are those of the account the files describe.
const Account, Key = "adacct_bench", "sk-bench"

// project is the adsync.yaml of a folder, of an account that may have as many
// resources as any Shape.
const project = "account: {id: " + Account +
	", currency: USD, timezone: America/New_York, limits: {campaign: 1000000, ad_group: 1000000, ad: 1000000}}\n"

// WriteYAML writes an account into a folder as YAML files of at most perFile
// campaigns, 0 for all of them in one file, with an adsync.yaml, and gives the
// paths of the files that declare resources. Campaigns are paused, so that a
// create raises nothing; ad groups and ads are active.
func (s Shape) WriteYAML(dir string, perFile int) (paths []string, err error) {
	if err := WriteProject(dir, ""); err != nil {
		return nil, err
	}
	if perFile == 0 {
		perFile = s.Campaigns
	}
	for from := 0; from < s.Campaigns; from += perFile {
		path := filepath.Join(dir, fmt.Sprintf("part-%04d.yaml", from/perFile))
		paths = append(paths, path)
		err := create(path, func(w io.Writer) error {
			for c := from; c < min(from+perFile, s.Campaigns); c++ {
				s.yamlTree(w, c)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// WriteProject writes the adsync.yaml of the account, with more lines of it.
func WriteProject(dir, more string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "adsync.yaml"), []byte(project+more), 0o600)
}

func create(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

func (s Shape) yamlTree(w io.Writer, number int) {
	c := s.campaign(number)
	fmt.Fprintf(w, "---\nkind: campaign\nkey: %s\nname: %q\nstatus: paused\nbidding_type: clicks\nbudget: "+
		"{lifetime: %s}\ntargeting:\n  countries: [%s]\nad_groups:\n", c.key, c.name, c.budget, join(c.countries))
	for i := range s.AdGroups {
		g := s.group(number, i)
		fmt.Fprintf(w, "  - key: %s\n    name: %q\n    status: active\n    bid: {max: %s}\n    context_hints:\n",
			g.key, g.name, g.bid)
		for _, hint := range s.hints(number, i) {
			fmt.Fprintf(w, "      - %s\n", hint)
		}
		fmt.Fprint(w, "    ads:\n")
		for j := range s.Ads {
			a := s.ad(number, i, j)
			fmt.Fprintf(w, "      - key: %s\n        name: %q\n        "+
				"title: %q\n        body: %q\n        target_url: %s\n        image: %s\n        status: active\n",
				a.key, a.name, a.title, a.body, a.url, a.image)
		}
	}
}
