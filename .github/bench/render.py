#!/usr/bin/env python3
"""What a person would write to render eliza_native_v1 rows as ChatML: render.py CORPUS [PROCESSES], with orjson."""
import multiprocessing, os, sys
from orjson import dumps, loads

def text(content):
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part["type"] == "text")
    return content or ""

def calls(parts):
    made = [{"id": p["toolCallId"], "type": "function", "function": {"name": p["toolName"], "arguments": dumps(p["input"]).decode()}} for p in parts]
    return {"tool_calls": made} if made else {}

def turns(message):
    role, content = message["role"], message.get("content")
    if role == "tool" and isinstance(content, list):
        for part in content:
            value = part["output"]["value"]
            yield {"role": role, "tool_call_id": part["toolCallId"], "name": part["toolName"], "content": value if isinstance(value, str) else dumps(value).decode()}
        return
    parts = content if role == "assistant" and isinstance(content, list) else []
    yield {"role": role, "content": text(content), **calls([p for p in parts if p["type"] == "tool-call"])}

def render(line):
    row = loads(line)
    request, response = row["request"], row["response"]
    messages = [{"role": "system", "content": request["system"]}] if request.get("system") else []
    for message in request.get("messages") or [{"role": "user", "content": request.get("prompt")}]:
        messages += turns(message)
    messages.append({"role": "assistant", "content": response.get("text") or "", **calls(response.get("toolCalls") or [])})
    tools = [{"type": "function", "function": {"name": t["name"], "description": t["description"], "parameters": t["inputSchema"]}} for t in request.get("tools") or []]
    return dumps({"messages": messages, **({"tools": tools} if tools else {})})

def part(span):
    with open(sys.argv[1], "rb") as file:
        file.seek(span[0])
        return b"".join(render(line) + b"\n" for line in file.read(span[1] - span[0]).splitlines())

def spans(size, step=4 << 20):
    with open(sys.argv[1], "rb") as file:
        begin = 0
        while begin < size:
            file.seek(min(begin + step, size))
            file.readline()
            yield begin, file.tell()
            begin = file.tell()

if __name__ == "__main__":
    with multiprocessing.Pool(int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count()) as pool:
        for rows in pool.imap(part, spans(os.path.getsize(sys.argv[1]))):
            sys.stdout.buffer.write(rows)
