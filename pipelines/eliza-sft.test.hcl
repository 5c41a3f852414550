# One test for each shape that is read, then what becomes of rows on their way.

never "an e-mail address" {
  matches = "[a-z]@[a-z]+[.][a-z]"
}

always "messages end with the assistant" {
  sink   = "train"
  path   = "messages.@reverse.0.role"
  equals = "assistant"
}

always "rows of train are in its file" {
  sink = "train"
  file = "train.jsonl"
}

always "rows of val are in its file" {
  sink = "val"
  file = "val.jsonl"
}

always "rows of test are in its file" {
  sink = "test"
  file = "test.jsonl"
}

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

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"Hi"},
          {"role":"assistant","content":"Hello."}
        ]
      }
    EOT
  }
}

test "a question comes after its passage, and its choices after the question" {
  input "corpus" {
    rows = <<-EOT
      {"context": "Oslo is in Norway.", "question": "Where is Oslo?", "answer": "In Norway."}
      {"question": "Where is Oslo?", "choices": ["In Italy", "In Norway"], "answer": 1}
      {"prompt": "Where is Oslo?", "response_0": "No idea.", "response_1": "In Norway.", "better_response_id": 1}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {"messages": [{"role":"user","content":"Oslo is in Norway.\nWhere is Oslo?"}, {"role":"assistant","content":"In Norway."}]}
      {
        "messages": [
          {"role":"user","content":"Where is Oslo?\nA. In Italy\nB. In Norway"},
          {"role":"assistant","content":"B. In Norway"}
        ]
      }
      {"messages": [{"role":"user","content":"Where is Oslo?"}, {"role":"assistant","content":"In Norway."}]}
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

  expect sink "train" {
    rows = <<-EOT
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

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"Hi"},
          {"role":"assistant","content":"Hello."}
        ]
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

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"Hi"},
          {"role":"assistant","content":"Hello."}
        ]
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

  expect sink "train" {
    rows = <<-EOT
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
    EOT
  }
}

test "Gemini contents" {
  input "corpus" {
    rows = <<-EOT
      {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Hello."}]}]}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}
    EOT
  }
}

test "a session of the Agent Development Kit" {
  input "corpus" {
    rows = <<-EOT
      {"id": "s1", "app_name": "shop", "events": [
        {"author": "user", "content": {"role": "user", "parts": [{"text": "A red dress?"}]}},
        {"author": "shop_agent", "content": {"role": "model", "parts": [{"function_call": {"id": "c1", "name": "find", "args": {"q": "dress"}}}]}},
        {"author": "shop_agent", "content": {"role": "user", "parts": [{"function_response": {"id": "c1", "name": "find", "response": {"n": 2}}}]}},
        {"author": "shop_agent", "content": {"role": "model", "parts": [{"text": "There are two."}]}}
      ]}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"user","content":"A red dress?"},
          {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"q\":\"dress\"}"}}]
          },
          {"role":"tool","tool_call_id":"c1","name":"find","content":"{\"n\":2}"},
          {"role":"assistant","content":"There are two."}
        ]
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

  expect sink "train" {
    rows = <<-EOT
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

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"user","content":"Build it."},
          {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"id":"c1","type":"function","function":{"name":"run","arguments":"{\"cmd\":\"ls\"}"}}]
          },
          {"role":"tool","tool_call_id":"c1","name":"run","content":"a.c"},
          {"role":"assistant","content":"Built."}
        ]
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

  expect sink "train" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"How do I knit?"},{"role":"assistant","content":"With two needles."}]}
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

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"Hi"},
          {"role":"assistant","content":"Hello."}
        ]
      }
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"Bye"},
          {"role":"assistant","content":"So long."}
        ]
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

  expect sink "train" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}
    EOT
  }
}

test "a span of OpenInference" {
  input "corpus" {
    rows = <<-EOT
      {"attributes": {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Rain in Rome?",
        "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "No."
      }}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"Rain in Rome?"},{"role":"assistant","content":"No."}]}
    EOT
  }
}

test "messages" {
  input "corpus" {
    rows = <<-EOT
      {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}
    EOT
  }
}

test "steps of thought, action and observation" {
  input "corpus" {
    rows = <<-EOT
      {"question": "Is it up?", "steps": [
        {"thought": "Look at the pods.", "action": {"tool_name": "get_pods", "tool_args": {"namespace": "d"}}, "observation": "all run"}
      ], "final_answer": "It is."}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"user","content":"Is it up?"},
          {
            "role": "assistant",
            "content": "",
            "reasoning_content": "Look at the pods.",
            "tool_calls": [{"id":"call_0","type":"function","function":{"name":"get_pods","arguments":"{\"namespace\":\"d\"}"}}]
          },
          {"role":"tool","tool_call_id":"call_0","name":"get_pods","content":"all run"},
          {"role":"assistant","content":"It is."}
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

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"system","content":"Be kind."},
          {"role":"user","content":"Hi"},
          {
            "role": "assistant",
            "content": "",
            "reasoning_content": "t",
            "tool_calls": [
              {"id":"call_0","type":"function","function":{"name":"REPLY","arguments":"{\"text\":\"Hello.\"}"}}
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
    EOT
  }
}

