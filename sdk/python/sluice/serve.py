"""A program that serves plugins to the host that started it."""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from concurrent import futures
from typing import Any

from . import arguments, wire as pb
from .declare import Plugin, Processor, registered
from .processes import END, FAILURE, MESSAGE, Connection, Forker
from .record import CODES
from .verdict import Fatal
from .worker import Arena, Worker, described

COOKIE = ("SLUICE_PLUGIN", "5f1c4b8e-sluice")
VERSION = 2
FEATURES = ("memory", "note", "finish", "flush", "runs", "save") if sys.byteorder == "little" else ("memory", "finish", "flush", "runs", "save")
_largest_message = 768 << 20


def main(*plugins: Plugin) -> None:
    """Serves the plugins, or all that were declared, to the host that started this process, and does not return.

    Started by a person, the program prints what it is and exits with code 1, with --help what its plugins take, with --version its
    version.
    """
    plugins = plugins or tuple(registered)
    if not plugins:
        sys.exit("want at least one plugin to serve, have 0")
    if os.environ.get(COOKIE[0]) != COOKIE[1]:
        _tell(plugins)
    forker = None
    if sys.platform == "linux" and any(map(_may_fork, plugins)) and threading.active_count() == 1:
        by_name = {p.name: p for p in plugins}
        forker = Forker(lambda connection, what: _work(by_name, connection, what))
    threading.Thread(target=_exit_with_host, daemon=True).start()
    _serve(plugins, forker)
    sys.stdout.flush()
    os._exit(0)  # what the author's own threads still do must not keep the process


def _exit_with_host() -> None:
    """Ends the process when the host has ended, even if it was killed."""
    try:
        while os.read(int(os.environ["SLUICE_ALIVE_FD"]), 1):
            pass
    except (KeyError, ValueError, OSError):
        return
    os._exit(1)


def _tell(plugins: tuple[Plugin, ...]) -> None:
    import argparse

    names = " and ".join(p.name for p in plugins)
    parser = argparse.ArgumentParser(
        prog=os.path.basename(sys.argv[0]), formatter_class=argparse.RawDescriptionHelpFormatter,
        description=f"Serves {names} to sluice, which starts it for the steps of a pipeline.", epilog="\n\n".join(map(_documented, plugins)),
    )
    parser.add_argument("--version", action="version", version=_version())
    parser.parse_args()
    step = plugins[0].name
    sys.exit(f'want sluice to start this program, which serves {names}: name it in a pipeline with step "{step}" "NAME" {{}}')


def _documented(p: Plugin) -> str:
    lines = [f"{p.name}: {p.doc}"]
    for a in arguments.describe(p.args) if p.args else ():
        default = "required" if a.required else f"default {a.default}" if a.default else "optional"
        lines.append(f"  {a.name}  {a.type}, {default}" + (f": {a.doc}" if a.doc else ""))
    return "\n".join(lines)


def _version() -> str:
    """Returns the version of the program: of the package that holds it, where one does."""
    from importlib import metadata

    package = (getattr(sys.modules["__main__"], "__package__", "") or "").partition(".")[0]
    try:
        entry = os.path.basename(os.path.realpath(sys.argv[0]))  # the host starts a program by its descriptor
        for point in metadata.entry_points(group="console_scripts"):
            if point.name == entry and point.dist:
                return point.dist.version
        return metadata.version(package) if package else "0"
    except metadata.PackageNotFoundError:
        return "0"


def _serve(plugins: tuple[Plugin, ...], forker: Forker | None) -> None:
    offered = {int(v) for v in os.environ.get("PLUGIN_PROTOCOL_VERSIONS", "2").split(",") if v.isdigit()}
    if VERSION not in offered:
        print(f"1|{VERSION}|unix|none|grpc|", flush=True)
        sys.exit(1)
    import grpc

    server_of = _Server(plugins, forker)
    limits = [("grpc.max_receive_message_length", _largest_message), ("grpc.max_send_message_length", _largest_message)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=256), options=[*limits, ("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((
        grpc.method_handlers_generic_handler("sluice.wire.v2.Plugin", {
            "Describe": grpc.unary_unary_rpc_method_handler(
                server_of.describe, pb.DescribeRequest.FromString, pb.DescribeResponse.SerializeToString),
            "Open": grpc.unary_unary_rpc_method_handler(server_of.open, pb.OpenRequest.FromString, pb.OpenResponse.SerializeToString),
            "Work": grpc.stream_stream_rpc_method_handler(server_of.work),
        }),
        grpc.method_handlers_generic_handler("plugin.GRPCController", {
            "Shutdown": grpc.unary_unary_rpc_method_handler(server_of.shutdown),
        }),
    ))
    path = os.path.join(os.environ.get("PLUGIN_UNIX_SOCKET_DIR") or os.environ.get("TMPDIR") or "/tmp", f"py{os.getpid()}")
    server.add_insecure_port("unix:" + path)
    server.start()
    print(f"1|{VERSION}|unix|{path}|grpc|", flush=True)
    sys.stdout = sys.stderr  # a stray print belongs into the log
    server_of.over.wait()
    server.stop(grace=1).wait()
    server_of.close()


