#!/usr/bin/env python3
"""How long a cluster takes, and what that costs: the table of python/CLUSTERS.md, from a simulation and from its formula.

    python3 benches/cluster.py
    python3 benches/cluster.py --words 1e9 --rate 4000 --processors 16 --price 0.6

Nothing is measured here. A driver hands tasks to processors one at a time; machines start when they are ready, fetch the model from
one source, are fast or slow, and some are taken away and replaced. The same seed gives the same table on every machine.
"""

import argparse
import heapq
import math
import random
from dataclasses import dataclass

SIZES = (1, 3, 10, 30, 100, 300, 1000)


@dataclass(frozen=True)
class Cluster:
    """What is assumed; seconds, words and bytes."""

    words: float = 1e10
    # Words per second of one processor while all processors of the machine are busy.
    rate: float = 6000.0
    processors: int = 32
    # Dollars per machine and hour, from the moment it is asked for.
    price: float = 1.3
    # From asking for a machine until its processes run: the mean, and how much earlier or later it is at most.
    start: float = 120.0
    start_spread: float = 40.0
    # Size of a model, and how fast the one source sends it to all machines together.
    model: float = 20e6
    source: float = 1.25e9
    # Loading it, once in each process.
    load: float = 1.0
    # Tasks that a driver hands out in a second.
    launches: float = 500.0
    # Words of the mean task.
    task: float = 150e3
    # Standard deviations of the logarithms of tasks' words and of machines' speeds.
    task_spread: float = 0.3
    speed_spread: float = 0.05
    # One machine in a hundred has half the speed.
    slow: float = 0.01
    slow_speed: float = 0.5
    # Machines that are taken away, per machine and hour.
    deaths: float = 0.02
    # For what is left to chance.
    seed: int = 1

    def distribution(self, machines: int) -> float:
        """Seconds until all machines have the model."""
        return machines * self.model / self.source

    def formula(self, machines: int) -> float:
        """Seconds that the page's formula gives."""
        speed = 1 - self.slow * (1 - self.slow_speed)
        rate = machines * self.processors * self.rate * speed
        before = self.start + self.distribution(machines) / 2 + self.load
        tasks = self.words / self.task
        # Tasks under way when nothing is left to hand out end one after another: after half a task on average.
        last = self.task / self.rate / 2
        lost = 1 + self.deaths * (self.task / self.rate / 2 + self.start) / 3600
        return before + max(self.words / rate * lost, tasks / self.launches) + last

    def simulate(self, machines: int, copies: bool) -> float:
        """Seconds until the last task is done; with `copies`, idle processors repeat late tasks."""
        # One for each kind, so that a change to one leaves the others as they are.
        chance, pace, fate = (random.Random(f"{self.seed} {kind}") for kind in ("tasks", "machines", "lives"))
        count = max(1, round(self.words / self.task))
        sizes = [chance.lognormvariate(-self.task_spread**2 / 2, self.task_spread) for _ in range(count)]
        scale = self.words / sum(sizes)
        sizes = [size * scale for size in sizes]

        def life() -> float:
            return fate.expovariate(self.deaths / 3600) if self.deaths else math.inf

        events: list[tuple[float, int, int]] = []  # when, processor or -1, task that is lost or -1
        speeds, ends = [], []
        begins = sorted(self.start + pace.uniform(-1, 1) * self.start_spread for _ in range(machines))
        fetched = 0.0
        for machine, begin in enumerate(begins):
            # The source serves one machine after the other.
            fetched = max(fetched, begin) + self.model / self.source
            slow = self.slow_speed if pace.random() < self.slow else 1.0
            speeds.append(self.rate * slow * pace.lognormvariate(-self.speed_spread**2 / 2, self.speed_spread))
            ends.append(fetched + life())
            for processor in range(self.processors):
                events.append((fetched + self.load, machine * self.processors + processor, -1))
        heapq.heapify(events)
        waiting = list(range(count - 1, -1, -1))
        done = [math.inf] * count
        copied = [False] * count
        late: list[tuple[float, int]] = []  # minus the end, task
        idle: list[int] = []
        driver = 0.0

        def run(now: float, processor: int, task: int) -> None:
            nonlocal driver
            machine = processor // self.processors
            begin = driver = max(now, driver) + 1 / self.launches
            end = begin + sizes[task] / speeds[machine]
            if end > ends[machine] >= begin:
                if done[task] == math.inf:
                    heapq.heappush(events, (ends[machine], -1, task))
                heapq.heappush(events, (ends[machine] + self.start, processor, -1))
                return
            if begin > ends[machine]:
                # It was taken away between two tasks, and another is there by now.
                ends[machine] = begin + life()
            if end < done[task]:
                done[task] = end
                heapq.heappush(late, (-end, task))
            heapq.heappush(events, (end, processor, -1))

        while events:
            now, processor, lost = heapq.heappop(events)
            if lost >= 0:
                if done[lost] < math.inf:
                    continue
                if idle:
                    run(now, idle.pop(), lost)
                else:
                    waiting.append(lost)
            elif waiting:
                run(now, processor, waiting.pop())
            else:
                latest = -1
                while copies and late and latest < 0:
                    end, task = late[0]
                    if -end != done[task] or copied[task]:
                        heapq.heappop(late)
                    elif -end <= now + sizes[task] / self.rate * 1.2:
                        break
                    else:
                        latest = task
                if latest >= 0:
                    copied[latest] = True
                    run(now, processor, latest)
                else:
                    idle.append(processor)
        return max(done)


def table(cluster: Cluster, sizes: tuple[int, ...] = SIZES) -> str:
    """The page's table, in Markdown."""
    rows = [
        "| machines | time | formula | million words/s | of linear | $ per billion words | without copies |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for machines in sizes:
        took, alone = (cluster.simulate(machines, copies) for copies in (True, False))
        linear = cluster.words / (machines * cluster.processors * cluster.rate)
        cost = machines * took / 3600 * cluster.price / (cluster.words / 1e9)
        rate = cluster.words / took / 1e6
        cells = [f"{machines:,}", clock(took), clock(cluster.formula(machines))]
        cells += [f"{rate:,.2f}", f"{linear / took:.0%}", f"{cost:.2f}", clock(alone)]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def clock(seconds: float) -> str:
    """A time as people read it."""
    if seconds >= 7200:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.1f} min"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in vars(Cluster()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    print(table(Cluster(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
