# What is read as which shape, eliza-sft.test.hcl and migrate.test.hcl hold; here is what becomes of rows on their way.

never "an e-mail address" {
  matches = "[a-z]@[a-z]+[.][a-z]"
}

always "rows of canonical_train are in its file" {
  sink = "canonical_train"
  file = "canonical/train.jsonl"
}

always "rows of canonical_val are in its file" {
  sink = "canonical_val"
  file = "canonical/val.jsonl"
}

always "rows of canonical_test are in its file" {
  sink = "canonical_test"
  file = "canonical/test.jsonl"
}

always "rows of chatml_train are in its file" {
  sink = "chatml_train"
  file = "chatml/train.jsonl"
}

always "rows of chatml_val are in its file" {
  sink = "chatml_val"
  file = "chatml/val.jsonl"
}

always "rows of chatml_test are in its file" {
  sink = "chatml_test"
  file = "chatml/test.jsonl"
}

test "a record of each shape" {
  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"system": "Be brief.", "messages": [{"role": "user", "content": "What comes after alpha in the alphabet?"}]},
        "response": {"text": "It is the letter behind alpha."}
      }
      {
        "schema": "eliza.native_tool_calling.v1", "id": "r1", "stage": "planner", "source": {"dataset": "demo"},
        "messages": [{"role": "user", "content": "List the files."}],
        "tools": [{"type": "function", "function": {"name": "SHELL", "parameters": {"type": "object", "properties": {}}}}],
        "output": {"planner": {"text": "", "toolCalls": [{"id": "c1", "name": "SHELL", "args": {"command": "ls"}}]}}
      }
      {"messages": [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "What comes after gamma in the alphabet?"},
        {"role": "assistant", "format": "markdown", "content": "It is the letter behind gamma.", "end_turn": true}
      ]}
      {
        "schemaVersion": "bedrock-conversation-2024", "system": [{"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": "What comes after delta in the alphabet?"}]}, {"role": "assistant", "content": [{"text": "It is the letter behind delta."}]}]
      }
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
      {"contents": [{"role": "user", "parts": [{"text": "What comes after zeta in the alphabet?"}]}, {"role": "model", "parts": [{"text": "It is the letter behind zeta."}]}]}
      {"instance_id": "i1", "history": [
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Fix it."}},
        {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "Look."}},
        {"id": 3, "source": "agent", "observation": "run", "content": "a.py", "cause": 2},
        {"id": 4, "source": "agent", "action": "finish", "args": {"final_thought": "Done.", "outputs": {}}}
      ]}
      {"session": "s1", "events": [
        {"type": "user", "uuid": "u1", "parentUuid": null, "message": {"role": "user", "content": "What comes after eta in the alphabet?"}},
        {"type": "assistant", "uuid": "a1", "parentUuid": "u1", "message": {"role": "assistant", "content": [{"type": "text", "text": "It is the letter behind eta."}]}}
      ]}
      {"trajectoryId": "t1", "agentId": "a1", "steps": [{"stepId": "s1", "llmCalls": [
        {"callId": "c1", "systemPrompt": "Be brief.", "userPrompt": "What comes after theta in the alphabet?", "response": "It is the letter behind theta."},
        {"callId": "c2", "systemPrompt": "Be brief.", "userPrompt": "Bye", "response": "So long."}
      ]}]}
      {"prompt": "<|im_start|>user\nWhat comes after iota in the alphabet?<|im_end|>\n<|im_start|>assistant\n", "completion": "It is the letter behind iota.<|im_end|>"}
      {"messages": [{"role": "user", "content": "What comes after kappa in the alphabet?"}, {"role": "assistant", "content": "It is the letter behind kappa."}]}
      {
        "roomName": "hall", "agentId": "Ada", "memoryEntries": [],
        "currentMessage": {"role": "user", "speaker": "bob", "content": "What comes after lambda in the alphabet?", "channel": "dm"},
        "expectedResponse": "{\"thought\":\"t\",\"actions\":[\"REPLY\"],\"text\":\"It is the letter behind lambda.\"}",
        "availableActions": ["REPLY", "IGNORE"],
        "metadata": {"task_type": "reply", "system_prompt": "Be kind."}
      }
      {"text": "<|im_start|>user\nWhat comes after mu in the alphabet?<|im_end|>\n<|im_start|>assistant\nIt is the letter behind mu.<|im_end|>"}
      {"instruction": "What comes after nu in the alphabet?", "output": "It is the letter behind nu."}
    EOT
  }

  expect sink "canonical_train" {
    count = 15 # a run with two calls is two rows
  }

  expect sink "chatml_train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"What comes after alpha in the alphabet?"},
          {"role":"assistant","content":"It is the letter behind alpha."}
        ]
      }
      {
        "messages": [
          {"role":"user","content":"List the files."},
          {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id":"c1","type":"function","function":{"name":"SHELL","arguments":"{\"command\":\"ls\"}"}}]
          }
        ],
        "tools": [
          {
            "type": "function",
            "function": {"name":"SHELL","description":"","parameters":{"type":"object","properties":{}}}
          }
        ]
      }
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"What comes after gamma in the alphabet?"},
          {"role":"assistant","content":"It is the letter behind gamma."}
        ]
      }
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"What comes after delta in the alphabet?"},
          {"role":"assistant","content":"It is the letter behind delta."}
        ]
      }
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"Oslo?"},
          {
            "role": "assistant",
            "content": "",
            "tool_calls": [
              {"id":"t1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}
            ]
          },
          {"role":"tool","tool_call_id":"t1","name":"weather","content":"Rain"},
          {"role":"assistant","content":"It rains."}
        ],
        "tools": [
          {
            "type": "function",
            "function": {
              "name": "weather",
              "description": "",
              "parameters": {"type":"object","properties":{"city":{"type":"string"}}}
            }
          }
        ]
      }
      {
        "messages": [
          {"role":"user","content":"What comes after zeta in the alphabet?"},
          {"role":"assistant","content":"It is the letter behind zeta."}
        ]
      }
      {
        "messages": [
          {"role":"user","content":"Fix it."},
          {
            "role": "assistant",
            "content": "Look.",
            "tool_calls": [
              {"id":"event_2","type":"function","function":{"name":"run","arguments":"{\"command\":\"ls\"}"}}
            ]
          },
          {"role":"tool","tool_call_id":"event_2","name":"run","content":"a.py"},
          {"role":"assistant","content":"Done."}
        ]
      }
      {
        "messages": [
          {"role":"user","content":"What comes after eta in the alphabet?"},
          {"role":"assistant","content":"It is the letter behind eta."}
        ]
      }
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"What comes after theta in the alphabet?"},
          {"role":"assistant","content":"It is the letter behind theta."}
        ]
      }
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"Bye"},
          {"role":"assistant","content":"So long."}
        ]
      }
      {
        "messages": [
          {"role":"user","content":"What comes after iota in the alphabet?"},
          {"role":"assistant","content":"It is the letter behind iota."}
        ]
      }
      {
        "messages": [
          {"role":"user","content":"What comes after kappa in the alphabet?"},
          {"role":"assistant","content":"It is the letter behind kappa."}
        ]
      }
      {
        "messages": [
          {"role":"system","content":"Be kind."},
          {"role":"user","content":"What comes after lambda in the alphabet?"},
          {
            "role": "assistant",
            "content": "",
            "reasoning_content": "t",
            "tool_calls": [
              {
                "id": "call_0",
                "type": "function",
                "function": {"name":"REPLY","arguments":"{\"text\":\"It is the letter behind lambda.\"}"}
              }
            ]
          }
        ],
        "tools": [
          {
            "type": "function",
            "function": {
              "name": "REPLY",
              "description": "",
              "parameters": {"type":"object","properties":{"text":{"type":"string"}}}
            }
          },
          {
            "type": "function",
            "function": {"name":"IGNORE","description":"","parameters":{"type":"object","properties":{}}}
          }
        ]
      }
      {
        "messages": [
          {"role":"user","content":"What comes after mu in the alphabet?"},
          {"role":"assistant","content":"It is the letter behind mu."}
        ]
      }
      {
        "messages": [
          {"role":"user","content":"What comes after nu in the alphabet?"},
          {"role":"assistant","content":"It is the letter behind nu."}
        ]
      }
    EOT
  }
}

