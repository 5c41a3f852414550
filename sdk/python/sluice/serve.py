"""A program that serves plugins to the host that started it."""

from __future__ import annotations

import contextlib
import mmap
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from concurrent import futures
from typing import Any

from . import arguments, wire as pb
from .declare import Plugin, Processor, registered
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
    threading.Thread(target=_exit_with_host, daemon=True).start()
    _serve(plugins)
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


def _serve(plugins: tuple[Plugin, ...]) -> None:
    offered = {int(v) for v in os.environ.get("PLUGIN_PROTOCOL_VERSIONS", "2").split(",") if v.isdigit()}
    if VERSION not in offered:
        print(f"1|{VERSION}|unix|none|grpc|", flush=True)
        sys.exit(1)
    import grpc

    server_of = _Server(plugins)
    limits = [("grpc.max_receive_message_length", _largest_message), ("grpc.max_send_message_length", _largest_message)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=256), options=[*limits, ("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((
        grpc.method_handlers_generic_handler("sluice.wire.v2.Plugin", {
            "Describe": grpc.unary_unary_rpc_method_handler(
                server_of.describe, pb.DescribeRequest.FromString, pb.DescribeResponse.SerializeToString),
            "Open": grpc.unary_unary_rpc_method_handler(server_of.open, pb.OpenRequest.FromString, pb.OpenResponse.SerializeToString),
            "Work": grpc.stream_stream_rpc_method_handler(server_of.work, pb.ToWorker.FromString, pb.FromWorker.SerializeToString),
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


class _Server:
    def __init__(self, plugins: tuple[Plugin, ...]) -> None:
        self._plugins = {p.name: p for p in plugins}
        self._features: list[str] = []
        self._workers: list[Worker] = []
        self._lock = threading.Lock()
        self.over = threading.Event()

    def describe(self, request: pb.DescribeRequest, context: Any) -> pb.DescribeResponse:
        self._features = [f for f in request.features if f in FEATURES]
        reply = pb.DescribeResponse(version=_version(), features=self._features)
        for p in self._plugins.values():
            info = reply.plugins.add(
                name=p.name, doc=p.doc, ordered=p.ordered, private=p.private, outputs=p.outputs, labels=p.labels, codes={**CODES, **p.codes} if p.codes else {},
                takes_all=p.takes_all, concurrent=p.concurrent > 0,
            )
            for label, values in p.label_values.items():
                info.label_values[label].values.extend(values)
            for a in arguments.describe(p.args) if p.args else ():
                info.args.add(name=a.name, type=a.type, doc=a.doc, default=a.default, required=a.required, words=a.words)
        return reply

    def open(self, request: pb.OpenRequest, context: Any) -> pb.OpenResponse:
        reply = pb.OpenResponse()
        p = self._plugins.get(request.plugin)
        if p is None:
            reply.errors.add(message=f"want a plugin of this program ({', '.join(self._plugins)}), have {request.plugin}")
            return reply
        processors: list[Processor] = []
        for _ in range(request.workers):
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
                return reply
        for label, values in processors[0].narrowed.items() if processors else ():
            reply.label_values.add(label=label, values=values)
        arenas, own = self._map(request)
        reply.inline = not arenas
        reply.saves = bool(processors and processors[0].save) and "save" in self._features
        for i, processor in enumerate(processors):
            mine = own[i] if arenas else None
            self._workers.append(Worker(processor, request, arenas, mine, "runs" in self._features))
        return reply

    def _map(self, request: pb.OpenRequest) -> tuple[dict[int, Arena], list[Arena]]:
        """Maps the arenas; those that may be written to are the workers', in their order."""
        arenas, own = {}, []
        try:
            for a in request.arenas:
                protection = mmap.PROT_READ | mmap.PROT_WRITE if a.writable else mmap.PROT_READ
                arena = Arena(mmap.mmap(a.fd, a.size, mmap.MAP_SHARED, protection), a.note if a.writable else None)
                arenas[a.id] = arena
                if a.writable:
                    own.append(arena)
                    arena.memory[a.note : a.note + 8] = bytes(8)  # of an earlier process
        except (OSError, ValueError):
            return {}, []
        return (arenas, own) if len(own) == request.workers else ({}, [])

    def work(self, requests: Iterator[pb.ToWorker], context: Any) -> Iterator[pb.FromWorker]:
        """Serves one worker."""
        import grpc

        worker: Worker | None = None
        try:
            start = next(requests)
            worker = self._workers[start.start]
            state = bytearray()
            for request in requests:
                kind = request.WhichOneof("message")
                if kind == "batch":
                    yield from self._answer(worker, request.batch, requests)
                elif kind == "save":
                    yield from worker.save()
                elif kind == "state":
                    state += request.state.data
                    if request.state.last:
                        worker.restore(bytes(state))
                        yield pb.FromWorker(done=True)
            ending, worker = worker, None
            ending.close()
        except GeneratorExit:
            raise
        except BaseException as e:  # SystemExit of a thread would leave the host waiting
            if not context.is_active():
                return
            if worker and not isinstance(e, Fatal):
                worker.tell(e, "of which the run's error has the text")
            context.abort(grpc.StatusCode.UNKNOWN, str(e) if isinstance(e, Fatal) else described(e))
        finally:
            if worker:  # it has failed, or the host has left
                with contextlib.suppress(Exception, SystemExit):
                    worker.close()

    def _answer(self, worker: Worker, batch: pb.Batch, requests: Iterator[pb.ToWorker]) -> Iterator[pb.FromWorker]:
        answers = worker.answer(batch)
        message = next(answers)
        while True:
            needs = message.need
            yield message
            try:
                message = answers.send(next(requests).grant) if needs else next(answers)
            except StopIteration:
                return

    def shutdown(self, request: bytes, context: Any) -> bytes:
        self.over.set()
        return b""
