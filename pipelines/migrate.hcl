# Rewrites a corpus in any shape to canonical rows, once and for all. Canonical rows stay as they are, byte for byte, so
# that migrating twice changes nothing. The report says which shapes the corpus still has; delete the block of
# one that it has no more in adapters.steps.hcl.
#
# Personal data and secrets stay unless privacy is true: prepare.hcl, which makes the rows to train on, replaces what its
# rules find.

variable "input" {
  description = "which files to read: JSON Lines, documents, or documents with their records under a member such as rows"
  default     = "${pipeline.dir}/../examples/corpus/*.jsonl"
}

variable "out" {
  description = "the folder to write to"
  default     = "out/migrate"
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

variable "prompt_registry" {
  description = "a file of prompt templates by task, for flat records that have no system text; none: the text that the tooling falls back on"
  default     = ""
}

source "auto" "corpus" {
  paths = [var.input]
}

# The adapters of eliza-sft.hcl and prepare.hcl. Here nothing is changed that a template would not show: results without a call stay
# as they are. Steps that take repair get it from the first.
first "shape" {
  report = "${var.out}/migration.json"
  repair = var.repair

  include "adapters" {
    file            = "adapters.steps.hcl"
    allow           = concat(["orphan_result"], var.repair == "keep" ? ["repair_split", "unsuccessful", "requires_repair"] : [])
    prompt_registry = var.prompt_registry
  }
}

include "redact" {
  file    = "redact.steps.hcl"
  enabled = var.privacy
  out     = var.out
}

# Behind privacy, which knows an address in a name no more once the name was rewritten.
step "alias" "actions" {
  file = "${pipeline.dir}/aliases/eliza.json"

  host {
    enabled = var.aliases
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
