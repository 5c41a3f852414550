"""The plugin in a pipeline, against a service that throttles and fails."""

import http.server
import json
import os
import socket
import stat
import subprocess
import tempfile
import threading
import unittest
from collections import Counter
from pathlib import Path

import sluice

HERE = Path(__file__).resolve().parent

settings = tempfile.TemporaryDirectory()
unittest.addModuleCleanup(settings.cleanup)
os.environ["XDG_CONFIG_HOME"] = settings.name  # what the tests run is trusted nowhere else


class Service(http.server.ThreadingHTTPServer):
    """Answers with the length of what it is asked about, or fails as that says: "503 2" twice, then it answers."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, takes=100, together=0):
        super().__init__(("127.0.0.1", 0), Asked)
        self.takes, self.lock = takes, threading.Lock()
        self.asked, self.statuses, self.now, self.most = Counter(), Counter(), 0, 0
        self.over = threading.Event()
        self.together = threading.Barrier(together) if together else None  # the first requests wait for each other

    def handle_error(self, *_):  # a client that does not wait
        pass


class Asked(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        s = self.server
        what = str(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        with s.lock:
            self.inside = 1
            s.now += 1
            s.most = max(s.most, s.now)
            s.asked[what] += 1
            n, busy = s.asked[what], s.now > s.takes
        try:
            if s.together and sum(s.asked.values()) <= s.together.parties:
                s.together.wait(60)
            self.answer(what, n, busy)
        finally:
            self.leave()

    def leave(self):
        with self.server.lock:
            self.server.now -= self.inside
            self.inside = 0

    def answer(self, what, n, busy):
        how, _, times = what.partition(" ")
        fails = n <= int(times or 1 << 30)
        if busy:
            self.reply(429, b"", after="0")
        elif how == "hang" and fails:
            self.server.over.wait(60)
        elif how == "reset" and fails:
            self.connection.shutdown(socket.SHUT_RDWR)
        elif how == "garbage":
            self.reply(200, b'{"length":')
        elif how.isdigit() and fails:
            self.reply(int(how), b"", after="0")
        else:
            self.reply(200, json.dumps({"length": len(what)}).encode())

    def reply(self, status, body, after=None):
        self.leave()  # the client may send the next request before this thread goes on
        with self.server.lock:
            self.server.statuses[status] += 1
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if after:
            self.send_header("Retry-After", after)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Ask(unittest.TestCase):
    def serve(self, **how):
        service = Service(**how)
        threading.Thread(target=service.serve_forever, daemon=True).start()
        self.addCleanup(service.server_close)
        self.addCleanup(service.shutdown)
        self.addCleanup(service.over.set)
        self.url = f"http://127.0.0.1:{service.server_port}/"
        return service

    def ask(self, names, **vars):
        """Returns what became of each name, in order, and the receipt."""
        vars = {"service": self.url, "pause": 0.01, **vars}
        results = sluice.stream(HERE / "ask.hcl", ({"name": n} for n in names), vars=vars)
        found = sorted(results, key=lambda row: row.line)
        return [(r.code, r.message) if isinstance(r, sluice.Rejected) else r.parse() for r in found], results.receipt

    def test_failures(self):
        """What passes costs no record; what lasts, its own."""
        service = self.serve()
        passing = ["503 2", "429 4", "hang 1", "reset 1"]
        lasting = ["404", "503", "hang", "reset", "garbage"]
        got, _ = self.ask(passing + lasting, seconds=0.5)
        self.assertEqual(got[:4], [{"name": n, "about": {"length": len(n)}} for n in passing])
        self.assertEqual(got[4:], [
            ("no_answer", "want status 200, have 404"), ("no_answer", "want status 200, have 503"), ("no_answer", "want status 200, have TimeoutError"),
            ("no_answer", got[7][1]), ("bad_answer", "want JSON from the service, have something else"),
        ])
        self.assertEqual({n: service.asked[n] for n in passing + lasting}, {
            "503 2": 3, "429 4": 5, "hang 1": 2, "reset 1": 2, "404": 1, "503": 5, "hang": 5, "reset": 5, "garbage": 1,
        })

    def test_at_once(self):
        """As many requests as allowed are under way, and no more, and the order stays."""
        service = self.serve(takes=5, together=5)
        names = [f"n{i}" for i in range(500)]
        got, _ = self.ask(names, at_once=5)
        self.assertEqual([g["name"] for g in got], names)
        self.assertEqual((service.most, service.statuses), (5, {200: 500}))

    def test_throttled(self):
        """A service that takes fewer is asked again until it has answered all."""
        service = self.serve(takes=2, together=8)
        got, _ = self.ask([f"n{i}" for i in range(50)], at_once=8)
        self.assertEqual([g["about"]["length"] for g in got], [2] * 10 + [3] * 40)
        self.assertEqual(service.statuses[200], 50)
        self.assertGreater(service.statuses[429], 0)

    def test_cache(self):
        """Nothing is asked about twice, not by the next run either; failures are."""
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder, "answers.sqlite")
            service = self.serve()
            first, receipt = self.ask(["Ada", "Grace", "Ada", "404"] + ["Ada"] * 100, cache=cache)
            self.assertEqual(receipt["steps"][0]["counts"]["asked"], 2)  # a record that is rejected counts nothing
            self.assertEqual(stat.S_IMODE(os.stat(cache).st_mode), 0o600)
            again, _ = self.ask(["Grace", "Ada", "404"], cache=cache)
            self.assertEqual(again, [first[1], first[0], first[3]])
        self.assertEqual(service.asked, {"Ada": 1, "Grace": 1, "404": 2})

    def test_verify(self):
        """It keeps to the protocol."""
        self.serve()
        command = [os.environ["SLUICE_PROGRAM"], "plugin", "verify", HERE / "ask.py", "--name", "ask", "--rows", HERE / "rows.jsonl", "--env", "PYTHONPATH", "--quick"]
        for check in ("version range", "host death", "wrong attribute", "rows", "messages", "odd records", "untouched bytes", "declared", "ending"):
            command += ["--check", check]
        for arg in ("of=name", f"url={self.url}", "pause=0.01"):
            command += ["--arg", arg]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
