# Canonical rows, and all shapes that eliza-sft.hcl reads, become threads of the Modular Model Spec: system settings and
# messages, held against its rules, with retired action names and the personal data and secrets that rules find replaced.

variable "input" {
  description = "which files to read: JSON Lines, documents, or documents with their records under a member such as rows"
  default     = "${pipeline.dir}/../examples/corpus/*.jsonl"
}

variable "out" {
  description = "the folder to write to"
  default     = "out/modelspec"
}

variable "privacy" {
  description = "replace the personal data and secrets that rules find; false only for rows that hold nothing personal"
  default     = true
}

variable "unfiltered" {
  description = "true for rows that hold nothing personal, so that a run without privacy is not warned of"
  default     = false
}

variable "vary" {
  description = "what of the developer messages made of canonical rows differs from row to row: order, wording, schema"
  type        = list(string)
  default     = [] # all rows have the same words
}

variable "calls" {
  description = "how calls are written: auto, consecutive, array, jsonl, python or yaml"
  default     = "auto" # a message each; several at the end of a row share one, so that none is cut
}

variable "negatives" {
  description = "which mistakes to make preference rows of: format_not_enabled, undeclared_tool, call_as_text, user_enabled_format"
  type        = list(string)
  default     = [] # none
}

variable "seed" {
  description = "another seed makes other variations and other mistakes"
  default     = "sluice"
}

variable "prompt_registry" {
  description = "a file of prompt templates by task, for flat records that have no system text; none: the text that the tooling falls back on"
  default     = ""
}

source "auto" "corpus" {
  paths = [var.input]
}

# A result whose call is not in the row stays one: a thread shows it.
first "shape" {
  include "adapters" {
    file            = "adapters.steps.hcl"
    prompt_registry = var.prompt_registry
  }
}

# A run without it warns that its rows are not filtered, unless unfiltered says that this is meant.
include "redact" {
  file    = "redact.steps.hcl"
  enabled = var.privacy
  out     = var.out
}

# Behind privacy, which knows an address in a name no more once the name was rewritten. A thread keeps the names that it is made with.
step "alias" "actions" {
  file = "${pipeline.dir}/aliases/eliza.json"
}

step "modelspec" "row" {
  shape       = "row"
  tool_schema = "typescript"
  calls       = var.calls
  vary        = var.vary
  seed        = var.seed
}

include "rules" {
  file       = "rules.steps.hcl"
  out        = var.out
  negatives  = var.negatives
  seed       = var.seed
  unfiltered = var.unfiltered
}

# threads.jsonl, and preferences.jsonl where mistakes are made.
sink "jsonl" "rows" {
  path       = "${var.out}/{kind}s.jsonl"
  unfiltered = var.unfiltered
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
