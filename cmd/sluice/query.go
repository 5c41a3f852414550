package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host/fetch"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

type queryOptions struct {
	to         string
	showValues bool
	asJSON     bool
}

func queryCommand(out *cli.Printer) *cobra.Command {
	var q queryOptions
	c := &cobra.Command{
		Use:   "query DIR|FILE... [SQL]",
		Short: "Query the rows of a run, or of files, with SQL",
		Long: `query answers a SELECT over the rows of a run, or of files. It uses the index of sluice view, and makes it when there is none. The
SQL is that of SQLite; statements that write are refused. Without SQL query prints the tables.

Personal values are masked in the answer and in what --to writes, as in the viewer; --show-values prints them.

Runs, files, folders and patterns for files may be those of a bucket, as s3://bucket/folder. They are copied to your cache folder first, and
only what has changed since the last time. Inputs of a run that lie in a bucket are copied too.

` + tableHelp(),
		Example: `  sluice query out "SELECT split, count(*) FROM rows WHERE shape = 'chatml' GROUP BY split"
  sluice query out "SELECT word, count(*) FROM words WHERE column = 'action' GROUP BY word ORDER BY 2 DESC" --json
  sluice query corpus.jsonl --to corpus.sqlite`,
		Args: cli.Some("the folder of a run, or files"),
		RunE: func(c *cobra.Command, args []string) error {
			err := q.run(c, out, args)
			if errors.Is(err, rows.ErrQuery) {
				err = cli.Usage(c, err)
			}
			return err
		},
	}
	c.Flags().BoolVar(&q.showValues, "show-values", false, "show personal values, too")
	c.Flags().StringVar(&q.to, "to", "", "write the database to `FILE`, which must not exist")
	cli.JSONFlag(c, &q.asJSON)
	return c
}

func tableHelp() string {
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
	return strings.TrimSuffix(b.String(), "\n")
}

func (q *queryOptions) run(c *cobra.Command, out *cli.Printer, args []string) (err error) {
	ctx := c.Context()
	paths, sql := args, ""
	if last := args[len(args)-1]; len(args) > 1 && strings.ContainsAny(last, " \t\n") && !fetch.Remote(last) {
		if _, err := os.Stat(last); err != nil {
			paths, sql = args[:len(args)-1], last
		}
	}
	if sql == "" && q.asJSON {
		return cli.Usage(c, errors.New("want SQL with --json"))
	}
	subject, err := lookAt(ctx, out, paths...)
	if sql == "" && errors.Is(err, fs.ErrNotExist) && (len(args) > 1 || strings.Contains(args[0], " ")) {
		return fmt.Errorf("%w; SQL is one argument in quotes, behind a folder or files", err)
	}
	if err != nil {
		return err
	}
	if subject.Unfinished {
		warnOfUnfinished(out, paths)
	}
	if sql == "" && q.to == "" {
		return out.Write(tableHelp() + "\n")
	}
	path := q.to
	if path == "" {
		dir, err := os.MkdirTemp("", "sluice-query-*")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		path = filepath.Join(dir, "rows.sqlite")
	}
	if err := subject.Export(ctx, path, q.showValues); err != nil {
		return err
	}
	if err := warnOfTrouble(c, out, path); err != nil || sql == "" {
		return err
	}
	if q.asJSON {
		return rows.Ask(ctx, path, sql, func(columns []string, values []any) error {
			if values == nil {
				return nil
			}
			return out.Write(jsonLine(columns, values))
		})
	}
	table := tabwriter.NewWriter(out.Out(), 0, 0, 2, ' ', 0)
	err = rows.Ask(ctx, path, sql, func(columns []string, values []any) error {
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

// warnOfTrouble warns of files in a database whose rows are not all in it.
func warnOfTrouble(c *cobra.Command, out *cli.Printer, path string) error {
	return rows.Ask(c.Context(), path, "SELECT file, trouble FROM files WHERE trouble <> ''", func(_ []string, values []any) error {
		if values != nil {
			out.Warn("%s: %s", values[0], values[1])
		}
		return nil
	})
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
