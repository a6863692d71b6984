package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/xuri/excelize/v2"
)

func join(codes []string) string { return strings.Join(codes, ", ") }

// WriteCSV writes the account as one CSV file with a column for the kind, and
// gives its path.
func (s Shape) WriteCSV(dir string) (string, error) {
	if err := WriteProject(dir, ""); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "account.csv")
	return path, create(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		_ = out.Write([]string{"Kind", "Campaign", "Ad group", "Ad", "Status", "Bidding", "Lifetime budget (USD)",
			"Countries", "Max bid (USD)", "Context hints", "Title", "Body", "Target URL", "Image", "Key"})
		for number := range s.Campaigns {
			c := s.campaign(number)
			_ = out.Write([]string{"campaign", c.name,
				"", "", "paused", "clicks", c.budget, join(c.countries), "", "", "", "", "", "", c.key})
			for i := range s.AdGroups {
				g := s.group(number, i)
				_ = out.Write([]string{"ad group", c.name, g.name,
					"", "active", "", "", "", g.bid, strings.Join(s.hints(number, i), "\n"), "", "", "", "", g.key})
				for j := range s.Ads {
					a := s.ad(number, i, j)
					_ = out.Write([]string{"ad", c.name,
						g.name, a.name, "active", "", "", "", "", "", a.title, a.body, a.url, a.image, a.key})
				}
			}
		}
		out.Flush()
		return out.Error() // of any row
	})
}

// WriteWorkbook writes the account as a workbook with a sheet for each kind, and
// gives its path.
func (s Shape) WriteWorkbook(dir string) (string, error) {
	if err := WriteProject(dir, ""); err != nil {
		return "", err
	}
	f := excelize.NewFile()
	defer f.Close()
	sheets := []struct {
		name   string
		header []any
		rows   func(row func(...any) error) error
	}{
		{"Campaigns", []any{"Campaign", "Status", "Bidding", "Lifetime budget (USD)", "Countries", "Key"},
			s.campaignRows},
		{"Ad groups", []any{"Campaign", "Ad group", "Status", "Max bid (USD)", "Context hints", "Key"}, s.groupRows},
		{"Ads", []any{"Campaign", "Ad group", "Ad", "Status", "Title", "Body", "Target URL", "Image", "Key"}, s.adRows},
	}
	for i, sheet := range sheets {
		if _, err := f.NewSheet(sheet.name); err != nil {
			return "", err
		}
		stream, err := f.NewStreamWriter(sheet.name)
		if err != nil {
			return "", err
		}
		n := 0
		row := func(cells ...any) error {
			n++
			return stream.SetRow(fmt.Sprintf("A%d", n), cells)
		}
		if err := row(sheet.header...); err != nil {
			return "", err
		}
		if err := sheet.rows(row); err != nil {
			return "", err
		}
		if err := stream.Flush(); err != nil {
			return "", err
		}
		f.SetActiveSheet(i)
	}
	if err := f.DeleteSheet("Sheet1"); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "account.xlsx")
	return path, create(path, func(w io.Writer) error { return f.Write(w) })
}

func (s Shape) campaignRows(row func(...any) error) error {
	for number := range s.Campaigns {
		c := s.campaign(number)
		if err := row(c.name, "paused", "clicks", c.budget, join(c.countries), c.key); err != nil {
			return err
		}
	}
	return nil
}

func (s Shape) groupRows(row func(...any) error) error {
	for number := range s.Campaigns {
		c := s.campaign(number)
		for i := range s.AdGroups {
			g := s.group(number, i)
			if err := row(c.name, g.name, "active", g.bid, strings.Join(s.hints(number, i), "\n"), g.key); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s Shape) adRows(row func(...any) error) error {
	for number := range s.Campaigns {
		c := s.campaign(number)
		for i := range s.AdGroups {
			g := s.group(number, i)
			for j := range s.Ads {
				a := s.ad(number, i, j)
				if err := row(c.name, g.name, a.name, "active", a.title, a.body, a.url, a.image, a.key); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
