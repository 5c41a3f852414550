"""Workers that are processes: an interpreter runs one thread at a time, so that workers which are threads share one core."""

from __future__ import annotations

import os
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import NoReturn

_header = struct.Struct("<cI")  # kind, length
_ended = struct.Struct("<ii")  # the id of a worker that has ended, and how
MESSAGE, FAILURE, END = b"M", b"F", b"E"
_WORKER = b"W"


class Connection:
    """One end of the way between the program and a worker."""

    def __init__(self, end: socket.socket) -> None:
        self._socket, self._file = end, end.makefile("rb", 1 << 16)
        self.worker = 0
        """the id of the process at the other end, once it has said it"""

    def send(self, kind: bytes, data: bytes = b"") -> None:
        """Sends a message."""
        self._socket.sendall(_header.pack(kind, len(data)) + data)

    def receive(self) -> tuple[bytes, bytes]:
        """Returns the kind and the content of the next message; no kind when the other end is gone."""
        header = self._file.read(_header.size)
        if len(header) < _header.size:
            return b"", b""
        kind, length = _header.unpack(header)
        if kind == _WORKER:
            self.worker = length
            return self.receive()
        return kind, self._file.read(length)

    def introduce(self) -> None:
        """Tells the other end the id of this process."""
        self._socket.sendall(_header.pack(_WORKER, os.getpid()))

    def messages(self) -> Iterator[bytes]:
        """Yields messages until the other end says or shows that it has no more."""
        while (received := self.receive())[0] == MESSAGE:
            yield received[1]

    def finish(self) -> None:
        """Tells the other end that there are no more messages."""
        self._socket.shutdown(socket.SHUT_WR)


class Forker:
    """A process that has loaded the plugins, and has no threads: it forks workers, each with what the module has made so far."""

    def __init__(self, work: Callable[[Connection, bytes], None]) -> None:
        """Starts it. A worker calls work with its connection and what start was given."""
        self._finished: set[int] = set()  # workers that have ended with status 0
        self._change = threading.Condition()
        self._socket, theirs = socket.socketpair()
        ended, self._alive = os.pipe()  # its other end is closed with this process, however it ends
        sys.stdout.flush()
        self._pid = os.fork()
        if not self._pid:
            try:
                self._socket.close()
                os.close(self._alive)
                _fork_workers(theirs, ended, work)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        theirs.close()
        os.close(ended)

    def watch(self) -> None:
        """Ends this process as a worker has ended that should not have: the host then looks which record it was about."""
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while len(said := self._socket.recv(_ended.size, socket.MSG_WAITALL)) == _ended.size:
            worker, status = _ended.unpack(said)
            if os.WIFSIGNALED(status):
                os.kill(os.getpid(), os.WTERMSIG(status))
                time.sleep(1)  # the signal may be on its way
            if status:
                os._exit(os.WEXITSTATUS(status))
            with self._change:
                self._finished.add(worker)
                self._change.notify_all()

    def lose(self, connection: Connection) -> NoReturn:
        """Ends this process as the worker of a connection has ended, which is gone before its last message."""
        with self._change:
            self._change.wait_for(lambda: connection.worker in self._finished, timeout=10)
        os._exit(0 if connection.worker in self._finished else 1)

    def start(self, what: bytes) -> Connection:
        """Starts a worker."""
        ours, theirs = socket.socketpair()
        socket.send_fds(self._socket, [struct.pack("<I", len(what))], [theirs.fileno()])
        self._socket.sendall(what)
        theirs.close()
        return Connection(ours)

    def close(self) -> None:
        """Waits for the end of the workers, whose connections have ended."""
        self._socket.shutdown(socket.SHUT_WR)
        os.waitpid(self._pid, 0)


def _fork_workers(requests: socket.socket, ended: int, work: Callable[[Connection, bytes], None]) -> None:
    os.dup2(2, 1)  # stdout is the program's handshake

    def reap(number: int, frame: object) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            requests.send(_ended.pack(pid, status))

    signal.signal(signal.SIGCHLD, reap)
    while True:
        size, descriptors, _, _ = socket.recv_fds(requests, 4, 1)
        if not size:
            break
        what = requests.recv(struct.unpack("<I", size)[0], socket.MSG_WAITALL)
        if not os.fork():
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            requests.close()
            threading.Thread(target=_exit_with, args=(ended,), daemon=True).start()
            try:
                connection = Connection(socket.socket(fileno=descriptors[0]))
                connection.introduce()
                work(connection, what)
                os._exit(0)
            except BrokenPipeError:  # the program has ended
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        os.close(descriptors[0])
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        while True:
            os.wait()
    except ChildProcessError:
        os._exit(0)


def _exit_with(ended: int) -> None:
    os.read(ended, 1)
    os._exit(1)