test "a text in ChatML" {
  input "corpus" {
    rows = <<-EOT
      {"text": "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello.<|im_end|>"}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}
    EOT
  }
}

test "a question and an answer in columns" {
  input "corpus" {
    rows = <<-EOT
      {"instruction": "Hi", "output": "Hello."}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}
    EOT
  }
}

test "a row goes to the split that it names" {
  input "corpus" {
    rows = <<-EOT
      {"instruction": "one", "output": "1", "split": "validation"}
      {"instruction": "two", "output": "2", "split": "test"}
      {"instruction": "three", "output": "3", "split": "train"}
    EOT
  }

  expect sink "val" {
    contains = <<-EOT
      {"messages": [{"content": "one"}, {"content": "1"}]}
    EOT
    count    = 1
  }

  expect sink "test" {
    contains = <<-EOT
      {"messages": [{"content": "two"}, {"content": "2"}]}
    EOT
    count    = 1
  }

  expect sink "train" {
    count = 1
  }
}

test "retired names of actions become current ones" {
  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "List the files."},
          {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "RUN_COMMAND", "arguments": "{\"command\": \"ls\"}"}}
          ]}
        ],
        "tools": [{"type": "function", "function": {"name": "RUN_COMMAND", "parameters": {"type": "object", "properties": {}}}}]
      }
    EOT
  }

  expect sink "train" {
    contains = <<-EOT
      {"tools": [{"function": {"name": "SHELL"}}]}
    EOT
  }
}

test "personal data is taken out and told in the ledger" {
  input "corpus" {
    rows = <<-EOT
      {"instruction": "Write to ada.lovelace@engines.org.", "output": "Done."}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"Write to <EMAIL_ADDRESS>."},{"role":"assistant","content":"Done."}]}
    EOT
  }

  expect output "redact.ledger" {
    contains = <<-EOT
      {"file": "corpus.jsonl", "line": 1, "step": "privacy.redact", "path": "request.messages.0.content"}
    EOT
    count    = 1
  }
}

test "a row for a family of models" {
  variables = { target = "qwen3" }

  input "corpus" {
    rows = <<-EOT
      {"instruction": "Hi", "output": "Hello."}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}
    EOT
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

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"Which tests fail?"},
          {"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"shell","arguments":"{\"cmd\":\"go test\"}"}}]},
          {"role":"tool","tool_call_id":"c1","name":"shell","content":"ok"},
          {"role":"assistant","content":"None."}
        ]
      }
    EOT
  }
}

test "what has no shape, no user, or is no JSON is rejected by name" {
  input "corpus" {
    text = <<-EOT
      {"note": "no shape that anyone knows"}
      {"format": "eliza_native_v1", "request": {"messages": []}, "response": {"text": "Hello."}}
      {"messages":
    EOT
  }

  expect reject {
    code = "declined"
    line = 1
  }

  expect reject {
    step = "canonical"
    line = 2
  }

  expect reject {
    code = "invalid_json"
    line = 3
  }

  expect sink "train" {
    count = 0
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
    code = "untrained_turn"
  }
}

test "a trainer that reads weights gets them" {
  variables = {
    untrained = "weight"
  }

  input "corpus" {
    rows = <<-EOT
      {"messages": [
        {"role": "user", "content": "a"}, {"role": "assistant", "content": "wrong", "weight": 0},
        {"role": "user", "content": "b"}, {"role": "assistant", "content": "right"}
      ]}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"user","content":"a"},
          {"role":"assistant","content":"wrong","weight":0},
          {"role":"user","content":"b"},
          {"role":"assistant","content":"right"}
        ]
      }
    EOT
  }
}

test "a result in the text of an answer comes behind its call" {
  input "corpus" {
    rows = <<-EOT
      {"messages": [
        {"role": "user", "content": "How warm is it?"},
        {"role": "assistant", "content": "<tool_call>{\"name\": \"warmth\", \"arguments\": {}}</tool_call><tool_response>12</tool_response>12 degrees."}
      ]}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"user","content":"How warm is it?"},
          {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id":"call_0","type":"function","function":{"name":"warmth","arguments":"{}"}}]
          },
          {"role":"tool","tool_call_id":"call_0","name":"warmth","content":"12"},
          {"role":"assistant","content":"12 degrees."}
        ]
      }
    EOT
  }
}