test "a row goes to the split that it names, and one of the repair loop is not rendered" {
  input "corpus" {
    rows = <<-EOT
      {"instruction": "one", "output": "1", "split": "validation"}
      {"instruction": "two", "output": "2", "split": "test"}
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"prompt": "three"}, "response": {"text": "3"}, "metadata": {"split": "repair_eval"}
      }
    EOT
  }

  expect sink "canonical_val" {
    contains = <<-EOT
      {"request": {"messages": [{"content": "one"}]}, "metadata": {"split": "val"}}
    EOT
    count    = 1
  }

  expect sink "chatml_val" {
    count = 1
  }

  expect sink "canonical_test" {
    count = 1
  }

  expect sink "chatml_test" {
    count = 1
  }

  expect sink "repair_eval" {
    contains = <<-EOT
      {"request": {"prompt": "three"}}
    EOT
    count    = 1
  }

  expect sink "canonical_train" {
    count = 0
  }
}

test "a record for calibration is in a file of its own and not rendered" {
  input "corpus" {
    rows = <<-EOT
      {
        "roomName": "r", "agentId": "Ada", "memoryEntries": [],
        "currentMessage": {"role": "user", "speaker": "bob", "content": "Hi", "channel": "dm"},
        "expectedResponse": "<abliteration-calibration>",
        "metadata": {"task_type": "abliteration_harmless", "split": "train"}
      }
    EOT
  }

  expect sink "calibration" {
    contains = <<-EOT
      {"format": "eliza_native_v1"}
    EOT
    count    = 1
  }

  expect sink "chatml_train" {
    count = 0
  }
}

