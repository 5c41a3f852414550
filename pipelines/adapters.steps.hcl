# The adapters as they are ranked: what declares its format comes first, then what shows marks that no other format has, then what
# is told by the names of its columns alone. The first step that does not decline takes the record. migrate.hcl, eliza-sft.hcl,
# prepare.hcl and modelspec.hcl include them in a first, whose attributes are for all of them.
#
# Delete the block of a shape that no corpus has any more, as the report of migrate.hcl says.

variable "allow" {
  description = "codes that native does not look at in canonical rows"
  type        = list(string)
  default     = []
}

variable "prompt_registry" {
  description = "a file of prompt templates by task, for flat records that have no system text; none: the text that the tooling falls back on"
  default     = ""
}

# Declares its format. Nothing is changed.
step "native" "canonical" {
  allow = var.allow
}

# Declares its schema. It also has messages, which are only half of it.
step "bootstrap" "stages" {}

# Messages with formats, or token text behind <|role|>; before the readers of plain messages, which would lose these.
step "modelspec-thread" "thread" {}

# Messages whose blocks say by their one member what they are.
step "bedrock" "converse" {}

# Messages with marks of that interface: a system beside them, blocks, input_schema.
step "anthropic" "claude" {}

# Contents with parts, or messages with authors.
step "gemini" "gemini" {}

# Events with a source and an action or observation.
step "openhands" "events" {}

# Sessions of coding agents: the events of Claude Code, Codex, OpenClaw and opencode.
step "session" "agents" {}

# Steps that hold model calls. A row for each call, so it comes before what reads one list of messages.
step "atif" "atif" {}

step "oasst" "trees" {}

step "trajectory" "runs" {}

# A prompt that is rendered, and its answer in another column. As messages they would keep the marks of the prompt as words.
step "chat-text" "rendered" {
  preset = "rendered"
}

# Every other list of messages, and exports of ChatGPT and Claude; before the columns of texts, which often repeat it.
step "messages" "messages" {}

# A current message and what was expected of it.
step "react" "steps" {}

step "eliza-record" "flat" {
  prompt_registry = var.prompt_registry
}

# One text that begins with a turn of a known dialect; before the pairs, which ask less.
step "chat-text" "text" {}

# A question and an answer in columns, by their names alone.
step "pair" "pair" {}
