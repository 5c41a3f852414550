# The main job: trajectories and the legacy shapes around them become ChatML rows, with retired action names and
# the personal data and secrets that rules find replaced. Rules miss values, and do not look for names of people, postal
# addresses without STREET_ADDRESS, user names, number plates or diagnoses: sluice docs privacy lists what they look for.

variable "input" {
  description = "which files to read: JSON Lines, documents, or documents with their records under a member such as rows"
  default     = "${pipeline.dir}/../examples/corpus/*.jsonl"
}

variable "out" {
  description = "the folder to write to"
  default     = "out"
}

variable "target" {
  description = "the family of models whose chat template the rows are for, such as qwen3; none for any"
  default     = ""
}

variable "template" {
  description = "the chat template that the ChatML rows are for, or a tokenizer_config.json that has one: what it shows is the target"
  default     = ""
}

variable "python" {
  description = "the Python with jinja2, or with transformers, that tries the template; none for python3"
  default     = ""
}

variable "recogniser" {
  description = "the program that finds names of persons and addresses, with its arguments; none: no rule finds them, and they stay"
  type        = list(string)
  default     = null
}

variable "untrained" {
  description = "what becomes of rows with an earlier answer that is marked as not to be trained on: reject; count, which trains on it; or weight or train, which mark it for trainers that read that member"
  default     = "reject"
}

variable "cut" {
  description = "reject or keep: answers that ran into the limit of tokens, or that the provider held back"
  default     = "reject"
}

variable "unfinished" {
  description = "reject or keep: rows of runs that were not over when they were exported, such as active ones; how these ended nobody knows"
  default     = "reject"
}

variable "tools" {
  description = "list or string: how ChatML rows hold tools; readers that want one type in a column take a string"
  default     = "list"
}

variable "hidden_tools" {
  description = "reject or drop: rows with tools that the template of the target does not show; drop leaves the tools out"
  default     = "reject"
}

variable "prompt_registry" {
  description = "a file of prompt templates by task, for flat records that have no system text; none: the text that the tooling falls back on"
  default     = ""
}

source "auto" "corpus" {
  paths = [var.input]
}

# adapters.steps.hcl has a step for each shape, and the first that does not decline takes the record. A step of your own goes
# before the include block. A result whose call is not in the row is the user's word, since no template shows it otherwise.
first "shape" {
  orphan_results = "user"

  include "adapters" {
    file            = "adapters.steps.hcl"
    allow           = var.cut == "keep" ? ["truncated_response", "filtered_response"] : []
    prompt_registry = var.prompt_registry
  }
}

# The rules find what has a form: secrets, numbers, e-mail addresses. Names of persons and street addresses have none and
# stay, unless a recogniser finds them, such as the one in examples/recognisers:
#
#   --var 'recogniser=["venv/bin/python","examples/recognisers/names_addresses.py"]'
step "privacy" "redact" {
  profile = "standard"
  backend = var.recogniser == null ? null : { command = var.recogniser }

  host {
    env = var.recogniser == null ? null : ["PATH", "HOME"] # to find the program, and what it keeps in the home folder
  }

  output "ledger" {
    sink "jsonl" "ledger" {
      path = "${var.out}/ledger.jsonl"
    }
  }
}

# Behind privacy, which knows an address in a name no more once the name was rewritten.
step "alias" "actions" {
  file = "${pipeline.dir}/aliases/eliza.json"
}

# What is not worth training on is rejected by name, as in prepare.hcl.
step "quality" "gates" {
  gates = {
    undeclared_call      = "label"
    arguments_off_schema = "label"
    untrained_turn       = "off" # step chatml has the variable
    unfinished           = var.unfinished == "keep" ? "label" : "reject"
    truncated            = var.cut == "keep" ? "label" : "reject"
    filtered             = var.cut == "keep" ? "label" : "reject"
  }
}

# A row is of the split that it says itself, else of train. prepare.hcl draws splits.
step "split" "split" {
  val  = 0
  test = 0
}

step "chatml" "row" {
  target        = var.target
  chat_template = var.template
  python        = var.python
  untrained     = var.untrained
  hidden_tools  = var.hidden_tools
  tools         = var.tools

  host {
    env = var.template == "" ? null : ["PATH", "HOME"] # to find the Python that tries the template, as a shim or in a venv
  }
}

route "split" {
  on             = "@split"
  rejects_others = true # the steps above take no rows of the repair loop and for calibration

  case "train" {
    sink "jsonl" "train" {
      path = "${var.out}/train.jsonl"
    }
  }

  case "val" {
    sink "jsonl" "val" {
      path = "${var.out}/val.jsonl"
    }
  }

  case "test" {
    sink "jsonl" "test" {
      path = "${var.out}/test.jsonl"
    }
  }
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
