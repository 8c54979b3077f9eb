package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/files"
	"github.com/gcnsim/gcnsim/internal/s3"
	"github.com/gcnsim/gcnsim/internal/sweep"
)

func sweepCommand() *cobra.Command {
	s := sweep.Sweep{Jobs: runtime.GOMAXPROCS(0), Version: version(), Limits: sweep.Limits{Seconds: 60, Megabytes: 2048}}
	var fail failOn
	var out, shard string
	cmd := &cobra.Command{
		Use:   "sweep CORPUS.jsonl...",
		Short: "Run a corpus of cases, or a shard of it; what is killed goes on where it was",
		Example: `  gcnsim sweep init kernels/ > corpus.jsonl
  gcnsim sweep corpus.jsonl --out=results/ --jobs=8
  gcnsim sweep corpus.jsonl --out=results/ --shard=3/64
  gcnsim sweep merge results/ --report=sweep.html`,
		Args: arguments(1, -1, "the files of a corpus"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if shard != "" {
				if s.Shard, err = sweep.ParseShard(shard); err != nil {
					return fmt.Errorf("--shard: %w", err)
				}
			}
			if s.Store, err = openStore(cmd.Context(), out); err != nil {
				return wrong(err)
			}
			if s.Corpus, err = sweep.Open(args...); err != nil {
				return wrong(err)
			}
			defer s.Corpus.Close()
			for _, what := range s.Corpus.Malformed {
				fmt.Fprintln(cmd.ErrOrStderr(), what)
			}
			self, err := os.Executable()
			if err != nil {
				return wrong(err)
			}
			s.Worker = func() *exec.Cmd { return exec.Command(self, append([]string{"sweep", "worker"}, fail.args()...)...) }
			s.Progress = sweepProgress(cmd.ErrOrStderr())
			p, err := s.Run(cmd.Context())
			leaves(cmd, func() string {
				return fmt.Sprintf("%d of %d cases have results; run it again to go on", p.Done, p.Total)
			})
			if err != nil {
				return wrong(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d cases have results, %d of them from before; %d that ran now are not ok\n", p.Done, p.Kept, p.Failed)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "results", "where results are: a directory, or s3://BUCKET/PREFIX")
	f.StringVar(&shard, "shard", "", "run part `I/N` of the cases only, I from 0")
	f.IntVar(&s.Jobs, "jobs", s.Jobs, "how many processes run cases")
	f.BoolVar(&s.Extend, "extend", false, "results may be those of another corpus: keep those of cases in both")
	f.Uint64Var(&s.Limits.Instructions, "max-instructions", 0, "instructions a wave may execute (default: those of exec and dispatch)")
	f.Float64Var(&s.Limits.Seconds, "seconds", s.Limits.Seconds, "how long a case may take; 0 is as long as it likes")
	f.Uint64Var(&s.Limits.Megabytes, "megabytes", s.Limits.Megabytes, "MiB that the process of a case may take; 0 is no limit")
	failOnFlag(cmd, &fail)
	cmd.AddCommand(sweepInit(), sweepMerge(), sweepWorker())
	return cmd
}

// openStore returns where results are.
func openStore(ctx context.Context, name string) (sweep.Store, error) {
	if strings.HasPrefix(name, s3.Scheme) {
		return s3.Open(ctx, name)
	}
	return sweep.Dir(name), nil
}

// sweepProgress shows progress where messages go to a terminal.
func sweepProgress(to io.Writer) func(sweep.Progress) {
	if !files.IsTerminal(to) {
		return nil
	}
	return func(p sweep.Progress) {
		end := ""
		if p.Done == p.Total {
			end = "\n"
		}
		fmt.Fprintf(to, "\r%d of %d cases, %d not ok%s", p.Done, p.Total, p.Failed, end)
	}
}

func sweepInit() *cobra.Command {
	return &cobra.Command{
		Use:   "init DIR",
		Short: "Print a corpus of the specifications and code objects in a directory",
		Args:  arguments(1, 1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			corpus, skipped, err := sweep.Init(args[0])
			for _, what := range skipped {
				fmt.Fprintln(cmd.ErrOrStderr(), "left out: "+what)
			}
			if err != nil {
				return wrong(err)
			}
			_, err = cmd.OutOrStdout().Write(corpus)
			return err
		},
	}
}

func sweepMerge() *cobra.Command {
	var report, text, specs string
	cmd := &cobra.Command{
		Use:   "merge RESULTS...",
		Short: "Say what the results of all shards are together",
		Args:  arguments(1, -1, "the directories of results"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var stores []sweep.Store
			for _, name := range args {
				s, err := openStore(cmd.Context(), name)
				if err != nil {
					return wrong(err)
				}
				stores = append(stores, s)
			}
			m, err := sweep.Merge(stores...)
			if err != nil {
				return wrong(err)
			}
			written := map[string][]byte{}
			if text != "" {
				written[text] = m.Text()
			}
			if report != "" {
				if written[report], err = m.Report(); err != nil {
					return wrong(err)
				}
			}
			if specs != "" {
				if err := os.MkdirAll(specs, 0o777); err != nil {
					return wrong(err)
				}
				for name, data := range m.Specs(specs) {
					written[filepath.Join(specs, name)] = data
				}
			}
			for name, data := range written {
				if err := files.Write(name, data); err != nil {
					return wrong(err)
				}
			}
			fmt.Fprint(cmd.OutOrStdout(), m)
			if m.Missing > 0 || len(m.Buckets) > 0 {
				return errFailed
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&report, "report", "", "write a page that shows failures and coverage to `FILE.html`")
	cmd.Flags().StringVar(&text, "json", "", "write everything as JSON to `FILE`")
	cmd.Flags().StringVar(&specs, "specs", "", "write the smallest case of each kind of failure as a specification into `DIR`")
	return cmd
}

func sweepWorker() *cobra.Command {
	var fail failOn
	cmd := &cobra.Command{
		Use:    "worker",
		Short:  "Run cases given on standard input: what sweep starts",
		Hidden: true,
		Args:   arguments(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := sweep.Serve(cmd.Context(), os.Stdin, os.Stdout, sweep.Judge{At: fail.from()}); err != nil {
				return wrong(err)
			}
			return nil
		},
	}
	failOnFlag(cmd, &fail)
	return cmd
}