test "a row that comes twice is written once" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {"instruction": "one", "output": "1"}
      {"instruction": "one", "output": "1"}
    EOT
  }

  expect sink "canonical_train" {
    count = 1
  }

  expect sink "chatml_train" {
    count = 1
  }

  expect drop {
    reason = "duplicate"
    step   = "dedup"
    count  = 1
  }

  expect output "dedup.pairs" {
    contains = <<-EOT
      {"file": "corpus.jsonl", "line": 2}
    EOT
    count    = 1
  }
}

test "the beginning of an earlier row of its trajectory is left out" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {"trajectoryId": "t1", "messages": [
        {"role": "user", "content": "Which letter is the first?"}, {"role": "assistant", "content": "Alpha."},
        {"role": "user", "content": "And the second one?"}, {"role": "assistant", "content": "That is beta."}
      ]}
      {"trajectoryId": "t1", "messages": [
        {"role": "user", "content": "Which letter is the first?"}, {"role": "assistant", "content": "Alpha."}
      ]}
    EOT
  }

  expect sink "chatml_train" {
    count = 1
  }

  expect drop {
    step  = "dedup"
    count = 1
  }
}

test "the beginning of an earlier row of its trajectory stays when asked" {
  variables = { val = 0, test = 0, prefixes = "keep" }

  input "corpus" {
    rows = <<-EOT
      {"trajectoryId": "t1", "messages": [
        {"role": "user", "content": "Which letter is the first?"}, {"role": "assistant", "content": "Alpha."},
        {"role": "user", "content": "And the second one?"}, {"role": "assistant", "content": "That is beta."}
      ]}
      {"trajectoryId": "t1", "messages": [
        {"role": "user", "content": "Which letter is the first?"}, {"role": "assistant", "content": "Alpha."}
      ]}
    EOT
  }

  expect sink "chatml_train" {
    count = 2
  }
}

test "what a row says of its split does not count when asked" {
  variables = { respect = "never", val = 0, test = 1 }

  input "corpus" {
    rows = <<-EOT
      {"instruction": "one", "output": "1", "split": "train"}
    EOT
  }

  expect sink "chatml_test" {
    count = 1
  }

  expect sink "chatml_train" {
    count = 0
  }
}

test "personal data and retired names go, and what is written is counted" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "I am ada.lovelace@engines.org. List the files."},
          {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "RUN_COMMAND", "arguments": "{\"command\": \"ls\"}"}}
          ]}
        ],
        "tools": [{"type": "function", "function": {"name": "RUN_COMMAND", "parameters": {"type": "object", "properties": {}}}}]
      }
    EOT
  }

  expect sink "canonical_train" {
    contains = <<-EOT
      {"request": {"messages": [{"content": "I am <EMAIL_ADDRESS>. List the files."}]}, "response": {"toolCalls": [{"toolName": "SHELL"}]}}
    EOT
  }

  expect output "redact.ledger" {
    count = 1
  }

  expect output "stats.stats" {
    contains = <<-EOT
      {"all": {"rows": 1, "calls": 1, "actions": {"SHELL": {"calls": 1}}}}
    EOT
    count    = 1
  }
}

