# What is to be trained on in the Modular Model Spec: documents in its own notation, threads and preference rows, and
# canonical rows, become checked threads, preference pairs, and token text that says which stretches to train on, with the personal
# data and secrets that rules find replaced. Documents alone, written by hand, go through modelspec-document.hcl as they are.

variable "documents" {
  description = "which documents to read"
  type        = list(string)
  default     = []
}

variable "rows" {
  description = "which files of threads, preference rows, token text or canonical rows to read"
  type        = list(string)
  default     = []
}

variable "out" {
  description = "the folder to write to"
  default     = "out/threads"
}

variable "privacy" {
  description = "replace the personal data and secrets that rules find; false only for rows that hold nothing personal"
  default     = true
}

variable "unfiltered" {
  description = "true for rows that hold nothing personal, so that a run without privacy is not warned of"
  default     = false
}

variable "notation" {
  description = "document or end_message: the tokens of the document, or its authors' later ones"
  default     = "document"
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

source "text" "documents" {
  paths    = var.documents
  optional = true
}

source "jsonl" "rows" {
  paths    = var.rows
  optional = true
}

# A document becomes threads; a row is a thread already, a canonical row, or what the check rejects.
first "shape" {
  step "modelspec-document" "document" {
    output "findings" {
      sink "jsonl" "document-findings" {
        path       = "${var.out}/document-findings.jsonl"
        unfiltered = true # what was wanted at which line, and no text
      }
    }
  }
  step "noop" "row" {}
}

# Behind the documents, in which what it puts in the place of a value would be markup. A run without it warns that its rows are not
# filtered, unless unfiltered says that this is meant.
include "redact" {
  file    = "redact.steps.hcl"
  enabled = var.privacy
  out     = var.out
}

# A canonical row becomes a thread with the current names of its actions. Threads and documents have those that their formats declare.
# Behind privacy, which knows an address in a name no more once the name was rewritten.
route "canonical" {
  on = "format"

  case "eliza_native_v1" {
    step "alias" "actions" {
      file = "${pipeline.dir}/aliases/eliza.json"
    }

    step "modelspec" "canonical" {
      calls = var.calls
      vary  = var.vary
      seed  = var.seed
    }
  }

  default {}
}

include "rules" {
  file       = "rules.steps.hcl"
  out        = var.out
  negatives  = var.negatives
  seed       = var.seed
  unfiltered = var.unfiltered
}

route "kind" {
  on = "@kind"

  case "thread" {
    tee "threads" {
      sink "jsonl" "threads" {
        path       = "${var.out}/threads.jsonl"
        unfiltered = var.unfiltered
      }
    }

    step "modelspec-tokens" "text" {
      notation = var.notation
    }

    sink "jsonl" "tokens" {
      path       = "${var.out}/tokens.jsonl"
      unfiltered = var.unfiltered
    }
  }

  case "preference" {
    tee "preferences" {
      sink "jsonl" "preferences" {
        path       = "${var.out}/preferences.jsonl"
        unfiltered = var.unfiltered
      }
    }

    step "modelspec-tokens" "pair" {
      notation = var.notation
    }

    sink "jsonl" "preference-tokens" {
      path       = "${var.out}/preference-tokens.jsonl"
      unfiltered = var.unfiltered
    }
  }
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
