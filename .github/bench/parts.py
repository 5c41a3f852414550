#!/usr/bin/env python3
"""The figures of SCALE.md, as tables in Markdown. Linux only.

parts.py cost SLUICE CORPUS  what a part and the merge cost, and n parts beside the whole run
parts.py ray SLUICE CORPUS   a Ray cluster of one node and of two, each a core of this machine; wants ray
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
    print("| nodes of one core | best | |\n|---|---|---|")
    for nodes, took in turns.items():
        print(f"| {nodes} | {size / min(took):.0f} MB/s | {min(turns[1]) / min(took):.2f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, function in ("cost", cost), ("ray", on_ray):
        command = commands.add_parser(name)
        command.add_argument("sluice", help="path of the program")
        command.add_argument("corpus", help="a file of eliza_native_v1 rows, not compressed")
        command.add_argument("--runs", type=int, default=3)
        command.add_argument("--parts", type=int, default=8, help="of a run on Ray")
        command.set_defaults(run=function)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sluice-bench-") as folder:
        options.run(options, folder)
