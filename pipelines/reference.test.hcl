# The rows of the Python tooling, byte for byte.

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
    bytes = true
    rows  = <<-EOT
      {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
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
    bytes = true
    rows  = <<-EOT
      {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    EOT
  }
}

test "a flat record of the runtime" {
  input "corpus" {
    rows = <<-EOT
      {
        "roomName": "r", "agentId": "Ada", "memoryEntries": [],
        "currentMessage": {"role": "user", "speaker": "bob", "content": "Hi", "channel": "dm"},
        "expectedResponse": "Hello.",
        "availableActions": ["REPLY", "IGNORE"],
        "metadata": {"task_type": "reply", "system_prompt": "Be kind."}
      }
    EOT
  }

  expect sink "train" {
    bytes = true
    rows  = <<-EOT
      {"messages": [{"role": "system", "content": "Be kind.\n\nAvailable actions: REPLY, IGNORE"}, {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    EOT
  }
}

test "personal data is taken out of the finished row" {
  input "corpus" {
    rows = <<-EOT
      {"messages": [{"role": "user", "content": "I am ada.lovelace@engines.org."}, {"role": "assistant", "content": "Hello."}]}
    EOT
  }

  expect sink "train" {
    bytes = true
    rows  = <<-EOT
      {"messages": [{"role": "user", "content": "I am <REDACTED:contact-email>."}, {"role": "assistant", "content": "Hello."}]}
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
