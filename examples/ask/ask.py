#!/usr/bin/env python3
"""A sluice plugin that asks a service about a value of each record and adds the answer."""

import asyncio
import hashlib
import http.client
import json
import os
import random
import sqlite3
import time
import urllib.error
import urllib.request
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import sluice

PASSING = {408, 425, 429, 500, 502, 503, 504}


@dataclass
class Args:
    url: str
    """the address that is asked: POST of the value as JSON, answered with JSON"""
    of: str
    """the path of the value"""
    into: str = "answer"
    """the path that the answer is written to"""
    cache: str = ""
    """a file that keeps the answers for the next run; none: they are kept for this run"""
    at_once: int = 8
    """how many requests are under way at a time"""
    tries: int = 5
    """how often a value is asked about at most, while the service fails in a way that may pass"""
    seconds: float = 30
    """how long one try may take"""
    pause: float = 0.5
    """about how many seconds pass before the second try; each later one waits twice as long, and as long as the service says"""


@sluice.plugin(concurrent=64, codes={"no_answer": "the service gives none", "bad_answer": "what the service gives is not JSON"})
class ask:
    """asks a service about a value and adds the answer"""

    def __init__(self, args: Args):
        self.args, self.pool, self.free_at = args, ThreadPoolExecutor(args.at_once), 0.0
        self.asking = weakref.WeakValueDictionary()  # a lock for each value that is being asked about
        if args.cache:
            os.close(os.open(args.cache, os.O_CREAT | os.O_RDWR, 0o600))  # answers may be personal data
        self.answers = sqlite3.connect(args.cache or ":memory:", isolation_level=None, check_same_thread=False)
        self.answers.execute("pragma synchronous = off")  # a lost answer is asked for again
        self.answers.execute("create table if not exists answers (asked text primary key, answer blob)")

    async def process(self, record):
        body = json.dumps(record[self.args.of]).encode()
        key = hashlib.sha256(self.args.url.encode() + b"\0" + body).hexdigest()
        async with self.asking.setdefault(key, asyncio.Lock()):  # the next one with this value finds the answer
            found = self.answers.execute("select answer from answers where asked = ?", (key,)).fetchone()
            if not found:
                record.count("asked")
                found = (await self.ask(body),)
                self.answers.execute("insert or replace into answers values (?, ?)", (key, *found))
        record[self.args.into] = json.loads(found[0])

    async def ask(self, body):
        """Returns the answer, or rejects the record. Messages hold neither the value nor the address."""
        for n in range(self.args.tries):
            while (wait := self.free_at - time.monotonic()) > 0:  # the service was too busy for another record
                await asyncio.sleep(wait)
            status, answer, after = await asyncio.get_running_loop().run_in_executor(self.pool, self.post, body)
            if status == 200:
                try:
                    json.loads(answer)
                except ValueError:
                    sluice.reject("bad_answer", "want JSON from the service, have something else", self.args.of)
                return answer
            if status not in PASSING and isinstance(status, int):
                break
            if after:
                self.free_at = max(self.free_at, time.monotonic() + after)
            await asyncio.sleep(self.args.pause * 2**n * random.uniform(0.5, 1))  # so that those who failed together do not return together
        sluice.reject("no_answer", f"want status 200, have {status}", self.args.of)

    def post(self, body):
        """Asks once, in a thread of the pool. Returns status, answer and after how many seconds the service wants to be asked again."""
        request = urllib.request.Request(self.args.url, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=self.args.seconds) as reply:
                return reply.status, reply.read(), 0
        except urllib.error.HTTPError as e:
            after = e.headers.get("Retry-After", "")
            return e.code, b"", float(after) if after.isdigit() else 0
        except (OSError, http.client.HTTPException) as e:
            return type(getattr(e, "reason", e)).__name__, b"", 0

    def close(self):
        self.pool.shutdown(wait=False, cancel_futures=True)
        self.answers.close()


if __name__ == "__main__":
    sluice.main()
