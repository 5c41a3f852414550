// Package query answers SQL over the rows of a run, or of files.
package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host/fetch"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Options say what is asked, and what becomes of the answer.
type Options struct {
	SQL        string // "" for none
	To         string // the path of the database, "" for one that does not stay
	ShowValues bool   // personal values too
	JSON       bool   // a line for each row, else a table
}

// Split returns the names of runs, files and folders among arguments, and the SQL behind them, "" when there is none.
func Split(args []string) (names []string, sql string) {
	last := args[len(args)-1]
	if len(args) > 1 && strings.ContainsAny(last, " \t\n") && !fetch.Remote(last) {
		if _, err := os.Stat(last); err != nil {
			return args[:len(args)-1], last
		}
	}
	return args, ""
}

// Tables lists the tables that SQL finds, and their columns.
func Tables() string {
	var b strings.Builder
	for i, t := range rows.Tables() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", t.Name, t.Doc)
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "  %-12s %s\n", c.Name, c.Doc)
		}
	}
	return b.String()
}

// Run makes a database of the rows of a subject and prints what it answers, or else its tables. It returns rows.ErrQuery for SQL that cannot
// be answered.
func Run(ctx context.Context, out *cli.Printer, subject *viewer.Subject, o Options) (err error) {
	if o.SQL == "" && o.To == "" {
		return out.Write(Tables())
	}
	path := o.To
	if path == "" {
		var dir string
		if dir, err = os.MkdirTemp("", "sluice-query-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		path = filepath.Join(dir, "rows.sqlite")
	}
	if err := subject.Export(ctx, path, o.ShowValues); err != nil {
		return err
	}
	err = warnOfTrouble(ctx, out, path)
	switch {
	case err != nil || o.SQL == "":
		return err
	case o.JSON:
		return rows.Ask(ctx, path, o.SQL, func(columns []string, values []any) error {
			if values == nil {
				return nil
			}
			return out.Write(jsonLine(columns, values))
		})
	}
	return printTable(ctx, out, path, o.SQL)
}

// warnOfTrouble warns of files in a database whose rows are not all in it.
func warnOfTrouble(ctx context.Context, out *cli.Printer, path string) error {
	return rows.Ask(ctx, path, "SELECT file, trouble FROM files WHERE trouble <> ''", func(_ []string, values []any) error {
		if values != nil {
			out.Warn("%s: %s", values[0], values[1])
		}
		return nil
	})
}

func printTable(ctx context.Context, out *cli.Printer, path, sql string) error {
	table := tabwriter.NewWriter(out.Out(), 0, 0, 2, ' ', 0)
	err := rows.Ask(ctx, path, sql, func(columns []string, values []any) error {
		cells := slices.Clone(columns)
		for i, value := range values {
			if cells[i] = ""; value != nil {
				cells[i] = strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(format.Printable(fmt.Sprint(value)))
			}
		}
		_, err := fmt.Fprintln(table, strings.Join(cells, "\t"))
		return err
	})
	return errors.Join(err, table.Flush())
}

func jsonLine(columns []string, values []any) string {
	line := []byte("{")
	for i, name := range columns {
		line = jsontext.AppendKey(line, name)
		switch value := values[i].(type) {
		case nil:
			line = append(line, "null"...)
		case int64:
			line = strconv.AppendInt(line, value, 10)
		case float64:
			if math.IsInf(value, 0) { // which JSON cannot write
				line = append(line, "null"...)
			} else {
				line = strconv.AppendFloat(line, value, 'g', -1, 64)
			}
		case []byte:
			line = jsontext.AppendString(line, value)
		default:
			line = jsontext.AppendString(line, fmt.Sprint(value))
		}
	}
	return string(line) + "}\n"
}