test "a call of a tool that is not offered is rejected when asked" {
  variables = { misfits = "reject" }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "List the files."},
          {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "SHELL", "arguments": "{}"}}
          ]}
        ],
        "tools": [{"type": "function", "function": {"name": "READ", "parameters": {"type": "object", "properties": {}}}}]
      }
    EOT
  }

  expect reject {
    step = "gates"
    code = "undeclared_call"
  }

  expect sink "canonical_train" {
    count = 0
  }
}

test "a call of a tool that is not offered is written, if nothing else is asked" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "List the files."},
          {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "SHELL", "arguments": "{}"}}
          ]}
        ],
        "tools": [{"type": "function", "function": {"name": "READ", "parameters": {"type": "object", "properties": {}}}}]
      }
    EOT
  }

  expect sink "chatml_train" {
    count = 1
  }
}

test "a call of a tool that is not offered is left out when asked" {
  variables = { misfits = "drop" }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "List the files."},
          {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "SHELL", "arguments": "{}"}}
          ]}
        ],
        "tools": [{"type": "function", "function": {"name": "READ", "parameters": {"type": "object", "properties": {}}}}]
      }
    EOT
  }

  expect drop {
    reason = "undeclared_call"
    step   = "gates"
  }
}

test "what has no shape, and what is no JSON, is rejected" {
  input "corpus" {
    text = <<-EOT
      {"note": "no shape that anyone knows"}
      {"messages":
    EOT
  }

  expect reject {
    code = "declined"
    line = 1
  }

  expect reject {
    code = "invalid_json"
    line = 2
  }
}

test "a row that is held out is not trained on" {
  variables = { held_out = ["${pipeline.dir}/fixtures/held-out.jsonl"] }

  input "corpus" {
    file = "fixtures/held-out.jsonl"
  }

  expect drop {
    step  = "dedup"
    count = 1
  }

  expect sink "chatml_train" {
    count = 0
  }
}

test "a mixture: rows of a source come out as often as its rate says, in train alone" {
  variables = {
    rates = { code = 2, chat = 0 }
  }

  input "corpus" {
    rows = <<-EOT
      {"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "metadata": {"source_dataset": "code", "split": "train"}, "request": {"messages": [{"role": "user", "content": "What does a compiler do?"}]}, "response": {"text": "It translates programs."}}
      {"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "metadata": {"source_dataset": "chat", "split": "train"}, "request": {"messages": [{"role": "user", "content": "How was your day?"}]}, "response": {"text": "It was a quiet one."}}
      {"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "metadata": {"source_dataset": "chat", "split": "test"}, "request": {"messages": [{"role": "user", "content": "Do you like rain?"}]}, "response": {"text": "On some days I do."}}
    EOT
  }

  expect sink "canonical_train" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "metadata": {"source_dataset": "code", "split": "train"},
        "request": {"messages": [{"role": "user", "content": "What does a compiler do?"}]},
        "response": {"text": "It translates programs."}
      }
      {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.generateText",
        "metadata": {"source_dataset": "code", "split": "train","copy":2},
        "request": {"messages": [{"role": "user", "content": "What does a compiler do?"}]},
        "response": {"text": "It translates programs."}
      }
    EOT
  }

  expect sink "chatml_test" {
    count = 1
  }

  expect drop {
    reason = "thinned"
    step   = "mix"
  }
}

test "a trajectory in the interchange format" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"List files"},{"step_id":2,"source":"agent","message":"Looking.","tool_calls":[{"tool_call_id":"c1","function_name":"ls","arguments":{"dir":"."}}],"observation":{"results":[{"source_call_id":"c1","content":"a.txt"}]}},{"step_id":3,"source":"agent","message":"There is a.txt."}]}
    EOT
  }

  expect sink "canonical_train" {
    count = 1
  }
}