test "the answer of a rollout is in its response" {
  input "corpus" {
    rows = <<-EOT
      {
        "responses_create_params": {"input": [
          {"role": "user", "content": "a"}, {"role": "assistant", "content": "earlier"}, {"role": "user", "content": "b"}
        ]},
        "response": {"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "later"}]}]}
      }
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"user","content":"a"},
          {"role":"assistant","content":"earlier"},
          {"role":"user","content":"b"},
          {"role":"assistant","content":"later"}
        ]
      }
    EOT
  }
}

test "what went wrong, scored low, or has nothing but marks for an answer is rejected by name" {
  input "corpus" {
    rows = <<-EOT
      {"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "status": "errored", "request": {"prompt": "Hi"}, "response": {"text": "Oh."}}
      {"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "judgeScore": 0.1, "request": {"prompt": "Hi"}, "response": {"text": "Oh."}}
      {"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "request": {"prompt": "Hi"}, "response": {"text": "[REDACTED]"}}
      {"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "request": {"prompt": "Hi"}, "response": {"text": "Oh", "finishReason": "length"}}
      {"format": "eliza_native_v1", "schemaVersion": 2, "boundary": "vercel_ai_sdk.generateText", "request": {"prompt": "Hi"}, "response": {"text": "Oh."}}
      {"prompt": "Whom do I write to?", "completion": "ann.lee@example.org", "metadata": {"split": "train"}}
    EOT
  }

  expect reject {
    step = "gates"
    code = "errored"
    line = 1
  }

  expect reject {
    step = "gates"
    code = "low_reward"
    line = 2
  }

  expect reject {
    step = "gates"
    code = "masked"
    line = 3
  }

  expect reject {
    step = "canonical"
    code = "truncated_response"
    line = 4
  }

  expect reject {
    step = "canonical"
    code = "bad_version"
    line = 5
  }

  expect reject {
    step = "gates"
    code = "masked"
    line = 6
  }

  expect sink "train" {
    count = 0
  }
}

test "a cut answer is kept when asked, and tools are a text" {
  variables = { cut = "keep", tools = "string" }

  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"prompt": "Hi", "tools": [{"name": "A", "description": "a", "parameters": {"type": "object", "properties": {}}}]},
        "response": {"text": "Oh", "finishReason": "length"}
      }
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [{"role":"user","content":"Hi"},{"role":"assistant","content":"Oh"}],
        "tools": "[{\"type\":\"function\",\"function\":{\"name\":\"A\",\"description\":\"a\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}]"
      }
    EOT
  }
}

test "shapes that others would read otherwise" {
  input "corpus" {
    rows = <<-EOT
      {"text": "<|role|>developer<|content|>Be brief.<|role|>user<|content|>Hi<|role|>assistant<|format|>markdown<|content|>Hello.<|end_turn|>"}
      {"schemaVersion": "bedrock-conversation-2024", "messages": [
        {"role": "user", "content": [{"text": "Oslo?"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "weather", "input": {"city": "Oslo"}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "Rain"}]}}]},
        {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "Wet."}}}, {"text": "It rains."}]}
      ]}
      {
        "prompt": "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", "completion": "Hello.<|im_end|>",
        "text": "<|im_start|>user\nwhat the columns repeat<|im_end|>\n<|im_start|>assistant\nHello.<|im_end|>"
      }
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"system","content":"Be brief."},
          {"role":"user","content":"Hi"},
          {"role":"assistant","content":"Hello."}
        ]
      }
      {
        "messages": [
          {"role":"user","content":"Oslo?"},
          {
            "role": "assistant",
            "content": "",
            "tool_calls": [
              {"id":"t1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}
            ]
          },
          {"role":"tool","tool_call_id":"t1","name":"weather","content":"Rain"},
          {"role":"assistant","content":"It rains.","reasoning_content":"Wet."}
        ]
      }
      {"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}
    EOT
  }
}

test "retired names become current ones in what an adapter makes" {
  input "corpus" {
    rows = <<-EOT
      {
        "roomName": "r", "agentId": "Ada", "memoryEntries": [],
        "currentMessage": {"role": "user", "speaker": "bob", "content": "List the files.", "channel": "dm"},
        "expectedResponse": "{\"thought\":\"t\",\"actions\":[\"RUN_COMMAND\"],\"text\":\"Here.\"}",
        "availableActions": ["RUN_COMMAND", "IGNORE"],
        "metadata": {"task_type": "reply"}
      }
    EOT
  }

  expect sink "train" {
    contains = <<-EOT
      {"tools": [{"function": {"name": "SHELL"}}, {"function": {"name": "IGNORE"}}]}
    EOT
    count    = 1
  }
}

