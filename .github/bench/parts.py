#!/usr/bin/env python3
"""The figures of SCALE.md, and of FIGURES.md beyond one machine, as tables in Markdown. Linux only.

parts.py cost SLUICE CORPUS     what a part and the merge cost, and n parts beside the whole run
parts.py large SLUICE CORPUS    some of 64 parts of a corpus of 75 copies, beside a whole run of 8; wants 15 times the room of the corpus
parts.py ray SLUICE CORPUS      a Ray cluster of one node and of two, each a core of this machine; wants ray
parts.py store SLUICE CORPUS    1,000 files, of which a run with a store knows 997, or all up to a step
parts.py parquet SLUICE CORPUS  from JSON lines to Parquet and back, on one core
"""
import argparse, json, os, shutil, statistics, subprocess, sys, tempfile, time

from bench import HERE, PIPELINE, measure


def merged(o, out):
    """Returns what the merge cost: CPU seconds and memory in MB."""
    _, cpu, _, memory, _ = measure([o.sluice, "merge", out], 1e9)
    return cpu, memory


def cost(o, folder):
    size, few, out = os.path.getsize(o.corpus), f"{folder}/few.jsonl", f"{folder}/out"
    with open(o.corpus) as corpus, open(few, "w") as f:
        f.writelines(corpus.readline() for _ in range(64))

    def run(source, *more):
        return [o.sluice, "run", PIPELINE, "--progress", "off", "--var", f"input={source}", "--var", f"out={out}", *more]

    figures = {}
    for _ in range(o.runs):
        for n in (1, 8, 64):
            _, whole, _, _, _ = measure(run(o.corpus), size)
            shutil.rmtree(out)
            turns = [measure(run(o.corpus, "--part", f"{i}/{n}"), size) for i in range(n)]
            cpu = sum(t[1] for t in turns)
            figures.setdefault(("corpus", n), []).append((whole, cpu, cpu / whole, *merged(o, out)))
            shutil.rmtree(out)
        for n in (16, 256):
            turns = [measure(run(few, "--part", f"{i}/{n}", "--report=false"), 1e9) for i in range(16)]
            took, cpu = statistics.median(t[4] for t in turns), statistics.median(t[1] for t in turns)
            figures.setdefault(("few", n), []).append((took, cpu))
            shutil.rmtree(out)
    print("| parts | whole run, CPU s/GB | parts, CPU s/GB | ratio | merge, CPU s | merge, memory |\n|---|---|---|---|---|---|")
    for (kind, n), turns in figures.items():
        if kind == "corpus":
            whole, cpu, ratio, merge, memory = map(statistics.median, zip(*turns))
            print(f"| {n} | {whole:.2f} | {cpu:.2f} | {ratio:.3f} | {merge:.2f} | {memory:.0f} MB |")
    took, cpu = map(statistics.median, zip(*(t for (kind, _), turns in figures.items() if kind == "few" for t in turns)))
    print(f"\nA part of a few rows: {took:.2f} s, {cpu:.2f} CPU seconds.\n\n| cores | memory of a part |\n|---|---|")
    for cores in (1, 2):
        os.environ["GOMAXPROCS"] = str(cores)
        print(f"| {cores} | {max(measure(run(o.corpus, '--part', '1/4'), size, cores)[3] for _ in range(o.runs)):.0f} MB |")


def on_ray(o, folder):
    """Runs the corpus on one node and on two in turn, each a raylet that is held to a core, with its workers and programs."""
    os.environ["SLUICE_PROGRAM"] = os.path.abspath(o.sluice)
    sys.path.insert(0, os.path.join(HERE, "../../sdk/python"))
    import ray, ray.cluster_utils, sluice.ray

    cores, turns = sorted(os.sched_getaffinity(0)), {1: [], 2: []}
    if len(cores) < 2:
        sys.exit("want 2 cores, have 1")
    for _ in range(o.runs):
        for nodes in turns:
            cluster = ray.cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
            for core in cores[:nodes]:
                os.sched_setaffinity(0, {core})  # what the node starts inherits it
                cluster.add_node(num_cpus=1, memory=2 << 30, object_store_memory=300 << 20)
            os.sched_setaffinity(0, set(cores))
            ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
            ray.get([ray.remote(lambda: 0).options(num_cpus=1, scheduling_strategy="SPREAD").remote() for _ in range(nodes)])
            began = time.monotonic()
            sluice.ray.run(PIPELINE, o.parts, vars={"input": os.path.abspath(o.corpus), "out": f"{folder}/out"}, fresh=True)
            turns[nodes].append(time.monotonic() - began)
            print(f"{nodes} nodes: {turns[nodes][-1]:.1f} s", file=sys.stderr, flush=True)
            ray.shutdown()
            cluster.shutdown()
            shutil.rmtree(f"{folder}/out")
    size = os.path.getsize(o.corpus) / 1e6
    print("| nodes of one core | median | of one, in the same turn: median, least, most |\n|---|---|---|")
    for nodes, took in turns.items():
        times = [one / this for one, this in zip(turns[1], took)]
        print(f"| {nodes} | {size / statistics.median(took):.0f} MB/s | {statistics.median(times):.2f}, {min(times):.2f}, {max(times):.2f} |")


