# Rewrites a corpus in any shape to canonical rows, once and for all. Canonical rows stay as they are, byte for byte, so
# that migrating twice changes nothing. The report says which shapes the corpus still has; delete the block of one that
# it has no more.
#
# Personal data and secrets stay unless privacy is true: prepare.hcl, which makes the rows to train on, replaces what its
# rules find.

variable "input" {
  description = "which files to read: JSON Lines, documents, or documents with their records under one member"
  default     = "${pipeline.dir}/../examples/corpus/*.jsonl"
}

variable "out" {
  description = "the folder to write to"
  default     = "out"
}

variable "aliases" {
  description = "replace retired action names"
  default     = false
}

variable "privacy" {
  description = "replace the personal data and secrets that rules find"
  default     = false
}

variable "repair" {
  description = "reject or keep: rows of the repair loop, which no step for training takes"
  default     = "reject"
}

source "auto" "corpus" {
  paths = [var.input]
}

# Ranked: what declares its format comes first, then what shows marks that no other format has, then what is told by
# the names of its columns alone. eliza-sft.hcl and prepare.hcl have the same steps in the same order. Here nothing is
# changed that a template would not show: results without a call stay as they are.
first "shape" {
  report = "${var.out}/migration.json"

  # Declares its format. Nothing is changed.
  step "native" "canonical" {
    allow = concat(["orphan_result"], var.repair == "keep" ? ["repair_split", "unsuccessful", "requires_repair"] : [])
  }

  # Declares its schema. It also has messages, which are only half of it.
  step "bootstrap" "stages" {
    repair = var.repair
  }

  # Messages with formats, or token text behind <|role|>; before the readers of plain messages, which would lose these.
  step "modelspec-thread" "thread" {
    repair = var.repair
  }

  # Messages whose blocks say by their one member what they are.
  step "bedrock" "converse" {
    repair = var.repair
  }

  # Messages with marks of that interface: a system beside them, blocks, input_schema.
  step "anthropic" "claude" {
    repair = var.repair
  }

  # Contents with parts, or messages with authors.
  step "gemini" "gemini" {
    repair = var.repair
  }

  # Events with a source and an action or observation.
  step "openhands" "events" {
    repair = var.repair
  }

  # Sessions of coding agents: the events of Claude Code, Codex, OpenClaw and opencode.
  step "session" "agents" {
    repair = var.repair
  }

  # Steps that hold model calls. A row for each call, so it comes before what reads one list of messages.
  step "atif" "atif" {
    repair = var.repair
  }
  step "oasst" "trees" {
    repair = var.repair
  }
  step "trajectory" "runs" {
    repair = var.repair
  }

  # A prompt and a completion that are one rendered text. As messages they would keep its marks as words.
  step "chat-text" "rendered" {
    fields = ["prompt+completion"]
    repair = var.repair
  }

  # Every other list of messages; before the columns of texts, which often repeat it.
  step "messages" "messages" {
    repair = var.repair
  }

  # A current message and what was expected of it.
  step "react" "steps" {
    repair = var.repair
  }
  step "eliza-record" "flat" {
    repair = var.repair
  }

  # One text that begins with a turn of a known dialect; before the pairs, which ask less.
  step "chat-text" "text" {
    repair = var.repair
  }

  # A question and an answer in columns, by their names alone.
  step "pair" "pair" {
    repair = var.repair
  }
}

step "alias" "actions" {
  file = "${pipeline.dir}/aliases/eliza.json"

  host {
    enabled = var.aliases
  }
}

step "privacy" "redact" {
  host {
    enabled = var.privacy
  }

  output "ledger" {
    sink "jsonl" "ledger" {
      path = "${var.out}/ledger.jsonl"
    }
  }
}

# What is written is what the first step takes, whichever step it came from.
step "native" "check" {
  allow = concat(["orphan_result"], var.repair == "keep" ? ["repair_split", "unsuccessful", "requires_repair"] : [])
}

sink "jsonl" "canonical" {
  path       = "${var.out}/canonical.jsonl"
  unfiltered = true # these rows go through prepare.hcl before they are trained on
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
