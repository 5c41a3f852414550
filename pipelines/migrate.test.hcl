# One test for each shape that is read, then the variables.

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

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {"system":"Be brief.","messages":[{"role":"user","content":"Hi"}]},
        "response": {"text":"Hello."}
      }
    EOT
  }
}

test "a record of the bootstrap corpus" {
  input "corpus" {
    rows = <<-EOT
      {
        "schema": "eliza.native_tool_calling.v1", "id": "r1", "stage": "planner", "source": {"dataset": "demo"},
        "messages": [{"role": "user", "content": "List the files."}],
        "tools": [{"type": "function", "function": {"name": "SHELL", "parameters": {"type": "object", "properties": {}}}}],
        "output": {"planner": {"text": "", "toolCalls": [{"id": "c1", "name": "SHELL", "args": {"command": "ls"}}]}}
      }
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {
          "messages": [{"role":"user","content":"List the files."}],
          "tools": [{"type":"function","function":{"name":"SHELL","parameters":{"type":"object","properties":{}}}}],
          "toolChoice": "auto"
        },
        "response": {
          "text": "",
          "toolCalls": [{"toolCallId":"c1","toolName":"SHELL","input":{"command":"ls"}}],
          "finishReason": "tool_calls"
        },
        "trajectoryId": "bootstrap:demo:r1",
        "source": "bootstrap_native_dataset",
        "stepId": "r1",
        "callId": "r1",
        "purpose": "action_planner",
        "stepType": "planner",
        "metadata": {
          "task_type": "action_planner",
          "source_schema": "eliza.native_tool_calling.v1",
          "source_id": "r1",
          "source_dataset": "demo",
          "conversion": {"adapter":"bootstrap","file":"corpus.jsonl","line":1}
        }
      }
    EOT
  }
}

test "a thread of the Modular Model Spec" {
  input "corpus" {
    rows = <<-EOT
      {"messages": [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "format": "markdown", "content": "Hello.", "end_turn": true}
      ]}
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {"system":"Be brief.","messages":[{"role":"user","content":"Hi"}]},
        "response": {"text":"Hello."},
        "metadata": {
          "modelspec": {
            "messages": [{"role":"developer"},{"role":"user"},{"role":"assistant","format":"markdown","end_turn":true}]
          },
          "conversion": {"adapter":"modelspec-thread","shape":"row","file":"corpus.jsonl","line":1}
        }
      }
    EOT
  }
}

test "a Bedrock conversation" {
  input "corpus" {
    rows = <<-EOT
      {
        "schemaVersion": "bedrock-conversation-2024", "system": [{"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": "Hi"}]}, {"role": "assistant", "content": [{"text": "Hello."}]}]
      }
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {"system":"Be brief.","messages":[{"role":"user","content":"Hi"}]},
        "response": {"text":"Hello."},
        "metadata": {
          "schemaVersion": "bedrock-conversation-2024",
          "conversion": {"adapter":"bedrock","file":"corpus.jsonl","line":1}
        }
      }
    EOT
  }
}

test "an Anthropic conversation with a call" {
  input "corpus" {
    rows = <<-EOT
      {
        "system": "Be brief.",
        "messages": [
          {"role": "user", "content": "Oslo?"},
          {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo"}}]},
          {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Rain"}]},
          {"role": "assistant", "content": "It rains."}
        ],
        "tools": [{"name": "weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}]
      }
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {
          "system": "Be brief.",
          "messages": [
            {"role":"user","content":"Oslo?"},
            {
              "role": "assistant",
              "content": "",
              "tool_calls": [{"id":"t1","type":"function","function":{"name":"weather","arguments":{"city":"Oslo"}}}]
            },
            {"role":"tool","tool_call_id":"t1","name":"weather","content":"Rain"}
          ],
          "tools": [
            {
              "type": "function",
              "function": {"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}
            }
          ]
        },
        "response": {"text":"It rains."},
        "metadata": {"conversion":{"adapter":"anthropic","file":"corpus.jsonl","line":1}}
      }
    EOT
  }
}

test "Gemini contents" {
  input "corpus" {
    rows = <<-EOT
      {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Hello."}]}]}
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {"messages":[{"role":"user","content":"Hi"}]},
        "response": {"text":"Hello."},
        "metadata": {"conversion":{"adapter":"gemini","shape":"contents","file":"corpus.jsonl","line":1}}
      }
    EOT
  }
}

test "a session of OpenHands" {
  input "corpus" {
    rows = <<-EOT
      {"instance_id": "i1", "history": [
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Fix it."}},
        {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "Look."}},
        {"id": 3, "source": "agent", "observation": "run", "content": "a.py", "cause": 2},
        {"id": 4, "source": "agent", "action": "finish", "args": {"final_thought": "Done.", "outputs": {}}}
      ]}
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {
          "messages": [
            {"role":"user","content":"Fix it."},
            {
              "role": "assistant",
              "content": "Look.",
              "tool_calls": [{"id":"event_2","type":"function","function":{"name":"run","arguments":{"command":"ls"}}}]
            },
            {"role":"tool","tool_call_id":"event_2","name":"run","content":"a.py"}
          ]
        },
        "response": {"text":"Done."},
        "metadata": {"instance_id":"i1","conversion":{"adapter":"openhands","file":"corpus.jsonl","line":1}}
      }
    EOT
  }
}

test "a session of a coding agent, whose lines the source groups" {
  input "corpus" {
    text = <<-EOT
      {"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","message":{"role":"user","content":"Which tests fail?"}}
      {"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s1","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"I look."}]}}
      {"type":"assistant","uuid":"a2","parentUuid":"a1","sessionId":"s1","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test"}}]}}
      {"type":"user","uuid":"u2","parentUuid":"a2","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
      {"type":"assistant","uuid":"a3","parentUuid":"u2","sessionId":"s1","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"None."}],"stop_reason":"end_turn"}}
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {
          "messages": [
            {"role":"user","content":"Which tests fail?"},
            {
              "role": "assistant",
              "content": "I look.",
              "tool_calls": [{"id":"t1","type":"function","function":{"name":"Bash","arguments":{"command":"go test"}}}]
            },
            {"role":"tool","tool_call_id":"t1","name":"Bash","content":"ok"}
          ]
        },
        "response": {"text":"None.","finishReason":"stop"},
        "trajectoryId": "s1",
        "metadata": {"conversion":{"adapter":"session","shape":"claude-code","file":"corpus.jsonl","line":1}}
      }
    EOT
  }
}

