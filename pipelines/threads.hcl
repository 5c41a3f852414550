# What is to be trained on in the Modular Model Spec: documents in its own notation, threads and preference rows, and
# canonical rows, become checked threads, preference pairs, and token text that says which stretches to train on.

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
  default     = "out"
}

variable "notation" {
  description = "document or end_message: the tokens of the document, or its authors' later ones"
  default     = "document"
}

source "text" "documents" {
  paths    = var.documents
  optional = true
}

source "jsonl" "rows" {
  paths    = var.rows
  optional = true
}

# A record that none of the first two takes is a thread already, or what the check declines.
first "shape" {
  step "modelspec-document" "document" {
    output "findings" {
      sink "jsonl" "document-findings" {
        path = "${var.out}/document-findings.jsonl"
      }
    }
  }
  step "modelspec" "canonical" {}
  step "noop" "thread" {}
}

step "modelspec-check" "rules" {
  output "findings" {
    sink "jsonl" "findings" {
      path = "${var.out}/findings.jsonl"
    }
  }
}

route "kind" {
  on = "chosen.0.role"

  case "" {
    tee "threads" {
      sink "jsonl" "threads" {
        path = "${var.out}/threads.jsonl"
      }
    }

    step "modelspec-tokens" "text" {
      notation = var.notation
    }

    sink "jsonl" "tokens" {
      path = "${var.out}/tokens.jsonl"
    }
  }

  default {
    tee "preferences" {
      sink "jsonl" "preferences" {
        path = "${var.out}/preferences.jsonl"
      }
    }

    step "modelspec-tokens" "pair" {
      notation = var.notation
    }

    sink "jsonl" "preference-tokens" {
      path = "${var.out}/preference-tokens.jsonl"
    }
  }
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