test "a result without its call is the user's word" {
  input "corpus" {
    rows = <<-EOT
      {"messages": [
        {"role": "user", "content": "How warm is it?"},
        {"role": "tool", "tool_call_id": "c9", "name": "warmth", "content": "12"},
        {"role": "assistant", "content": "12 degrees."}
      ]}
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"user","content":"How warm is it?"},
          {"role":"user","content":"12"},
          {"role":"assistant","content":"12 degrees."}
        ]
      }
    EOT
  }
}

test "no row passes without the recogniser that was asked for" {
  variables = {
    recogniser = ["whoami"] # which answers no request
  }

  input "corpus" {
    rows = <<-EOT
      {"instruction": "Whom do I ask?", "output": "Ask Maria Lopez."}
    EOT
  }

  expect reject {
    step = "redact"
    code = "backend"
  }

  expect sink "train" {
    count = 0
  }
}

test "a row that went wrong is rejected for that, whatever split it says" {
  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "status": "errored",
        "request": {"prompt": "Hi"}, "response": {"text": "Oh."}, "metadata": {"split": "nowhere"}
      }
      {"instruction": "Hi", "output": "Hello.", "split": "nowhere"}
    EOT
  }

  expect reject {
    step = "gates"
    code = "errored"
    line = 1
  }

  expect reject {
    step = "split"
    code = "unknown_split"
    line = 2
  }
}

test "calls that do not fit their tools are written" {
  input "corpus" {
    rows = <<-EOT
      {
        "messages": [
          {"role": "user", "content": "List the files."},
          {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "SHELL", "arguments": "{\"dir\": 1}"}}]}
        ],
        "tools": [{"type": "function", "function": {"name": "SHELL", "parameters": {"type": "object", "properties": {"dir": {"type": "string"}}, "required": ["dir"]}}}]
      }
      {
        "messages": [
          {"role": "user", "content": "List the files."},
          {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "SHELL", "arguments": "{}"}}]}
        ],
        "tools": [{"type": "function", "function": {"name": "READ", "parameters": {"type": "object", "properties": {}}}}]
      }
    EOT
  }

  expect sink "train" {
    count = 2
  }
}

test "an answer that was held back is kept when asked, too" {
  variables = { cut = "keep" }

  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"prompt": "Hi"}, "response": {"text": "Oh", "finishReason": "content-filter"}
      }
    EOT
  }

  expect sink "train" {
    count = 1
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
  variables = { unfinished = "keep" }

  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
        "request": {"prompt": "Which fruit is green?"}, "response": {"text": "The lime."}, "metadata": {"status": "active"}
      }
    EOT
  }

  expect sink "train" {
    count = 1
  }
}

# These are of val and of test where a split is drawn.
test "a row that names no split is of train" {
  input "corpus" {
    rows = <<-EOT
      {"instruction": "What is a sour lime?", "output": "A lime that is sour."}
      {"instruction": "What is a sweet cherry?", "output": "A cherry that is sweet."}
      {"instruction": "What is a sour melon?", "output": "A melon that is sour."}
      {"instruction": "What is a ripe olive?", "output": "A olive that is ripe."}
    EOT
  }

  expect sink "train" {
    count = 4
  }
}

test "arguments of calls as the templates of a family take them" {
  variables = { target = "qwen3" }

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

  expect sink "train" {
    contains = <<-EOT
      {"messages": [{"content": "List the files."}, {"tool_calls": [{"function": {"arguments": {"command": "ls"}}}]}]}
    EOT
  }
}

test "tools that the templates of a family do not show are left out" {
  variables = { target = "phi3", hidden_tools = "drop" }

  input "corpus" {
    rows = <<-EOT
      {
        "messages": [{"role": "user", "content": "List the files."}, {"role": "assistant", "content": "Of which folder?"}],
        "tools": [{"type": "function", "function": {"name": "SHELL", "parameters": {"type": "object", "properties": {}}}}]
      }
    EOT
  }

  expect sink "train" {
    rows = <<-EOT
      {"messages": [{"role": "user", "content": "List the files."}, {"role": "assistant", "content": "Of which folder?"}]}
    EOT
  }
}

test "an address in a retired name does not get past as part of the current one" {
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

  expect sink "train" {
    contains = <<-EOT
      {"tools": [{"function": {"name": "<EMAIL_ADDRESS>"}}]}
    EOT
    count    = 1
  }
}

test "rejects have current names, since the alias step comes before the gates" {
  input "corpus" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "status": "errored",
        "request": {"prompt": "Hi", "tools": [{"name": "RUN_COMMAND", "description": "a", "parameters": {"type": "object", "properties": {}}}]},
        "response": {"text": "Oh."}
      }
    EOT
  }

  expect reject {
    step = "gates"
  }

  never "a retired name" {
    rejects = true
    matches = "RUN_COMMAND"
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

  expect sink "train" {
    rows = <<-EOT
      {"messages": [{"role": "system", "content": "You are Ada, who keeps the books."}, {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    EOT
  }
}