test "a trajectory in ATIF" {
  input "corpus" {
    rows = <<-EOT
      {"schema_version": "ATIF-v1.5", "session_id": "s1", "agent": {"name": "b", "version": "1"}, "steps": [
        {"step_id": 1, "source": "user", "message": "Build it."},
        {"step_id": 2, "source": "agent", "message": "I look.", "tool_calls": [{"tool_call_id": "c1", "function_name": "run", "arguments": {"cmd": "ls"}}],
          "observation": {"results": [{"source_call_id": "c1", "content": "a.c"}]}},
        {"step_id": 3, "source": "agent", "message": "Built."}
      ]}
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {
          "messages": [
            {"role":"user","content":"Build it."},
            {
              "role": "assistant",
              "content": "I look.",
              "tool_calls": [{"id":"c1","type":"function","function":{"name":"run","arguments":{"cmd":"ls"}}}]
            },
            {"role":"tool","tool_call_id":"c1","name":"run","content":"a.c"}
          ]
        },
        "response": {"text":"Built."},
        "trajectoryId": "s1",
        "metadata": {
          "schema_version": "ATIF-v1.5",
          "agent": {"name":"b","version":"1"},
          "conversion": {"adapter":"atif","file":"corpus.jsonl","line":1}
        }
      }
    EOT
  }
}

test "a message tree of Open Assistant" {
  input "corpus" {
    rows = <<-EOT
      {"message_tree_id": "t1", "tree_state": "ready_for_export", "prompt": {"message_id": "p1", "text": "How do I knit?", "role": "prompter", "lang": "en", "replies": [
        {"message_id": "a1", "text": "Badly.", "role": "assistant", "rank": 1, "replies": []},
        {"message_id": "a2", "text": "With two needles.", "role": "assistant", "rank": 0, "replies": []}
      ]}}
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {"messages":[{"role":"user","content":"How do I knit?"}]},
        "response": {"text":"With two needles."},
        "trajectoryId": "t1",
        "metadata": {
          "tree_state": "ready_for_export",
          "lang": "en",
          "message_id": "a2",
          "preference": {"rejected":"Badly."},
          "conversion": {"adapter":"oasst","file":"corpus.jsonl","line":1}
        }
      }
    EOT
  }
}

test "a run with two calls of the model is two rows" {
  input "corpus" {
    rows = <<-EOT
      {"trajectoryId": "t1", "agentId": "a1", "steps": [{"stepId": "s1", "llmCalls": [
        {"callId": "c1", "systemPrompt": "Be brief.", "userPrompt": "Hi", "response": "Hello."},
        {"callId": "c2", "systemPrompt": "Be brief.", "userPrompt": "Bye", "response": "So long."}
      ]}]}
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {"system":"Be brief.","messages":[{"role":"user","content":"Hi"}]},
        "response": {"text":"Hello."},
        "trajectoryId": "t1",
        "agentId": "a1",
        "stepId": "s1",
        "callId": "c1",
        "stepIndex": 0,
        "callIndex": 0,
        "metadata": {"conversion":{"adapter":"trajectory","shape":"steps","file":"corpus.jsonl","line":1}}
      }
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {"system":"Be brief.","messages":[{"role":"user","content":"Bye"}]},
        "response": {"text":"So long."},
        "trajectoryId": "t1",
        "agentId": "a1",
        "stepId": "s1",
        "callId": "c2",
        "stepIndex": 0,
        "callIndex": 1,
        "metadata": {"conversion":{"adapter":"trajectory","shape":"steps","file":"corpus.jsonl","line":1}}
      }
    EOT
  }
}