test "a tree of messages" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {"message_tree_id":"m1","tree_state":"ready_for_export","prompt":{"message_id":"m1","text":"What is iron?","role":"prompter","lang":"en","replies":[{"message_id":"m2","parent_id":"m1","text":"A fruit.","role":"assistant","rank":1,"replies":[]},{"message_id":"m3","parent_id":"m1","text":"A metal.","role":"assistant","rank":0,"replies":[]}]}}
    EOT
  }

  expect sink "canonical_train" {
    count = 1
  }
}

test "steps of thought, action and observation" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {"task":"Find the key","trajectory":[{"thought":"look","action":"search[key]","observation":"in the box"},{"thought":"open it","action":"finish[the box]"}]}
    EOT
  }

  expect sink "canonical_train" {
    count = 1
  }
}

test "shapes that others would read otherwise" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {"text": "<|role|>developer<|content|>Be brief.<|role|>user<|content|>Hi<|role|>assistant<|format|>markdown<|content|>Hello.<|end_turn|>"}
      {"schemaVersion": "bedrock-conversation-2024", "messages": [
        {"role": "user", "content": [{"text": "Oslo?"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "weather", "input": {"city": "Oslo"}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "Rain"}]}}]},
        {"role": "assistant", "content": [{"text": "It rains."}]}
      ]}
      {
        "prompt": "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n", "completion": "So long.<|im_end|>",
        "text": "<|im_start|>user\nwhat the columns repeat<|im_end|>\n<|im_start|>assistant\nSo long.<|im_end|>"
      }
    EOT
  }

  expect sink "chatml_train" {
    contains = <<-EOT
      {"messages": [{"role": "system"}, {"content": "Hi"}, {"content": "Hello."}]}
      {"messages": [{"content": "Oslo?"}, {}, {"content": "Rain"}, {"content": "It rains."}]}
      {"messages": [{"content": "Bye"}, {"content": "So long."}]}
    EOT
    count    = 3
  }
}

test "a result without its call is the user's word" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {"messages": [
        {"role": "user", "content": "How warm is it?"},
        {"role": "tool", "tool_call_id": "c9", "name": "warmth", "content": "12"},
        {"role": "assistant", "content": "12 degrees."}
      ]}
    EOT
  }

  expect sink "chatml_train" {
    contains = <<-EOT
      {"messages": [{"content": "How warm is it?"}, {"role": "user", "content": "12"}, {"role": "assistant"}]}
    EOT
    count    = 1
  }
}

test "a row of the repair loop in another shape is kept for its file" {
  input "corpus" {
    rows = <<-EOT
      {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}], "split": "repair_eval"}
    EOT
  }

  expect sink "repair_eval" {
    count = 1
  }
}

# They would be of train with SHELL for RUN_COMMAND, and with a mark for the address.
test "a split is drawn by what a row says before anything in it is replaced" {
  variables = { val = 0.5, test = 0.05 }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "Open the date."},
          {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "RUN_COMMAND", "arguments": "{\"command\": \"open date\"}"}}]}
        ],
        "tools": [{"type": "function", "function": {"name": "RUN_COMMAND", "parameters": {"type": "object", "properties": {}}}}]
      }
      {"instruction": "Write to cid@engines.org.", "output": "I wrote to cid."}
    EOT
  }

  expect sink "chatml_val" {
    count = 2
  }
}

test "trajectories are told apart by their ids as they were, whatever the filter makes of them" {
  input "corpus" {
    rows = <<-EOT
      {"trajectoryId": "ann@engines.org", "split": "test", "messages": [
        {"role": "user", "content": "Which letter is the first?"}, {"role": "assistant", "content": "Alpha."}
      ]}
      {"trajectoryId": "bob@engines.org", "split": "train", "messages": [
        {"role": "user", "content": "Which letter is the last?"}, {"role": "assistant", "content": "Omega."}
      ]}
    EOT
  }

  expect sink "chatml_train" {
    count = 1
  }

  expect sink "chatml_test" {
    count = 1
  }
}

test "a conversation is a trajectory, whatever id each row has of its own" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {"id": "r1", "conversation_id": "c1", "split": "test", "messages": [
        {"role": "user", "content": "Which letter is the first?"}, {"role": "assistant", "content": "Alpha."}
      ]}
      {"id": "r2", "conversation_id": "c1", "messages": [
        {"role": "user", "content": "Which letter is the first?"}, {"role": "assistant", "content": "Alpha."},
        {"role": "user", "content": "And the second one?"}, {"role": "assistant", "content": "That is beta."}
      ]}
    EOT
  }

  expect sink "chatml_test" {
    count = 1
  }

  expect reject {
    code  = "split_conflict"
    step  = "dedup"
    count = 1
  }
}

