# From each shape that is read to threads, and what the rules find.

test "a canonical row" {
  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}]},
        "response": {"text": "Hello."}
      }
    EOT
  }

  expect sink "rows" {
    rows = <<-EOT
      {
        "system_settings": {"formats":["markdown"]},
        "messages": [
          {"role":"developer","content":"Be brief."},
          {"role":"user","content":"Hi"},
          {"role":"assistant","format":"markdown","content":"Hello.","end_turn":true}
        ]
      }
    EOT
  }

  expect output "rules.findings" {
    count = 0
  }
}

test "messages" {
  input "corpus" {
    rows = <<-EOT
      {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    EOT
  }

  expect sink "rows" {
    rows = <<-EOT
      {
        "system_settings": {"formats":["markdown"]},
        "messages": [
          {"role":"user","content":"Hi"},
          {"role":"assistant","format":"markdown","content":"Hello.","end_turn":true}
        ]
      }
    EOT
  }
}

test "a flat record of the runtime" {
  input "corpus" {
    rows = <<-EOT
      {
        "roomName": "r", "agentId": "Ada", "memoryEntries": [],
        "currentMessage": {"role": "user", "speaker": "bob", "content": "Hi", "channel": "dm"},
        "expectedResponse": "{\"thought\":\"t\",\"actions\":[\"REPLY\"],\"text\":\"Hello.\"}",
        "availableActions": ["REPLY", "IGNORE"],
        "metadata": {"task_type": "reply", "system_prompt": "Be kind."}
      }
    EOT
  }

  expect sink "rows" {
    rows = <<-EOT
      {
        "system_settings": {
          "formats": [
            "markdown",
            {"name":"REPLY:json","halt_on_completion":true,"sampler":"json"},
            {"name":"IGNORE:json","halt_on_completion":true,"sampler":"json"}
          ]
        },
        "messages": [
          {
            "role": "developer",
            "content": "Be kind.\n\n## REPLY\nYou can use the `REPLY:json` response format to call this tool with the following schema:\n```typescript\ntype REPLY = {\n    text?: string\n}\n```\n\n## IGNORE\nYou can use the `IGNORE:json` response format to call this tool with the following schema:\n```typescript\ntype IGNORE = {\n}\n```"
          },
          {"role":"user","content":"Hi"},
          {"role":"assistant","format":"REPLY:json","content":"{\"text\":\"Hello.\"}","end_turn":false}
        ]
      }
    EOT
  }
}

test "tools become formats with a schema in TypeScript" {
  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "Oslo?"},
          {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Oslo\"}"}}
          ]}
        ],
        "tools": [{"type": "function", "function": {
          "name": "weather", "description": "Says the weather.",
          "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
        }}]
      }
    EOT
  }

  expect sink "rows" {
    rows = <<-EOT
      {
        "system_settings": {"formats":["markdown",{"name":"weather:json","halt_on_completion":true,"sampler":"json"}]},
        "messages": [
          {
            "role": "developer",
            "content": "## weather\nSays the weather.\n\nYou can use the `weather:json` response format to call this tool with the following schema:\n```typescript\ntype Weather = {\n    city: string\n}\n```"
          },
          {"role":"user","content":"Oslo?"},
          {"role":"assistant","format":"weather:json","content":"{\"city\":\"Oslo\"}","end_turn":false}
        ]
      }
    EOT
  }
}

test "what has no shape is rejected" {
  input "corpus" {
    rows = <<-EOT
      {"note": "no shape that anyone knows"}
    EOT
  }

  expect reject {
    code = "declined"
    step = "shape" # the first: none of its steps is to blame
    line = 1
  }
}

test "an answer that is the input of the one tool to call" {
  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {
          "messages": [{"role": "user", "content": "Hi"}], "toolChoice": "required",
          "tools": [{"name": "HANDLE_RESPONSE", "parameters": {"type": "object", "properties": {"reply": {"type": "string"}}, "required": ["reply"]}}]
        },
        "response": {"text": "{\"reply\":\"Hello.\"}", "toolCalls": []}
      }
    EOT
  }

  expect sink "rows" {
    rows = <<-EOT
      {
        "system_settings": {"formats":["markdown",{"name":"HANDLE_RESPONSE:json","halt_on_completion":true,"sampler":"json"}]},
        "messages": [
          {"role":"developer","content":"## HANDLE_RESPONSE\nYou can use the `HANDLE_RESPONSE:json` response format to call this tool with the following schema:\n```typescript\ntype HANDLERESPONSE = {\n    reply: string\n}\n```"},
          {"role":"user","content":"Hi"},
          {"role":"assistant","format":"HANDLE_RESPONSE:json","content":"{\"reply\":\"Hello.\"}","end_turn":false}
        ]
      }
    EOT
  }
}

test "personal data goes unless that is switched off" {
  input "corpus" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"I am ann@mail.io"},{"role":"assistant","content":"Hello."}]}
    EOT
  }

  expect sink "rows" {
    contains = <<-EOT
      {"messages": [{"content": "I am <EMAIL_ADDRESS>"}, {"content": "Hello."}]}
    EOT
  }

  expect output "redact.ledger" {
    count = 1
  }
}

