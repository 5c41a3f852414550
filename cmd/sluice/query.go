package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/query"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
)

func queryCommand(out *cli.Printer) *cobra.Command {
	var o query.Options
	c := &cobra.Command{
		Use:   "query DIR|FILE... [SQL]",
		Short: "Query the rows of a run, or of files, with SQL",
		Long: `query answers a SELECT over the rows of a run, or of files. It uses the index of sluice view, and makes it when there is none. The
SQL is that of SQLite; statements that write are refused. Without SQL query prints the tables.

Personal values are masked in the answer and in what --to writes, as in the viewer; --show-values prints them.

Runs, files, folders and patterns for files may be those of a bucket, as s3://bucket/folder. They are copied to your cache folder first, and
only what has changed since the last time. Inputs of a run that lie in a bucket are copied too.

` + strings.TrimSuffix(query.Tables(), "\n"),
		Example: `  sluice query out "SELECT split, count(*) FROM rows WHERE shape = 'chatml' GROUP BY split"
  sluice query out "SELECT word, count(*) FROM words WHERE column = 'action' GROUP BY word ORDER BY 2 DESC" --json
  sluice query corpus.jsonl --to corpus.sqlite`,
		Args: cli.Some("the folder of a run, or files"),
		RunE: func(c *cobra.Command, args []string) error { return answer(c, out, args, o) },
	}
	c.Flags().BoolVar(&o.ShowValues, "show-values", false, "show personal values, too")
	c.Flags().StringVar(&o.To, "to", "", "write the database to `FILE`, which must not exist")
	cli.JSONFlag(c, &o.JSON)
	return c
}

// answer answers the SQL behind the names of a run or of files.
func answer(c *cobra.Command, out *cli.Printer, args []string, o query.Options) error {
	names, sql := query.Split(args)
	if sql == "" && o.JSON {
		return cli.Usage(c, errors.New("want SQL with --json"))
	}
	subject, err := lookAt(c.Context(), out, names...)
	if sql == "" && errors.Is(err, fs.ErrNotExist) && (len(args) > 1 || strings.Contains(args[0], " ")) {
		return fmt.Errorf("%w; SQL is one argument in quotes, behind a folder or files", err)
	}
	if err != nil {
		return err
	}
	if subject.Unfinished {
		warnOfUnfinished(out, names)
	}
	o.SQL = sql
	if err = query.Run(c.Context(), out, subject, o); errors.Is(err, rows.ErrQuery) {
		return cli.Usage(c, err)
	}
	return err
}
