# Documents in the notation of the Modular Model Spec itself (<Thread> elements and quoted conversations in Markdown)
# become threads, one row for each correct branch, and preference rows, one for each correct and incorrect pair. Such documents
# are written by hand, so nothing looks for personal data in them.

variable "input" {
  description = "which documents to read"
  type        = string
}

variable "out" {
  description = "the folder to write to"
  default     = "out/modelspec-document"
}

source "text" "documents" {
  paths = [var.input]
}

step "modelspec-document" "read" {
  output "findings" {
    sink "jsonl" "findings" {
      path = "${var.out}/findings.jsonl"
    }
  }
}

route "kind" {
  on = "@kind"

  case "thread" {
    sink "jsonl" "threads" {
      path       = "${var.out}/threads.jsonl"
      unfiltered = true
    }
  }

  case "preference" {
    sink "jsonl" "preferences" {
      path       = "${var.out}/preferences.jsonl"
      unfiltered = true
    }
  }
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