class _Server:
    def __init__(self, plugins: tuple[Plugin, ...], forker: Forker | None = None) -> None:
        self._plugins = {p.name: p for p in plugins}
        self._features: list[str] = []
        self._workers: list[Worker] = []
        self._forker = forker
        self._connections: list[Connection] = []  # of workers that are processes
        self.over = threading.Event()

    def describe(self, request: pb.DescribeRequest, context: Any) -> pb.DescribeResponse:
        self._features = [f for f in request.features if f in FEATURES]
        reply = pb.DescribeResponse(version=_version(), features=self._features)
        for p in self._plugins.values():
            info = reply.plugins.add(
                name=p.name, doc=p.doc, ordered=p.ordered, private=p.private, outputs=p.outputs, labels=p.labels, codes={**CODES, **p.codes} if p.codes else {},
                drops=p.drops,
                takes_all=p.takes_all, concurrent=p.concurrent > 0,
            )
            for label, values in p.label_values.items():
                info.label_values[label].values.extend(values)
            for a in arguments.describe(p.args) if p.args else ():
                info.args.add(name=a.name, type=a.type, doc=a.doc, default=a.default, required=a.required, words=a.words)
        return reply

    def open(self, request: pb.OpenRequest, context: Any) -> pb.OpenResponse:
        p = self._plugins.get(request.plugin)
        if p is None:
            mistake = f"want a plugin of this program ({', '.join(self._plugins)}), have {request.plugin}"
            return pb.OpenResponse(errors=[pb.ArgError(message=mistake)])
        if self._forker and request.workers > 1 and _may_fork(p):
            return self._start(request)
        self._end_forker()
        reply, self._workers = open_workers(p, request, range(request.workers), self._features)
        return reply

    def _start(self, request: pb.OpenRequest) -> pb.OpenResponse:
        """Opens workers that are processes."""
        assert self._forker
        self._forker.watch()
        for number in range(request.workers):
            what = _opening.pack(number, "runs" in self._features) + request.SerializeToString()
            self._connections.append(self._forker.start(what))
        replies = [pb.OpenResponse.FromString(_received(self._forker, c) or b"") for c in self._connections]
        return next((reply for reply in replies if reply.errors), replies[0])

    def work(self, requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        """Serves one worker."""
        import grpc

        try:
            number = pb.ToWorker.FromString(next(requests)).start
            forker = self._forker
            yield from _forwarded(forker, self._connections[number], requests) if forker else answered(self._workers[number], requests)
        except Exception as e:
            if context.is_active():  # the host has not left
                context.abort(grpc.StatusCode.UNKNOWN, str(e) if isinstance(e, Failure) else described(e))

    def shutdown(self, request: bytes, context: Any) -> bytes:
        self.over.set()
        return b""

    def close(self) -> None:
        """Waits for the workers that are processes."""
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.finish()
        self._end_forker()

    def _end_forker(self) -> None:
        if self._forker:
            self._forker.close()
            self._forker = None


class Failure(Exception):
    """What ends the run, as the host is told it."""


def _may_fork(p: Plugin) -> bool:
    return not (p.ordered or p.concurrent or p.threads)


_opening = struct.Struct("<I?")  # the number of a worker, whether the host knows runs


def _received(forker: Forker, connection: Connection) -> bytes | None:
    """Returns the next message of a worker; nothing when it has no more."""
    kind, data = connection.receive()
    if not kind:
        forker.lose(connection)
    if kind == FAILURE:
        raise Failure(data.decode())
    return data if kind == MESSAGE else None


def _forwarded(forker: Forker, connection: Connection, requests: Iterator[bytes]) -> Iterator[bytes]:
    """Yields the answers of a worker that is a process."""

    def forward() -> None:
        with contextlib.suppress(Exception):  # the host has left
            for request in requests:
                connection.send(MESSAGE, request)
        with contextlib.suppress(OSError):
            connection.finish()

    threading.Thread(target=forward, daemon=True).start()
    while (data := _received(forker, connection)) is not None:
        yield data


def _work(plugins: dict[str, Plugin], connection: Connection, what: bytes) -> None:
    """Is a worker that is a process."""
    threading.Thread(target=_exit_with_host, daemon=True).start()
    sys.stdout = sys.stderr
    number, runs = _opening.unpack_from(what)
    request = pb.OpenRequest.FromString(what[_opening.size :])
    reply, workers = open_workers(plugins[request.plugin], request, range(number, number + 1), ["runs"] if runs else [])
    connection.send(MESSAGE, reply.SerializeToString())
    if reply.errors:
        return
    try:
        for answer in answered(workers[0], connection.messages()):
            connection.send(MESSAGE, answer)
        connection.send(END)
    except Failure as e:
        connection.send(FAILURE, str(e).encode("utf-8", "replace"))


def open_workers(p: Plugin, request: pb.OpenRequest, numbers: range, features: Sequence[str]) -> tuple[pb.OpenResponse, list[Worker]]:
    """Opens some of the workers of a step. The response says what is wrong with its attributes."""
    reply = pb.OpenResponse()
    processors: list[Processor] = []
    for _ in numbers:
        bad: list[arguments.Mistake] = []
        mistake = ""
        try:
            args, bad = arguments.decode(p.args, request.args)
            if not bad:
                processors.append(p.open(args))
                mistake = processors[-1].check()
        except arguments.Mistake as e:
            bad = [e]
        except Fatal as e:
            mistake = str(e)
        except BaseException as e:  # of the author's code
            mistake = described(e)
            traceback.print_tb(e.__traceback__)
        for m in bad:
            reply.errors.add(name=m.name, message=m.message)
        if mistake:
            reply.errors.add(message=mistake)
        if reply.errors:
            return reply, []
    for label, values in processors[0].narrowed.items() if processors else ():
        reply.label_values.add(label=label, values=values)
    arenas, own = _map(request, numbers)
    reply.inline = not arenas
    reply.saves = bool(processors and processors[0].save) and "save" in features
    return reply, [Worker(x, request, arenas, own[i] if arenas else None, "runs" in features) for i, x in enumerate(processors)]


def _map(request: pb.OpenRequest, numbers: range) -> tuple[dict[int, Arena], list[Arena]]:
    """Maps the arenas; those that may be written to are the workers', in their order."""
    arenas, own = {}, []
    writable = [a.id for a in request.arenas if a.writable]
    mine = [writable[n] for n in numbers] if len(writable) >= request.workers else []
    try:
        for a in request.arenas:
            if a.writable and a.id not in mine:
                continue
            protection = mmap.PROT_READ | mmap.PROT_WRITE if a.writable else mmap.PROT_READ
            arena = Arena(mmap.mmap(a.fd, a.size, mmap.MAP_SHARED, protection), a.note if a.writable else None)
            arenas[a.id] = arena
            if a.writable:
                own.append(arena)
                arena.memory[a.note : a.note + 8] = bytes(8)  # of an earlier process
    except (OSError, ValueError):
        return {}, []
    return (arenas, own) if mine else ({}, [])


def answered(worker: Worker, requests: Iterator[bytes]) -> Iterator[bytes]:
    """Yields the answers of a worker to what the host asks of it, and closes it. It raises Failure for what ends the run."""
    closing, state = False, bytearray()
    try:
        for message in map(pb.ToWorker.FromString, requests):
            kind = message.WhichOneof("message")
            if kind == "batch":
                for answer in _answers(worker, message.batch, requests):
                    yield answer.SerializeToString()
            elif kind == "save":
                for answer in worker.save():
                    yield answer.SerializeToString()
            elif kind == "state":
                state += message.state.data
                if message.state.last:
                    worker.restore(bytes(state))
                    yield pb.FromWorker(done=True).SerializeToString()
        closing = True
        worker.close()
    except GeneratorExit:
        raise
    except BaseException as e:  # SystemExit of a thread would leave the host waiting
        if not closing and not isinstance(e, Fatal):
            worker.tell(e, "of which the run's error has the text")
        raise Failure(str(e) if isinstance(e, Fatal) else described(e)) from None
    finally:
        if not closing:  # it has failed, or the host has left
            with contextlib.suppress(Exception, SystemExit):
                worker.close()


def _answers(worker: Worker, batch: pb.Batch, requests: Iterator[bytes]) -> Iterator[pb.FromWorker]:
    answers = worker.answer(batch)
    message = next(answers)
    while True:
        needs = message.need
        yield message
        try:
            message = answers.send(pb.ToWorker.FromString(next(requests)).grant) if needs else next(answers)
        except StopIteration:
            return