test "a prompt and a completion in ChatML" {
  input "corpus" {
    rows = <<-EOT
      {"prompt": "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", "completion": "Hello.<|im_end|>"}
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {"messages":[{"role":"user","content":"Hi"}]},
        "response": {"text":"Hello."},
        "metadata": {"conversion":{"adapter":"chat-text","shape":"chatml","file":"corpus.jsonl","line":1}}
      }
    EOT
  }
}

test "messages" {
  input "corpus" {
    rows = <<-EOT
      {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {"messages":[{"role":"user","content":"Hi"}]},
        "response": {"text":"Hello."},
        "metadata": {"conversion":{"adapter":"messages","shape":"messages","file":"corpus.jsonl","line":1}}
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

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {
          "system": "Be kind.",
          "messages": [{"role":"user","name":"bob","content":"Hi"}],
          "tools": [
            {
              "type": "function",
              "function": {"name":"REPLY","parameters":{"type":"object","properties":{"text":{"type":"string"}}}}
            },
            {"type":"function","function":{"name":"IGNORE","parameters":{"type":"object","properties":{}}}}
          ]
        },
        "response": {
          "text": "",
          "reasoning": "t",
          "toolCalls": [{"toolCallId":"call_0","toolName":"REPLY","input":{"text":"Hello."}}],
          "finishReason": "tool_calls"
        },
        "agentId": "Ada",
        "metadata": {
          "task_type": "reply",
          "roomName": "r",
          "availableActions": ["REPLY","IGNORE"],
          "conversion": {"adapter":"eliza-record","file":"corpus.jsonl","line":1}
        }
      }
    EOT
  }
}

test "a text in ChatML" {
  input "corpus" {
    rows = <<-EOT
      {"text": "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello.<|im_end|>"}
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {"messages":[{"role":"user","content":"Hi"}]},
        "response": {"text":"Hello."},
        "metadata": {"conversion":{"adapter":"chat-text","shape":"chatml","file":"corpus.jsonl","line":1}}
      }
    EOT
  }
}

test "a question and an answer in columns" {
  input "corpus" {
    rows = <<-EOT
      {"instruction": "Hi", "output": "Hello."}
    EOT
  }

  expect sink "canonical" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "request": {"messages":[{"role":"user","content":"Hi"}]},
        "response": {"text":"Hello."},
        "metadata": {"conversion":{"adapter":"pair","shape":"answer","file":"corpus.jsonl","line":1}}
      }
    EOT
  }
}

test "a canonical row stays as it is, byte for byte" {
  input "corpus" {
    rows = <<-EOT
      {"format":"eliza_native_v1", "boundary":"vercel_ai_sdk.generateText","request":{"prompt":"H\u0069"},"response":{"text":"1.0"},"n":1.0}
    EOT
  }

  expect sink "canonical" {
    bytes = true
    rows  = <<-EOT
      {"format":"eliza_native_v1", "boundary":"vercel_ai_sdk.generateText","request":{"prompt":"H\u0069"},"response":{"text":"1.0"},"n":1.0}
    EOT
  }
}

test "names and personal data stay unless asked otherwise" {
  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "I am ada.lovelace@engines.org. List the files."},
          {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "RUN_COMMAND", "arguments": "{}"}}
          ]}
        ]
      }
    EOT
  }

  expect sink "canonical" {
    contains = <<-EOT
      {
        "request": {"messages": [{"content": "I am ada.lovelace@engines.org. List the files."}]},
        "response": {"toolCalls": [{"toolName": "RUN_COMMAND"}]}
      }
    EOT
  }
}

test "retired names and personal data go when asked" {
  variables = { aliases = true, privacy = true }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "I am ada.lovelace@engines.org. List the files."},
          {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "RUN_COMMAND", "arguments": "{}"}}
          ]}
        ]
      }
    EOT
  }

  expect sink "canonical" {
    contains = <<-EOT
      {
        "request": {"messages": [{"content": "I am <EMAIL_ADDRESS>. List the files."}]},
        "response": {"toolCalls": [{"toolName": "SHELL"}]}
      }
    EOT
  }

  expect output "redact.ledger" {
    count = 1
  }
}

test "what has no shape is rejected" {
  input "corpus" {
    rows = <<-EOT
      {"note": "no shape that anyone knows"}
    EOT
  }

  expect reject {
    code  = "declined"
    count = 1
  }
}

test "rows of the repair loop are kept when asked, with what is wrong with them" {
  variables = { repair = "keep" }

  input "corpus" {
    rows = <<-EOT
      {"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText","request":{"prompt":"Hi"},"response":{"text":"Oh."},"quality":{"success":false}}
      {"prompt":"Hi","completion":"Oh.","split":"repair_eval"}
    EOT
  }

  expect sink "canonical" {
    count = 2
  }
}

test "steps of thought, action and observation" {
  input "corpus" {
    rows = <<-EOT
      {"task":"Find the key","trajectory":[{"thought":"look","action":"search[key]","observation":"in the box"},{"thought":"open it","action":"finish[the box]"}]}
    EOT
  }

  expect sink "canonical" {
    count = 1
  }
}
