#!/usr/bin/env python3
"""The figures of FIGURES.md that sluice bench does not measure, as tables in Markdown. Linux only.

bench.py peers SLUICE CORPUS  compares sluice with render.py and jq -c, which only render the rows; wants orjson and jq
bench.py scaling SLUICE       throughput by size of records, steps and cores, and by size of the corpus
bench.py texts SLUICE         what texts of several kinds cost, and records of many small things, as multiples of prose
bench.py workers SLUICE CORPUS what steps give that wait, by workers; wants Go
bench.py python SLUICE CORPUS compares a plugin in Python with one in Go that does the same; wants Go, grpcio and protobuf
"""
import argparse, base64, hashlib, json, os, random, statistics, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
PIPELINE = os.path.join(HERE, "../../pipelines/eliza-sft.hcl")


def resident(pid):
    """Returns the memory of a process and its descendants, in bytes."""
    total, children = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        children.setdefault(int(fields[1]), []).append(int(entry))
        total[int(entry)] = int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    family = [pid]
    for parent in family:
        family += children.get(parent, [])
    return sum(total.get(p, 0) for p in family)


def measure(command, size, cores=None, stdout=subprocess.DEVNULL):
    """Runs a command on so many cores; returns MB/s, CPU s/GB, switches/MB, memory in MB, and the seconds that it took."""
    pin = None if cores is None else lambda: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, preexec_fn=pin)
    most, over = [0], threading.Event()

    def watch():
        while not over.wait(0.05):
            most[0] = max(most[0], resident(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    failure = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    took = time.monotonic() - began
    over.set()
    watcher.join()
    if status:
        sys.exit(f"{command[0]}: {failure.decode(errors='replace')}")
    switches = (used.ru_nvcsw + used.ru_nivcsw) / size * 1e6
    return size / took / 1e6, (used.ru_utime + used.ru_stime) / size * 1e9, switches, most[0] / 1e6, took


def medians(runs, *args, **more):
    return [statistics.median(turn) for turn in zip(*(measure(*args, **more) for _ in range(runs)))]


RENDER = """
source "jsonl" "in" {{
  paths = ["{corpus}"]
}}
step "native" "canonical" {{}}
step "chatml" "row" {{
  arguments = "string"
}}
sink "jsonl" "out" {{
  path       = "{folder}/rendered.jsonl"
  unfiltered = true
}}
"""


def peers(o, folder):
    """Runs all in turn, so that other load on the machine affects them alike, and checks that those who render write the same."""
    size, cores, alone = os.path.getsize(o.corpus), len(os.sched_getaffinity(0)), f"{folder}/render.hcl"
    with open(alone, "w") as f:
        f.write(RENDER.format(corpus=os.path.abspath(o.corpus), folder=folder))
    rows = f"{folder}/rendered.jsonl"
    run = [o.sluice, "run", "--progress", "off"]
    ways = {
        "sluice, the whole of `eliza-sft.hcl`": (run + [PIPELINE, "--var", f"input={o.corpus}", "--var", f"out={folder}/out"], os.devnull),
        "sluice, steps `native` and `chatml` alone": (run + [alone], os.devnull),
        f"Python with orjson, {cores} processes": ([sys.executable, f"{HERE}/render.py", o.corpus, str(cores)], rows),
        "Python with orjson, 1 process": ([sys.executable, f"{HERE}/render.py", o.corpus, "1"], rows),
        "`jq -c`": (["jq", "-c", "-f", f"{HERE}/chatml.jq", o.corpus], rows),
    }
    figures, sums = {name: [] for name in ways}, {}
    for _ in range(o.runs):
        for name, (command, to) in ways.items():
            with open(to, "w") as stdout:
                figures[name].append(measure(command, size, stdout=stdout))
            if "eliza-sft" not in name and "jq" not in name:  # jq before 1.7 writes numbers anew
                with open(rows, "rb") as f:
                    sums[name] = hashlib.file_digest(f, "sha256").hexdigest()
    if len(set(sums.values())) > 1:
        sys.exit(f"want the same rows of all, have {sums}")
    print("| | throughput | CPU s/GB | memory |\n|---|---|---|---|")
    for name, turns in figures.items():
        speed, cpu, _, memory, _ = map(statistics.median, zip(*turns))
        print(f"| {name} | {speed:.0f} MB/s | {cpu:.1f} | {memory:.0f} MB |")


def corpus(path, size, record):
    """Writes about so many bytes of records of one size."""
    words = "the north wind and the sun disputed who was the stronger when a traveller came along "
    text = words * (record // len(words) + 2)
    with open(path, "w") as f:
        for n in range(max(size // record, 1)):
            head, at = f'{{"id":{n},"text":"', n % len(words)
            f.write(head + text[at : at + record - len(head) - 3] + '"}\n')
    return os.path.getsize(path)


def scaling(o, folder):
    source, file, most = f"{folder}/in.jsonl", f"{folder}/scaling.hcl", int(o.megabytes * 1e6)
    run = [o.sluice, "run", file, "--progress", "off"]
    cores = [n for n in (1, 2, 4, 8, 16, 32, 64) if n < os.cpu_count()] + [os.cpu_count()]

    def pipeline(steps):
        with open(file, "w") as f:
            f.write(f'source "jsonl" "in" {{\n  paths = ["{source}"]\n}}\n')
            f.writelines(f'step "noop" "n{i}" {{}}\n' for i in range(steps))
            f.write(f'sink "jsonl" "out" {{\n  path = "{folder}/out.jsonl"\n}}\n')

    print("| record | steps |", *(f"{n} cores |" for n in cores), "CPU s/GB | switches/MB | memory |")
    print("|---" * (len(cores) + 5) + "|")
    for record in (200, 1_000, 8_000, 64_000, 1_000_000, 64 << 20):
        if record * 4 > most:
            continue
        size = corpus(source, most, record)
        for steps in (1, 4, 12):
            pipeline(steps)
            ways = [medians(o.runs, run, size, cores=n) for n in cores]
            cells = [f"{way[0]:.1f} MB/s" for way in ways] + [f"{ways[-1][1]:.2f}", f"{ways[-1][2]:.1f}", f"{ways[-1][3]:.1f} MB"]
            print(f"| {record} B | {steps} |", " | ".join(cells), "|", flush=True)
    print("\n| corpus | throughput | CPU s/GB | switches/MB | memory |\n|---|---|---|---|---|")
    pipeline(4)
    for wanted in (most // 5, most, 10 * most):
        size = corpus(source, wanted, 8_000)
        speed, cpu, switches, memory, _ = medians(o.runs, run, size)
        print(f"| {size / 1e6:.1f} MB | {speed:.1f} MB/s | {cpu:.2f} | {switches:.1f} | {memory:.1f} MB |", flush=True)


GREET = """
source "jsonl" "in" {{
  paths = ["{folder}/{rows}.jsonl"]
}}
plugin "{plugin}" {{
  path = "{folder}/{program}"
}}
step "{plugin}" "greet" {{
  host {{
    workers = {workers}
  }}
}}
sink "jsonl" "out" {{
  path = "{folder}/out.jsonl"
}}
"""


def kinds(r):
    """Returns pieces of text of several kinds, each as a function that makes one."""
    words = "the of and to in is that for was on are with as at be this have from one had by word but not what all were when your can said there".split()
    word, number = lambda: r.choice(words), r.randrange
    hexadecimal = lambda n: f"{number(16**n):0{n}x}"
    name = lambda: f"{word()}_{word()}"
    return {
        "prose": lambda: " ".join(word() for _ in range(12)) + ". ",
        "Chinese": lambda: "".join(chr(number(0x4E00, 0x9000)) for _ in range(20)),
        "Arabic": lambda: " ".join("".join(chr(number(0x627, 0x64B)) for _ in range(5)) for _ in range(8)) + f" {number(999)} ",
        "code": lambda: f'    def {name()}(self, {word()}={number(9)}):\n        return self.{word()}["{word()}"] + {word()}.get("{word()}", None)\n\n',
        "stack traces": lambda: f'  File "/usr/lib/python3.{number(9, 13)}/{word()}/{word()}.py", line {number(999)}, in {word()}\n    {word()} = {word()}({word()})\n',
        "Markdown": lambda: f"## {word()} {word()}\n\n* **{word()}**: `{name()}({number(99)})`\n| {word()} | {number(999)} |\n",
        "HTML": lambda: f'<div class="c{number(99)}"><a href="/p/{number(99999)}">{word()} {word()}</a><span>&nbsp;{word()}</span></div>\n',
        "diffs": lambda: f"@@ -{number(999)},{number(9)} +{number(999)},{number(9)} @@ {word()}\n-    {word()}({number(99)})\n+    {word()}({number(99)}, {word()})\n",
        "logs": lambda: f"2026-0{number(1, 9)}-1{number(9)}T1{number(9)}:{number(10, 59)}:{number(10, 59)}.{number(100, 999)}Z INFO worker-{number(16)} handled request {number(10**6)} in {number(999)} ms\n",
        "logs with colours": lambda: f"\x1b[3{number(8)}mstep {number(99)}\x1b[0m took \x1b[1m{number(9999)}ms\x1b[22m\n",
        "URLs": lambda: f"see https://www.{word()}{word()}.com/{word()}/{number(10**5)}?q={word()}&id={number(10**7)} and ",
        "UUIDs": lambda: f"{hexadecimal(8)}-{hexadecimal(4)}-4{hexadecimal(3)}-a{hexadecimal(3)}-{hexadecimal(12)} {word()} ",
        "prices and dates": lambda: f"{word()} ${number(1, 999)},{number(100, 999)}.{number(10, 99)} on {number(1, 12)}/{number(1, 28)}/{number(2000, 2026)} ",
        "pairs of decimals": lambda: f"({r.random() * 100:.2f}, {r.random() * 100:.2f}) -> [{number(1000)}, {number(1000)}] ",
        "numbers": lambda: f"{number(10**9)} {r.random() * 1000:.3f} ",
        "tables of numbers": lambda: f"{r.random():.4f},{number(10**5)},{r.random():.1f}\n",
        "base64": lambda: base64.b64encode(r.randbytes(48)).decode(),
        "hexadecimal": lambda: hexadecimal(16),
        "an address of mail every 800 bytes": lambda: " ".join(word() for _ in range(200)) + f" mail {word()}{number(10**6)}@corp-mail.io ",
        "a secret every 70 bytes": lambda: f"and the key sk-{hexadecimal(32)} of the station ",
    }


def structures(r):
    """Returns records of many small things, each as a function that makes the members of one."""
    word = lambda: r.choice("search reply open close read write plan build".split())
    called = lambda n: [
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": f"c{n}", "toolName": word(), "input": {"q": word(), "n": n}}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": f"c{n}", "toolName": word(), "output": {"type": "text", "value": word() * 9}}]},
    ]
    user = {"role": "user", "content": "go on"}
    schema = lambda: {"type": "object", "properties": {"a": {"type": "string", "description": word() * 5}, "b": {"type": "number"}}, "required": ["a"]}
    return {
        "50,000 keys in metadata": lambda: ([user], [], {f"calendar_{r.randrange(16**5):x}_{n}": word() for n in range(50_000)}),
        "100,000 short strings in metadata": lambda: ([user], [], {"list": [word() for _ in range(100_000)]}),
        "20,000 messages": lambda: ([{"role": ("user", "assistant")[n % 2], "content": word() * 9} for n in range(20_000)] + [user], [], {}),
        "2,500 calls": lambda: ([user] + [m for n in range(2500) for m in called(n)], [], {}),
        "1,000 tools": lambda: ([user], [{"name": f"T_{n}", "description": word() * 15, "inputSchema": schema()} for n in range(1000)], {}),
    }


def texts(o, folder):
    """Runs the rows of each kind in turn with rows of prose and with one row, whose time is taken off both. The figures are those of the best
    runs, which other load on the machine has disturbed least."""
    r = random.Random(1)
    every = kinds(r)

    def filled(make):
        text = ""
        while len(text) < 7000:
            text += "".join(make() for _ in range(20))
        return [{"role": "user", "content": text[:7000]}], [], {}

    def written(name, make, size):
        with open(f"{folder}/{name}.jsonl", "wb") as f:
            while f.tell() == 0 or f.tell() < size:
                messages, tools, metadata = make()
                request = {"messages": messages} | ({"tools": tools} if tools else {})
                row = {"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "request": request, "response": {"text": "Done."}}
                f.write(json.dumps(row | {"metadata": metadata}, ensure_ascii=False).encode() + b"\n")
            return f.name, f.tell()

    def cpu(source):
        return measure([o.sluice, "run", PIPELINE, "--progress", "off", "--var", f"input={source}", "--var", f"out={folder}/out"], 1e9)[1]

    most, prose = int(o.megabytes * 1e6), every["prose"]
    one, _ = written("one", lambda: filled(prose), 0)
    plain, plain_size = written("prose", lambda: filled(prose), most)
    makers = {name: (lambda make=make: filled(make)) for name, make in every.items()} | structures(r)
    print("| rows of | times the CPU of prose |\n|---|---|")
    for name, make in makers.items():
        file, size = written("kind", make, most)
        start, usual, took = (min(turn) for turn in zip(*((cpu(one), cpu(plain), cpu(file)) for _ in range(o.runs))))
        print(f"| {name} | {(took - start) / size / ((usual - start) / plain_size):.1f} |", flush=True)


def python(o, folder):
    """Runs the plugin of examples/hello and those of greet.py in turn, on short rows and on those of a corpus, which get a name as their last
    member. Rows are counted from where the plugin is up: the time of a run of one row is taken off. The figures are those of the best runs,
    which other load on the machine has disturbed least."""
    root, plugins = os.path.join(HERE, "../.."), {"hello": "hello", "edits": "greet", "parses": "greet"}
    subprocess.run(["go", "build", "-o", f"{folder}/hello", "./examples/hello"], cwd=root, check=True)
    with open(f"{folder}/greet", "w") as script:
        script.write(f"#!{sys.executable}\nimport sys\nsys.path[:0] = [{root + '/sdk/python'!r}]\n")
        with open(f"{HERE}/greet.py") as f:
            script.write(f.read())
    os.chmod(script.name, 0o700)
    numbers = {"short": o.rows, "long": 0, "one": 1}
    with open(f"{folder}/short.jsonl", "w") as f:
        text = "the north wind and the sun disputed who was the stronger " * 3
        for n in range(o.rows):
            row = {"id": n, "text": text, "tags": ["a", "b"], "meta": {"source": "fable", "split": "train"}, "score": 0.75, "name": f"row {n:07}"}
            f.write(json.dumps(row) + "\n")
    with open(f"{folder}/long.jsonl", "w") as f, open(o.corpus) as corpus:
        for line in corpus:
            f.write(f'{line.rstrip()[:-1]},"name":"row {numbers["long"]}"}}\n')
            numbers["long"] += 1
    with open(f"{folder}/one.jsonl", "w") as f:
        f.write('{"name": "row"}\n')

    figures, sums = {}, {}
    for _ in range(o.runs):
        for rows in "one", "short", "long":
            for workers in (1, 2):
                for plugin, program in plugins.items():
                    with open(f"{folder}/greet.hcl", "w") as f:
                        f.write(GREET.format(folder=folder, rows=rows, plugin=plugin, program=program, workers=workers))
                    _, cpu, _, memory, took = measure([o.sluice, "run", f.name, "--progress", "off"], 1e9)
                    figures.setdefault((rows, workers, plugin), []).append((took, cpu, memory))
                    with open(f"{folder}/out.jsonl") as f:
                        sums.setdefault(rows, set()).add(hash(tuple(json.loads(line)["greeting"] for line in f)))
    if any(len(s) > 1 for s in sums.values()):
        sys.exit("want the same greetings of all, have greetings that differ")
    print("| rows | workers | plugin | rows/s | of Go's | CPU us/row | memory |\n|---|---|---|---|---|---|---|")
    for (rows, workers, plugin), turns in figures.items():
        took, cpu, memory = map(min, zip(*turns))
        if rows == "one":
            print(f"| one | {workers} | `{plugin}` | {1000 * took:.0f} ms in all | | {1e6 * cpu:.0f} | {memory:.0f} MB |")
            continue
        up = [min(turn) for turn in zip(*figures["one", workers, plugin])]
        speed = (numbers[rows] - 1) / (took - up[0])
        if plugin == "hello":
            of = speed
        print(f"| {rows} | {workers} | `{plugin}` | {speed:,.0f} | {speed / of:.2f} | {1e6 * (cpu - up[1]) / numbers[rows]:.1f} | {memory:.0f} MB |")


WAITS = """
source "jsonl" "in" {{
  paths = ["{corpus}"]
}}
plugin "waits" {{
  path = "{folder}/waits"
}}
{steps}
sink "jsonl" "out" {{
  path = "{folder}/out.jsonl"
}}
"""
WAITING = """
step "waits" "s{n}" {{
  each = {each}
  host {{
    workers = {workers}
    process = "own"
  }}
}}
"""


def workers(o, folder):
    """Runs steps of waits.go with more and more workers, and three of them one behind the other."""
    subprocess.run(["go", "build", "-o", f"{folder}/waits", ".github/bench/waits.go"], cwd=os.path.join(HERE, "../.."), check=True)
    size = os.path.getsize(o.corpus)
    print("| steps | us/record | workers of each | MB/s | memory |\n|---|---|---|---|---|")
    for steps, each, count in *((1, 100, n) for n in (1, 2, 4, 8, 16, 64)), (3, 200, 16):
        with open(f"{folder}/waits.hcl", "w") as f:
            chain = "".join(WAITING.format(n=n, each=each, workers=count) for n in range(steps))
            f.write(WAITS.format(corpus=os.path.abspath(o.corpus), folder=folder, steps=chain))
        speed, _, _, memory, _ = medians(o.runs, [o.sluice, "run", f.name, "--progress", "off"], size)
        print(f"| {steps} | {each} | {count} | {speed:.0f} | {memory:.0f} MB |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, function in ("peers", peers), ("scaling", scaling), ("texts", texts), ("workers", workers), ("python", python):
        command = commands.add_parser(name)
        command.add_argument("sluice", help="path of the program")
        command.add_argument("--runs", type=int, default=3)
        command.set_defaults(run=function)
        if name in ("peers", "workers", "python"):
            command.add_argument("corpus", help="a file of eliza_native_v1 rows, not compressed")
        if name == "python":
            command.add_argument("--rows", type=int, default=1_000_000, help="how many short rows")
        if name in ("scaling", "texts"):
            command.add_argument("--megabytes", type=float, default=340 if name == "scaling" else 40, help="size of a corpus")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sluice-bench-") as folder:
        options.run(options, folder)
