#!/usr/bin/env python3
# /// script
# dependencies = ["grpcio>=1.60", "grpcio-tools>=1.60", "tokenizers>=0.20"]
# ///
"""A sluice plugin that counts the tokens of a row by any tokenizer.json, and sets them as a label.

It takes canonical and ChatML rows. Bytes travel in messages: it has no feature of the protocol, which
sdk/wire/PROTOCOL.md describes.
"""

import json
import os
import sys
import threading
from concurrent import futures

import grpc
from tokenizers import Tokenizer

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.environ.get("SLUICE_PROTO", os.path.join(HERE, "../../sdk/wire")))
pb, services = grpc.protos_and_services("wire.proto")

EMITTED, REJECTED = 1, 3  # verdicts
SAME = 1


def texts(row):
    """Every text of a row that a model reads or writes. Marks of a chat template are not among them."""
    request, response = row.get("request"), row.get("response")
    if isinstance(request, dict):  # a canonical row
        yield from strings(request.get("system"))
        yield from strings(request.get("prompt"))
        row = request
        if isinstance(response, dict):
            yield from message({"content": response.get("text"), **response})
    for m in row.get("messages") or []:
        if isinstance(m, dict):
            yield from message(m)
    if row.get("tools"):
        yield json.dumps(row["tools"], ensure_ascii=False)


def message(m):
    for key in ("content", "reasoning", "reasoning_content"):
        yield from strings(m.get(key))
    for call in m.get("toolCalls") or m.get("tool_calls") or []:
        if isinstance(call, dict):
            call = call.get("function", call)
            yield from strings(call.get("toolName", call.get("name")))
            yield from strings(call.get("input", call.get("args", call.get("arguments"))), whole=True)


def strings(value, whole=False):
    """A string, or those of parts; of arguments the whole as JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and not whole:
        for part in value:
            if isinstance(part, dict):
                yield from strings(part.get("text"))
                yield from strings(part.get("input", part.get("output")), whole=True)
                yield from strings(part.get("toolName"))
            else:
                yield from strings(part)
    elif value is not None:
        yield json.dumps(value, ensure_ascii=False)


class Plugin(services.PluginServicer):
    def Describe(self, request, context):
        info = pb.PluginInfo(name="tokens", doc="counts the tokens of a row by a tokenizer.json and sets them as a label", labels=["tokens"])
        info.args.add(name="tokenizer", type="a string", doc="the path of the tokenizer.json", required=True)
        return pb.DescribeResponse(version="1", plugins=[info])

    def Open(self, request, context):
        reply = pb.OpenResponse(inline=True)
        args = json.loads(request.args)
        for name in args.keys() - {"tokenizer"}:
            reply.errors.add(name=name, message="want no attribute but tokenizer")
        try:
            self.tokenizer = Tokenizer.from_file(args["tokenizer"])
        except KeyError:
            reply.errors.add(name="tokenizer", message="want the path of a tokenizer.json")
        except Exception as error:  # the library knows no narrower one
            reply.errors.add(name="tokenizer", message=f"want a tokenizer.json, have a file that is none: {error}")
        return reply

    def Work(self, requests, context):
        for request in requests:
            if request.WhichOneof("message") == "batch":
                yield self.answer(request.batch)

    def answer(self, batch):
        at, counts, inline = 0, [], batch.inline
        for length in batch.lengths:
            counts.append(self.count(inline[at : at + length]))
            at += length
        good = sum(isinstance(n, int) for n in counts)
        reply = pb.FromWorker(emitted=[1] * good, same=bytes([SAME] * good), offsets=[0] * good, lengths=[0] * good, done=True)
        reply.verdicts = bytes(EMITTED if isinstance(n, int) else REJECTED for n in counts)
        before = {labels.index: labels for labels in batch.labels}
        emitted = 0
        for i, n in enumerate(counts):
            if not isinstance(n, int):
                reply.faults.add(code="error", message=n)
                continue
            labels = reply.labels.add(index=emitted)
            emitted += 1
            for name, value in zip(before[i].names, before[i].values) if i in before else ():
                labels.names.append(name)
                labels.values.append(value)
            labels.names.append("tokens")
            labels.values.append(str(n))
        return reply

    def count(self, record):
        """The tokens of a record, or why they cannot be counted: one bad record must not end the run."""
        try:
            row = json.loads(record)
            found = list(texts(row)) if isinstance(row, dict) else []
            return sum(len(t) for t in self.tokenizer.encode_batch(found, add_special_tokens=False))
        except Exception as error:  # a nesting too deep, a lone surrogate
            return f"want a row that can be counted, have one with which {type(error).__name__} comes"


def exit_with_host(fd):
    os.read(fd, 1)
    os._exit(1)


def main():
    if "SLUICE_PLUGIN" not in os.environ:
        sys.exit("this is a plugin of sluice, which a pipeline names: step \"tokens\" \"t\" { tokenizer = \"tokenizer.json\" }")
    threading.Thread(target=exit_with_host, args=(int(os.environ["SLUICE_ALIVE_FD"]),), daemon=True).start()
    limit = [("grpc.max_receive_message_length", 768 << 20), ("grpc.max_send_message_length", 768 << 20)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=64), options=limit)
    services.add_PluginServicer_to_server(Plugin(), server)
    over = threading.Event()
    shutdown = grpc.unary_unary_rpc_method_handler(lambda request, context: over.set() or b"")
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("plugin.GRPCController", {"Shutdown": shutdown})])
    path = os.path.join(os.environ["PLUGIN_UNIX_SOCKET_DIR"], "tokens")
    server.add_insecure_port("unix:" + path)
    server.start()
    print(f"1|2|unix|{path}|grpc|", flush=True)
    over.wait()
    server.stop(grace=1).wait()


if __name__ == "__main__":
    main()
