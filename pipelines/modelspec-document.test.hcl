# Documents in the notation of the specification.

test "a thread with a correct and an incorrect answer is a thread and a preference" {
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

  expect output "read.findings" {
    count = 0
  }
}

test "a document without a thread makes no row" {
  input "documents" {
    text = "Only words.\n"
  }

  expect sink "threads" {
    count = 0
  }

  expect sink "preferences" {
    count = 0
  }
}

test "a document whose only thread is wrong is rejected" {
  input "documents" {
    text = <<-EOT
      <Thread>
      <Message role="nobody">Hi</Message>
      </Thread>
    EOT
  }

  expect reject {
    code = "bad_document"
    step = "read"
  }
}