test "another seed draws other splits" {
  variables = { seed = "two" }

  input "corpus" {
    rows = <<-EOT
      {"instruction": "What is a sweet date?", "output": "A date that is sweet."}
      {"instruction": "What is a sweet pear?", "output": "A pear that is sweet."}
    EOT
  }

  expect sink "chatml_val" {
    count = 1
  }

  expect sink "chatml_test" {
    count = 1
  }
}

test "an address in a retired name does not get past as part of the current one" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "Write to her."},
          {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "RUN_COMMAND_ada@engines.org", "arguments": "{}"}}]}
        ],
        "tools": [{"type": "function", "function": {"name": "RUN_COMMAND_ada@engines.org", "parameters": {"type": "object", "properties": {}}}}]
      }
    EOT
  }

  expect sink "chatml_train" {
    contains = <<-EOT
      {"tools": [{"function": {"name": "<EMAIL_ADDRESS>"}}]}
    EOT
    count    = 1
  }
}

test "an answer that was cut is rejected behind privacy, whatever shape it came in" {
  input "corpus" {
    rows = <<-EOT
      {"prompt": "Whom do I ask?", "completion": "Write to ada@engines.org and", "finish_reason": "length"}
    EOT
  }

  expect reject {
    step = "check"
    code = "truncated_response"
  }

  expect sink "canonical_train" {
    count = 0
  }

  never "an address among rejects" {
    rejects = true
    matches = "engines"
  }
}

test "rejects have current names, since the alias step comes before the gates" {
  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "List the files."},
          {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "RUN_COMMAND", "arguments": "{}"}}]}
        ],
        "tools": [{"type": "function", "function": {"name": "RUN_COMMAND", "parameters": {"type": "object", "properties": {}}}}],
        "finish_reason": "length"
      }
    EOT
  }

  expect reject {
    step = "check"
  }

  never "a retired name" {
    rejects = true
    matches = "RUN_COMMAND"
  }
}

test "another seed draws another mixture" {
  variables = { val = 0, test = 0, rate = 0.5, seed = "two" }

  input "corpus" {
    rows = <<-EOT
      {"instruction": "What is a sweet apple?", "output": "An apple that is sweet."}
      {"instruction": "Why do ships float?", "output": "They push water aside."}
      {"instruction": "Who wrote the Odyssey?", "output": "Homer, it is said."}
      {"instruction": "When does the sun set?", "output": "In the evening."}
      {"instruction": "Where do penguins live?", "output": "In the south."}
      {"instruction": "How is cheese made?", "output": "From milk and rennet."}
    EOT
  }

  expect sink "chatml_train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"user","content":"Why do ships float?"},
          {"role":"assistant","content":"They push water aside."}
        ]
      }
      {
        "messages": [
          {"role":"user","content":"Who wrote the Odyssey?"},
          {"role":"assistant","content":"Homer, it is said."}
        ]
      }
      {"messages":[{"role":"user","content":"Where do penguins live?"},{"role":"assistant","content":"In the south."}]}
    EOT
  }
}

test "answers that were cut or held back are kept when asked" {
  variables = { val = 0, test = 0, cut = "keep" }

  input "corpus" {
    rows = <<-EOT
      {"prompt": "Which fruit is red?", "completion": "The apple and", "finish_reason": "length"}
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"prompt": "Hi"}, "response": {"text": "Oh", "finishReason": "content-filter"}
      }
    EOT
  }

  expect sink "chatml_train" {
    count = 2
  }
}

test "a row with a value that its format does not have is written nowhere when asked" {
  variables = { check = true }

  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"prompt": "Which fruit is blue?"}, "response": {"text": "The berry.", "usage": {"promptTokens": -1, "completionTokens": 2}}
      }
    EOT
  }

  expect reject {
    step = "rows"
    code = "out_of_range"
  }

  expect sink "canonical_train" {
    count = 0
  }

  expect output "rows.findings" {
    count = 1
  }
}

