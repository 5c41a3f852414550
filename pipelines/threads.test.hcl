# Documents and rows of every kind to threads, preferences and token text.

test "a document" {
  input "documents" {
    name = "greeting.mdx"
    text = <<-EOT
      <Thread>
      <Message role="user">Hi</Message>
      <Columns>
      <Column><Message role="assistant" end_turn={true} correct={true}>Hello.</Message></Column>
      <Column><Message role="assistant" end_turn={true} correct={false}>Bye.</Message></Column>
      </Columns>
      </Thread>
    EOT
  }

  expect sink "threads" {
    rows = <<-EOT
      {
        "messages": [
          {"role":"user","content":"Hi"},
          {"role":"assistant","format":"markdown","content":"Hello.","end_turn":true,"correct":true}
        ],
        "metadata": {"document":"greeting.mdx","section":"","thread":1,"line":4,"lines":[2,4]}
      }
    EOT
  }

  expect sink "tokens" {
    rows = <<-EOT
      {
        "text": "<|role|>user<|content|>Hi<|role|>assistant<|format|>markdown<|content|>Hello.<|end_turn|>",
        "segments": [{"start":0,"end":42,"train":false},{"start":42,"end":89,"train":true}],
        "metadata": {"document":"greeting.mdx","section":"","thread":1,"line":4,"lines":[2,4]}
      }
    EOT
  }

  expect sink "preferences" {
    rows = <<-EOT
      {
        "prompt": [{"role":"user","content":"Hi"}],
        "chosen": [{"role":"assistant","format":"markdown","content":"Hello.","end_turn":true,"correct":true}],
        "rejected": [{"role":"assistant","format":"markdown","content":"Bye.","end_turn":true,"correct":false}],
        "metadata": {"document":"greeting.mdx","section":"","thread":1,"line":5,"lines":[2,4,5]}
      }
    EOT
  }

  expect sink "preference-tokens" {
    rows = <<-EOT
      {
        "prompt": "<|role|>user<|content|>Hi<|role|>assistant",
        "chosen": "<|format|>markdown<|content|>Hello.<|end_turn|>",
        "chosen_segments": [{"start":0,"end":47,"train":true}],
        "rejected": "<|format|>markdown<|content|>Bye.<|end_turn|>",
        "rejected_segments": [{"start":0,"end":45,"train":true}],
        "metadata": {"document":"greeting.mdx","section":"","thread":1,"line":5,"lines":[2,4,5]}
      }
    EOT
  }

  expect output "document.findings" {
    count = 0
  }
}

test "a canonical row" {
  input "rows" {
    rows = <<-EOT
      {"format": "eliza_native_v1", "request": {"prompt": "Hi"}, "response": {"text": "Hello."}}
    EOT
  }

  expect sink "threads" {
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

  expect sink "tokens" {
    rows = <<-EOT
      {
        "text": "<|role|>user<|content|>Hi<|role|>assistant<|format|>markdown<|content|>Hello.<|end_turn|>",
        "segments": [{"start":0,"end":42,"train":false},{"start":42,"end":89,"train":true}],
        "system_settings": {"formats":["markdown"]}
      }
    EOT
  }
}

test "a thread, and its token text, are the same row" {
  input "rows" {
    rows = <<-EOT
      {"messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "format": "markdown", "content": "Hello.", "end_turn": true}
      ]}
      {"text": "<|role|>user<|content|>Hi<|role|>assistant<|format|>markdown<|content|>Hello.<|end_turn|>"}
    EOT
  }

  expect sink "tokens" {
    rows = <<-EOT
      {
        "text": "<|role|>user<|content|>Hi<|role|>assistant<|format|>markdown<|content|>Hello.<|end_turn|>",
        "segments": [{"start":0,"end":42,"train":false},{"start":42,"end":89,"train":true}]
      }
      {
        "text": "<|role|>user<|content|>Hi<|role|>assistant<|format|>markdown<|content|>Hello.<|end_turn|>",
        "segments": [{"start":0,"end":42,"train":false},{"start":42,"end":89,"train":true}]
      }
    EOT
  }
}

test "the later notation" {
  variables = { notation = "end_message" }

  input "rows" {
    rows = <<-EOT
      {"messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "format": "markdown", "content": "Hello.", "end_turn": true}
      ]}
    EOT
  }

  expect sink "tokens" {
    rows = <<-EOT
      {
        "text": "<|role|>user<|content|>Hi<|end_message|><|role|>model<|format|>markdown<|content|>Hello.<|end_message|><|end_turn|>",
        "segments": [{"start":0,"end":53,"train":false},{"start":53,"end":115,"train":true}]
      }
    EOT
  }
}

test "a thread that breaks a rule, and one without an answer, are rejected" {
  input "rows" {
    rows = <<-EOT
      {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "format": "html", "content": "<p>", "end_turn": true}]}
      {"messages": [{"role": "user", "content": "Hi"}]}
      {"system_settings": {"formats": ["markdown"]}, "messages": [{"role": "user", "content": "Hi"}]}
      {"system_settings": {"formats": ["markdown"]}, "messages": [{"role": "user", "content": "Hi"}, null]}
    EOT
  }

  expect reject {
    step = "rules"
    line = 1
  }

  expect reject {
    line = 2
  }

  expect reject {
    step = "text"
    code = "no_target"
    line = 3
  }

  expect reject {
    step = "rules"
    code = "bad_thread"
    line = 4
  }

  expect output "rules.findings" {
    count = 2
  }
}

test "personal data goes unless that is switched off" {
  input "rows" {
    rows = <<-EOT
      {"messages":[{"role":"user","content":"I am ann@mail.io"},{"role":"assistant","format":"markdown","content":"Hello.","end_turn":true}]}
    EOT
  }

  expect sink "threads" {
    contains = <<-EOT
      {"messages": [{"content": "I am <EMAIL_ADDRESS>"}, {"content": "Hello."}]}
    EOT
  }

  expect output "redact.ledger" {
    count = 1
  }
}

test "retired names of canonical rows have no format" {
  input "rows" {
    rows = <<-EOT
      {
        "format": "eliza_native_v1", "request": {"prompt": "Who?"},
        "response": {"text": "", "toolCalls": [{"toolCallId": "c1", "toolName": "TASK_CALL", "input": {"id": 7}}]}
      }
      {
        "format": "eliza_native_v1", "request": {"prompt": "An address in a name is found before the name is rewritten."},
        "response": {"text": "", "toolCalls": [{"toolCallId": "c1", "toolName": "RUN_COMMAND_ada@engines.org", "input": {}}]}
      }
    EOT
  }

  expect sink "threads" {
    contains = <<-EOT
      {"messages": [{"role": "developer"}, {"role": "user"}, {"format": "TASKS:json"}]}
    EOT
  }

  expect reject {
    code = "tool_name"
    step = "canonical" # the mark in the place of the address is no name of a format
    line = 2
  }
}