test "personal data stays when asked" {
  variables = { privacy = false }

  input "corpus" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"I am ann@mail.io"},{"role":"assistant","content":"Hello."}]}
    EOT
  }

  expect sink "rows" {
    contains = <<-EOT
      {"messages": [{"content": "I am ann@mail.io"}, {"content": "Hello."}]}
    EOT
  }
}

test "retired names have no format" {
  input "corpus" {
    rows = <<-EOT
      {"messages": [{"role": "user", "content": "Run it."}, {"role": "assistant", "content": "", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "RUN_SKILL_SCRIPT", "arguments": "{\"skill\":\"deploy\"}"}}
      ]}]}
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "request": {"prompt": "Who?"},
        "response": {"text": "", "toolCalls": [{"toolCallId": "c1", "toolName": "TASK_CALL", "input": {"id": 7}}]}
      }
    EOT
  }

  expect sink "rows" {
    contains = <<-EOT
      {"messages": [{"role": "developer"}, {"role": "user"}, {"format": "USE_SKILL:json"}]}
      {"messages": [{"role": "developer"}, {"role": "user"}, {"format": "TASKS:json"}]}
    EOT
  }
}

test "the shapes that adapters of their own read" {
  input "corpus" {
    rows = <<-EOT
      {"system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]}]}
      {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Hello."}]}]}
      {"text": "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello.<|im_end|>"}
      {"instruction": "Hi", "output": "Hello."}
    EOT
  }

  expect sink "rows" {
    contains = <<-EOT
      {"messages": [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
      {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
      {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
      {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    EOT
  }
}

test "the shapes that few corpora have" {
  input "corpus" {
    rows = <<-EOT
      {
        "schema": "eliza.native_tool_calling.v1", "id": "r1", "stage": "planner", "source": {"dataset": "demo"},
        "messages": [{"role": "user", "content": "List the files."}],
        "tools": [{"type": "function", "function": {"name": "SHELL", "parameters": {"type": "object", "properties": {}}}}],
        "output": {"planner": {"text": "", "toolCalls": [{"id": "c1", "name": "SHELL", "args": {"command": "ls"}}]}}
      }
      {"messages": [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "format": "markdown", "content": "Hello.", "end_turn": true}
      ]}
      {
        "schemaVersion": "bedrock-conversation-2024", "system": [{"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": "Hi"}]}, {"role": "assistant", "content": [{"text": "Hello."}]}]
      }
      {"instance_id": "i1", "history": [
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Fix it."}},
        {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "Look."}},
        {"id": 3, "source": "agent", "observation": "run", "content": "a.py", "cause": 2},
        {"id": 4, "source": "agent", "action": "finish", "args": {"final_thought": "Done.", "outputs": {}}}
      ]}
      {"schema_version": "ATIF-v1.5", "session_id": "s1", "agent": {"name": "b", "version": "1"}, "steps": [
        {"step_id": 1, "source": "user", "message": "Build it."},
        {"step_id": 2, "source": "agent", "message": "I look.", "tool_calls": [{"tool_call_id": "c1", "function_name": "run", "arguments": {"cmd": "ls"}}],
          "observation": {"results": [{"source_call_id": "c1", "content": "a.c"}]}},
        {"step_id": 3, "source": "agent", "message": "Built."}
      ]}
      {"message_tree_id": "t1", "tree_state": "ready_for_export", "prompt": {"message_id": "p1", "text": "How do I knit?", "role": "prompter", "lang": "en", "replies": [
        {"message_id": "a1", "text": "Badly.", "role": "assistant", "rank": 1, "replies": []},
        {"message_id": "a2", "text": "With two needles.", "role": "assistant", "rank": 0, "replies": []}
      ]}}
      {"trajectoryId": "t1", "agentId": "a1", "steps": [{"stepId": "s1", "llmCalls": [
        {"callId": "c1", "systemPrompt": "Be brief.", "userPrompt": "Hi", "response": "Hello."},
        {"callId": "c2", "systemPrompt": "Be brief.", "userPrompt": "Bye", "response": "So long."}
      ]}]}
      {"prompt": "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", "completion": "Hello.<|im_end|>"}
      {"question": "Is it up?", "steps": [
        {"thought": "Look at the pods.", "action": {"tool_name": "get_pods", "tool_args": {"namespace": "d"}}, "observation": "all run"}
      ], "final_answer": "It is."}
    EOT
  }

  expect sink "rows" {
    count = 10
  }
}

test "a session of a coding agent, whose lines the source groups" {
  input "corpus" {
    text = <<-EOT
      {"type":"session_meta","payload":{"id":"s1","base_instructions":{"text":"Be brief."}}}
      {"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Which tests fail?"}]}}
      {"type":"response_item","payload":{"type":"function_call","call_id":"c1","name":"shell","arguments":"{\"cmd\":\"go test\"}"}}
      {"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"ok"}}
      {"type":"event_msg","payload":{"type":"agent_message","message":"None."}}
      {"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"None."}]}}
    EOT
  }

  expect sink "rows" {
    count = 1
  }
}