test "a row with a value that its format does not have is written when it is allowed" {
  variables = { val = 0, test = 0, check = true, allow = ["out_of_range"] }

  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"prompt": "Which fruit is blue?"}, "response": {"text": "The berry.", "usage": {"promptTokens": -1, "completionTokens": 2}}
      }
    EOT
  }

  expect sink "canonical_train" {
    count = 1
  }
}

test "a row with a value that its format does not have is written, if nothing else is asked" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"prompt": "Which fruit is blue?"}, "response": {"text": "The berry.", "usage": {"promptTokens": -1, "completionTokens": 2}}
      }
    EOT
  }

  expect sink "canonical_train" {
    count = 1
  }
}

test "what the gates look at they reject, whatever else is wrong" {
  variables = { check = true }

  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"prompt": "Which fruit is red?"}, "response": {"text": "The apple [truncated]", "usage": {"promptTokens": -1, "completionTokens": 2}}
      }
    EOT
  }

  expect reject {
    step = "gates"
    code = "truncated"
  }
}

test "a row of a run that was not over is rejected by name" {
  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"prompt": "Which fruit is green?"}, "response": {"text": "The lime."}, "metadata": {"status": "active"}
      }
    EOT
  }

  expect reject {
    step = "gates"
    code = "unfinished"
  }
}

test "a row of a run that was not over is kept when asked" {
  variables = { val = 0, test = 0, unfinished = "keep" }

  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"prompt": "Which fruit is green?"}, "response": {"text": "The lime."}, "metadata": {"status": "active"}
      }
    EOT
  }

  expect sink "chatml_train" {
    count = 1
  }
}

test "arguments that do not fit are rejected when asked" {
  variables = { misfits = "reject" }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "List the files."},
          {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "SHELL", "arguments": "{\"dir\": 1}"}}]}
        ],
        "tools": [{"type": "function", "function": {"name": "SHELL", "parameters": {"type": "object", "properties": {"dir": {"type": "string"}}, "required": ["dir"]}}}]
      }
    EOT
  }

  expect reject {
    step = "gates"
    code = "arguments_off_schema"
  }
}

test "arguments that do not fit are written, if nothing else is asked" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "List the files."},
          {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "SHELL", "arguments": "{\"dir\": 1}"}}]}
        ],
        "tools": [{"type": "function", "function": {"name": "SHELL", "parameters": {"type": "object", "properties": {"dir": {"type": "string"}}, "required": ["dir"]}}}]
      }
    EOT
  }

  expect sink "chatml_train" {
    count = 1
  }
}

test "a trainer that reads weights gets them, and tools as a text" {
  variables = { val = 0, test = 0, untrained = "weight", tools = "string" }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "a"}, {"role": "assistant", "content": "wrong", "weight": 0},
          {"role": "user", "content": "b"}, {"role": "assistant", "content": "right"}
        ],
        "tools": [{"type": "function", "function": {"name": "A", "description": "a", "parameters": {"type": "object", "properties": {}}}}]
      }
    EOT
  }

  expect sink "chatml_train" {
    contains = <<-EOT
      {
        "messages": [{}, {"content": "wrong", "weight": 0}, {}, {"content": "right"}],
        "tools": "[{\"type\":\"function\",\"function\":{\"name\":\"A\",\"description\":\"a\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}]"
      }
    EOT
    count    = 1
  }
}

test "an earlier answer that is not to be trained on" {
  input "corpus" {
    rows = <<-EOT
      {"messages": [
        {"role": "user", "content": "a"}, {"role": "assistant", "content": "wrong", "weight": 0},
        {"role": "user", "content": "b"}, {"role": "assistant", "content": "right"}
      ]}
    EOT
  }

  expect reject {
    step = "gates"
    code = "untrained_turn"
  }

  expect sink "canonical_train" {
    count = 0
  }
}

test "rows for a family of models" {
  variables = { val = 0, test = 0, target = "qwen3" }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "List the files."},
          {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "SHELL", "arguments": "{\"command\": \"ls\"}"}}]}
        ],
        "tools": [{"type": "function", "function": {"name": "SHELL", "parameters": {"type": "object", "properties": {}}}}]
      }
    EOT
  }

  expect sink "chatml_train" {
    contains = <<-EOT
      {"messages": [{}, {"tool_calls": [{"function": {"arguments": {"command": "ls"}}}]}]}
    EOT
  }
}