def large(o, folder):
    """Runs parts of about 1.2 times the corpus each. Only the files that these read have rows, the others are holes of the same size."""
    size, parts, of = os.path.getsize(o.corpus), (4, 20, 36, 52, 60), 75
    needed = {f for i in parts for f in range(of * i // 64, of * (i + 1) // 64 + 1)}
    os.mkdir(f"{folder}/in")
    os.mkdir(f"{folder}/whole")
    for i in range(of):
        path = f"{folder}/in/{i:02}.jsonl"
        if i not in needed:
            with open(path, "w") as f:
                f.truncate(size)
            continue
        shutil.copyfile(o.corpus, path)
        if len(os.listdir(f"{folder}/whole")) < 8:
            os.link(path, f"{folder}/whole/{i:02}.jsonl")

    def run(source, bytes, *more):
        command = [o.sluice, "run", PIPELINE, "--progress", "off", "--var", f"input={folder}/{source}/*.jsonl", "--var", f"out={folder}/out", *more]
        _, cpu, _, _, _ = measure(command, bytes)
        shutil.rmtree(f"{folder}/out")
        return cpu

    print("| whole run, CPU s/GB | 64 parts, CPU s/GB | ratio |\n|---|---|---|")
    for _ in range(o.runs):
        whole = run("whole", 8 * size)
        cut = statistics.mean(run("in", of * size / 64, "--part", f"{i}/64") for i in parts)
        print(f"| {whole:.2f} | {cut:.2f} | {cut / whole:.3f} |", flush=True)


KEEP = """
variable "seed" {{}}
variable "out" {{}}
source "jsonl" "in" {{
  paths = ["{folder}/in/*.jsonl"]
}}
step "native" "canonical" {{}}
step "privacy" "redact" {{
  host {{
    keep = true
  }}
}}
step "split" "split" {{
  seed = var.seed
}}
step "chatml" "row" {{}}
sink "jsonl" "rows" {{
  path = "${{var.out}}/{{split}}.jsonl"
}}
"""


def store(o, folder):
    """Fills a store with 1,000 files, changes three, and then a step. No folder is removed meanwhile: file systems remember what was."""
    os.mkdir(f"{folder}/in")
    with open(f"{folder}/keep.hcl", "w") as f:
        f.write(KEEP.format(folder=folder))
    with open(o.corpus) as f:
        rows = f.readlines()
    few = len(rows) // 1003

    def write(i, at):
        with open(f"{folder}/in/{i:04}.jsonl", "w") as f:
            f.writelines(rows[at * few:(at + 1) * few])

    for i in range(1000):
        write(i, i)

    def run(pipeline, place, *more):
        command = [o.sluice, "run", pipeline, "--progress", "off", "--report=false", "--var", f"out={folder}/{place}", *more]
        _, cpu, _, _, took = measure(command, 1e9)
        return took, cpu

    shipped, turns = ["--var", f"input={folder}/in/*.jsonl"], []
    for n in range(o.runs):
        kept = f"{folder}/store{n}"
        turn = [("without a store", run(PIPELINE, f"a{n}", *shipped)), ("the first run with a store", run(PIPELINE, f"b{n}", *shipped, "--store", kept))]
        for i in range(3):
            write(i, 1000 + i if n % 2 == 0 else i)
        turn += [("3 of 1,000 files new", run(PIPELINE, f"c{n}", *shipped, "--store", kept)), ("nothing new", run(PIPELINE, f"d{n}", *shipped, "--store", kept))]
        turn.append(("`keep`: without a store", run(f"{folder}/keep.hcl", f"e{n}", "--var", "seed=a")))
        turn.append(("`keep`: the first run with a store", run(f"{folder}/keep.hcl", f"f{n}", "--var", "seed=a", "--store", kept)))
        turn.append(("`keep`: a later step has changed", run(f"{folder}/keep.hcl", f"g{n}", "--var", "seed=b", "--store", kept)))
        turns.append(turn)
    print("| | s | CPU s |\n|---|---|---|")
    for lines in zip(*turns):
        took, cpu = (statistics.median(x) for x in zip(*(figures for _, figures in lines)))
        print(f"| {lines[0][0]} | {took:.1f} | {cpu:.1f} |")


CONVERT = """
source "auto" "in" {{
  paths = ["{source}"]
}}
sink "{kind}" "out" {{
  path       = "{folder}/{name}"
  unfiltered = true
}}
"""


def parquet(o, folder):
    """Writes rows as lines, as Parquet, and the rows of that as lines, in turn. All of a run counts: checks, hashes, and reading back."""
    size = os.path.getsize(o.corpus)
    ways = {"lines to lines": ("jsonl", o.corpus), "lines to Parquet": ("parquet", o.corpus), "Parquet to lines": ("jsonl", f"{folder}/rows.parquet")}
    figures = {name: [] for name in ways}
    for _ in range(o.runs):
        for n, (name, (kind, source)) in enumerate(ways.items()):
            with open(f"{folder}/{n}.hcl", "w") as f:
                f.write(CONVERT.format(source=os.path.abspath(source), kind=kind, folder=folder, name="rows.parquet" if kind == "parquet" else f"rows{n}.jsonl"))
            speed, cpu, _, memory, _ = measure([o.sluice, "run", f"{folder}/{n}.hcl", "--progress", "off", "--report=false"], size, 1)
            figures[name].append((speed, 1000 / cpu, memory))
    print("| | MB/s of JSON on one core | MB of JSON for each CPU second | memory |\n|---|---|---|---|")
    for name, turns in figures.items():
        speed, each, memory = map(statistics.median, zip(*turns))
        print(f"| {name} | {speed:.0f} | {each:.0f} | {memory:.0f} MB |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, function in ("cost", cost), ("large", large), ("ray", on_ray), ("store", store), ("parquet", parquet):
        command = commands.add_parser(name)
        command.add_argument("sluice", help="path of the program")
        command.add_argument("corpus", help="a file of eliza_native_v1 rows, not compressed")
        command.add_argument("--runs", type=int, default=3)
        command.add_argument("--parts", type=int, default=8, help="of a run on Ray")
        command.set_defaults(run=function)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sluice-bench-") as folder:
        options.run(options, folder)
