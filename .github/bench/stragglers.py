#!/usr/bin/env python3
"""Simulates a run in parts on machines of different speed that die, and says how long it takes for how many parts. Its tables are those of SCALE.md.

stragglers.py [--terabytes 10] [--machines 100] [--tries 200] [--seed 1] ...
"""
import argparse, heapq, math, random, statistics

PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name, value, about in (
    ("terabytes", 10, "of input"),
    ("machines", 100, ""),
    ("cores", 8, "of a machine, each with a part at a time"),
    ("cost", 6.4, "CPU seconds of a GB of input"),
    ("bandwidth", 1250, "MB/s that a machine reads, shared by its cores"),
    ("start", 0.25, "seconds that a part takes besides its rows"),
    ("merge", 0.001, "seconds of the merge for each part"),
    ("spread", 0.15, "sigma of the lognormal speeds of machines"),
    ("wobble", 0.1, "sigma of the lognormal sizes of the work of parts, and of their speed from one try to the next"),
    ("slow", 0.02, "share of machines that run at a third of their speed"),
    ("dies", 0.01, "probability that a machine dies within an hour"),
    ("back", 600, "seconds until another machine is there for one that died"),
    ("checkpoint", 10, "seconds between checkpoints"),
    ("tries", 200, "simulated runs of each number of parts"),
    ("seed", 1, ""),
):
    PARSER.add_argument(f"--{name}", type=type(value), default=value, help=f"{about} (default {value})")


def one(o, n, resume, draw):
    """Returns the seconds that a run of n parts takes. resume is whether a part goes on elsewhere from its checkpoint."""
    speeds = []
    for _ in range(o.machines):
        speed = draw.lognormvariate(0, o.spread)
        speeds.append(speed / 3 if draw.random() < o.slow else speed)
    seconds = max(o.cost, 1000 * o.cores / o.bandwidth)  # for a GB, of a core of speed 1
    rate = -math.log(1 - o.dies) / 3600 if o.dies else 0
    deaths = [draw.expovariate(rate) if rate else math.inf for _ in speeds]
    work = [o.terabytes * 1000 * seconds / n * draw.lognormvariate(0, o.wobble) for _ in range(n)]
    todo = list(range(n))[::-1]  # the next is the last
    free = [(0.0, m, c) for m in range(o.machines) for c in range(o.cores)]
    heapq.heapify(free)
    over = 0.0
    running = []  # end, part, machine, core, whether it died
    while todo or running:
        if todo and free and (not running or free[0][0] <= running[0][0]):
            now, m, c = heapq.heappop(free)
            while now >= deaths[m] + o.back:  # died and was replaced meanwhile
                deaths[m] += o.back + draw.expovariate(rate)
            if now >= deaths[m]:
                heapq.heappush(free, (deaths[m] + o.back, m, c))
                continue
            part = todo.pop()
            speed = speeds[m] * draw.lognormvariate(0, o.wobble)
            end = now + o.start + work[part] / speed
            if end <= deaths[m]:
                heapq.heappush(running, (end, part, m, c, False))
                continue
            done = max(deaths[m] - now - o.start - draw.uniform(0, o.checkpoint), 0) * speed if resume else 0
            work[part] -= done
            heapq.heappush(running, (deaths[m], part, m, c, True))
        else:
            end, part, m, c, died = heapq.heappop(running)
            heapq.heappush(free, (end + o.back if died else end, m, c))
            if died:
                todo.append(part)
                free = [(max(at, end), *slot) for at, *slot in free]  # those that wait take it up now
                heapq.heapify(free)
            else:
                over = max(over, end)
    return over + o.merge * n


def main():
    o = PARSER.parse_args()
    slots = o.machines * o.cores
    ideal = o.terabytes * 1000 * max(o.cost, 1000 * o.cores / o.bandwidth) / slots
    print(f"{o.machines} machines of {o.cores} cores, all alike, none dying, parts without cost: {ideal:,.0f} s.\n")
    print("| parts | for each core | GB each | median | 95 of 100 | begun anew: median | 95 of 100 |\n|---|---|---|---|---|---|---|")
    for each in (1, 2, 4, 8, 16, 32, 64):
        n, cells = slots * each, []
        for resume in (True, False):
            turns = sorted(one(o, n, resume, random.Random(f"{o.seed} {t}")) / ideal for t in range(o.tries))
            cells += [f"{statistics.median(turns):.2f}", f"{turns[int(0.95 * len(turns))]:.2f}"]
        print(f"| {n} | {each} | {o.terabytes * 1000 / n:.2g} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