test "near duplicates are dropped" {
  variables = { val = 0, test = 0 }

  input "corpus" {
    file = "fixtures/near.jsonl"
  }

  expect sink "canonical_train" {
    count = 1
  }

  expect drop {
    step  = "dedup"
    count = 1
  }
}

test "near duplicates stay when asked" {
  variables = { val = 0, test = 0, near = 0 }

  input "corpus" {
    file = "fixtures/near.jsonl"
  }

  expect sink "canonical_train" {
    count = 2
  }
}

test "what another split says is dropped" {
  input "corpus" {
    rows = <<-EOT
      {"instruction": "one", "output": "1", "split": "test"}
      {"instruction": "one", "output": "1", "split": "train"}
    EOT
  }

  expect drop {
    step  = "dedup"
    count = 1
  }

  expect sink "canonical_test" {
    count = 1
  }
}

test "what another split says stays when asked" {
  variables = { across = "keep" }

  input "corpus" {
    rows = <<-EOT
      {"instruction": "one", "output": "1", "split": "test"}
      {"instruction": "one", "output": "1", "split": "train"}
    EOT
  }

  expect sink "canonical_test" {
    count = 1
  }

  expect sink "canonical_train" {
    count = 1
  }
}

test "the beginning of what an earlier run wrote is left out" {
  variables = { val = 0, test = 0, longer = ["${pipeline.dir}/fixtures/longer.jsonl"] }

  input "corpus" {
    rows = <<-EOT
      {"trajectoryId": "t1", "messages": [
        {"role": "user", "content": "Which letter is the first?"}, {"role": "assistant", "content": "Alpha."}
      ]}
    EOT
  }

  expect drop {
    step  = "dedup"
    count = 1
  }
}

test "statistics are of the mixture, by source, and have what is not rendered" {
  variables = { rates = { code = 3 }, rate = 0, sources = ["metadata.origin"] }

  input "corpus" {
    rows = <<-EOT
      {"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "metadata": {"origin": "code", "source_dataset": "none", "split": "train"}, "request": {"prompt": "What does a compiler do?"}, "response": {"text": "It translates programs."}}
      {"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "metadata": {"origin": "chat", "source_dataset": "code", "split": "train"}, "request": {"prompt": "How was your day?"}, "response": {"text": "It was a quiet one."}}
      {"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "metadata": {"origin": "code", "split": "repair_eval"}, "request": {"prompt": "three"}, "response": {"text": "3"}}
    EOT
  }

  expect sink "canonical_train" {
    contains = <<-EOT
      {"request": {"prompt": "What does a compiler do?"}}
    EOT
    count    = 3
  }

  expect sink "repair_eval" {
    count = 1
  }

  expect output "stats.stats" {
    contains = <<-EOT
      {"all": {"rows": 4}, "by": {"source": {"code": {"rows": 4}}}}
    EOT
    count    = 1
  }
}

test "tools that the templates of a family do not show are left out of what is rendered" {
  variables = { target = "phi3", hidden_tools = "drop" }

  input "corpus" {
    rows = <<-EOT
      {
        "split": "train",
        "messages": [{"role": "user", "content": "List the files."}, {"role": "assistant", "content": "Of which folder?"}],
        "tools": [{"type": "function", "function": {"name": "SHELL", "parameters": {"type": "object", "properties": {}}}}]
      }
    EOT
  }

  expect sink "chatml_train" {
    rows = <<-EOT
      {"messages": [{"role": "user", "content": "List the files."}, {"role": "assistant", "content": "Of which folder?"}]}
    EOT
  }
}

test "a flat record gets the system text of its task" {
  variables = { prompt_registry = "${pipeline.dir}/fixtures/prompts.json" }

  input "corpus" {
    rows = <<-EOT
      {
        "split": "train", "roomName": "r", "agentId": "Ada", "memoryEntries": [],
        "currentMessage": {"role": "user", "content": "Hi"}, "expectedResponse": "Hello.", "metadata": {"task_type": "should_respond"}
      }
    EOT
  }

  expect sink "chatml_train" {
    rows = <<-EOT
      {"messages": [{"role": "system", "content": "You are Ada, who keeps the books."}, {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    EOT
  }
}
