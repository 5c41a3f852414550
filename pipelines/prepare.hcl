# From trajectories to a training set: canonical rows of any shape's records, with retired action names and the personal data
# and secrets that rules find replaced, each once and in one split, and the ChatML rows that are rendered from them. Rules miss
# values, and do not look for names of people, postal addresses without STREET_ADDRESS, user names, number plates or
# diagnoses: sluice docs privacy lists what they look for.
#
#   canonical/{train,val,test}.jsonl            the corpus
#   canonical/{repair_eval,calibration}.jsonl   what is of the corpus and not to be trained on
#   chatml/{train,val,test}.jsonl               derived from it
#   manifest.json                               the files, how many rows they have, their hashes, how they were made
#   ledger, pairs, stats, rejects .jsonl        what was replaced, what came twice, what there is, what was not accepted
#   findings.jsonl                              with check=true, what sluice check finds in the rows, whether it rejects them or not

variable "input" {
  description = "which files to read: JSON Lines, documents, or documents with their records under a member such as rows"
  default     = "${pipeline.dir}/../examples/corpus/*.jsonl"
}

variable "first" {
  description = "files to read before input, such as those of test: of two rows that say the same the first stays"
  type        = list(string)
  default     = []
}

variable "out" {
  description = "the folder to write to"
  default     = "out/prepare"
}

variable "target" {
  description = "the family of models whose chat template the ChatML rows are for, such as qwen3; none for any"
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

variable "misfits" {
  description = "what becomes of rows that call what they do not offer, or with arguments that do not fit: label, drop or reject"
  default     = "label"
}

variable "check" {
  description = "true holds the corpus to its own format as sluice check does, in a sixth more of the time; else what the gates let through is written"
  default     = false
}

variable "allow" {
  description = "codes of sluice check that rows of the corpus may have, such as wrong_type"
  type        = list(string)
  default     = []
}

variable "seed" {
  description = "another seed makes other splits"
  default     = "sluice"
}

variable "val" {
  description = "share of trajectories for val"
  default     = 0.05
}

variable "test" {
  description = "share of trajectories for test"
  default     = 0.05
}

variable "respect" {
  description = "row or never: whether what a row says of its split goes before the seed"
  default     = "row"
}

variable "near" {
  description = "from which similarity on rows are near duplicates, 0.5 to 1; 0 for exact ones only"
  default     = 0.8
}

variable "prefixes" {
  description = "drop or keep: rows that are the beginning of an earlier one of their trajectory"
  default     = "drop"
}

variable "across" {
  description = "drop or keep: rows that say what a row of another split says; keep is for the first of two runs"
  default     = "drop"
}

variable "held_out" {
  description = "files of canonical rows that must not be in train, nor what is like them"
  type        = list(string)
  default     = []
}

variable "longer" {
  description = "files of canonical rows whose beginnings are left out: what an earlier run wrote"
  type        = list(string)
  default     = []
}

variable "rates" {
  description = "how many times rows of train come out, by source: { code = 2, chat = 0.25 }; sluice stats --shares computes them"
  type        = map(number)
  default     = {}
}

variable "rate" {
  description = "the same for sources that rates does not name"
  default     = 1
}

variable "sources" {
  description = "gjson paths and @LABELs of which the first that is there names the source of a row, for rates and statistics"
  type        = list(string)
  default     = ["@source", "metadata.source_dataset", "metadata.source", "metadata.dataset"]
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
  paths = concat(var.first, [var.input])
}

# The adapters of migrate.hcl. Rows of the repair loop and for calibration are kept, for files of their own.
first "shape" {
  orphan_results = "user"
  repair         = "keep"
  calibration    = "keep"

  include "adapters" {
    file            = "adapters.steps.hcl"
    allow           = concat(["repair_split", "unsuccessful", "requires_repair"], var.cut == "keep" ? ["truncated_response", "filtered_response"] : [])
    prompt_registry = var.prompt_registry
  }
}

# By what the records themselves say, so that other aliases or another filter move nothing to another split.
step "split" "split" {
  seed     = var.seed
  val      = var.val
  test     = var.test
  respect  = var.respect
  metadata = true
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

# What is written is what native takes, whichever step it came from.
step "native" "check" {
  allow = concat(["repair_split", "unsuccessful", "requires_repair"], var.cut == "keep" ? ["truncated_response", "filtered_response"] : [])
}

# What is not worth training on is rejected by name. Rows of the repair loop are in the corpus for what is wrong with them.
step "quality" "gates" {
  gates = {
    repair               = "pass"
    undeclared_call      = var.misfits
    arguments_off_schema = var.misfits
    unfinished           = var.unfinished == "keep" ? "label" : "reject"
    truncated            = var.cut == "keep" ? "label" : "reject"
    filtered             = var.cut == "keep" ? "label" : "reject"
    untrained_turn       = var.untrained == "reject" ? "reject" : "off"
  }
}

# When asked, the corpus is held to its own format, so that sluice check finds nothing wrong with what is written: tools without names, a
# number where a text belongs. Before dedup, which would leave out a right row for a wrong one.
step "check" "rows" {
  allow = concat(["undeclared_call"], var.allow) # the gates have that one

  host {
    enabled = var.check
  }

  output "findings" {
    sink "jsonl" "findings" {
      path = "${var.out}/findings.jsonl"
    }
  }
}

# What dedup compares, made by all workers, since dedup has one.
step "fingerprint" "fingerprint" {
  near = var.near
}

step "dedup" "dedup" {
  near     = var.near
  prefixes = var.prefixes
  across   = var.across
  held_out = var.held_out
  longer   = var.longer

  output "pairs" {
    sink "jsonl" "pairs" {
      path = "${var.out}/pairs.jsonl"
    }
  }
}

# Behind dedup, which would drop the copies. Without rates there is nothing to draw, and no process for it.
step "mix" "mix" {
  by    = var.sources
  rates = var.rates
  rate  = var.rate
  seed  = var.seed

  host {
    enabled = var.rate != 1 || jsonencode(var.rates) != "{}"
  }
}

step "stats" "stats" {
  source = var.sources

  output "stats" {
    sink "jsonl" "stats" {
      path = "${var.out}/stats.jsonl"
    }
  }
}

# Rows of the repair loop and for calibration are in the corpus and never rendered.
route "auxiliary" {
  on = "@split"

  case "repair_eval" {
    sink "jsonl" "repair_eval" {
      path = "${var.out}/canonical/repair_eval.jsonl"
    }
  }

  case "calibration" {
    sink "jsonl" "calibration" {
      path = "${var.out}/canonical/calibration.jsonl"
    }
  }

  default {}
}

tee "canonical" {
  route "canonical" {
    on = "@split"

    case "train" {
      sink "jsonl" "canonical_train" {
        path = "${var.out}/canonical/train.jsonl"
      }
    }

    case "val" {
      sink "jsonl" "canonical_val" {
        path = "${var.out}/canonical/val.jsonl"
      }
    }

    case "test" {
      sink "jsonl" "canonical_test" {
        path = "${var.out}/canonical/test.jsonl"
      }
    }
  }
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

route "chatml" {
  on = "@split"

  case "train" {
    sink "jsonl" "chatml_train" {
      path = "${var.out}/chatml/train.jsonl"
    }
  }

  case "val" {
    sink "jsonl" "chatml_val" {
      path = "${var.out}/chatml/val.jsonl"
    }
  }

  case "test" {
    sink "jsonl" "chatml_test" {
      path = "${var.out}/chatml/test.jsonl"
    }
  }
}

manifest {
  path = "${var.out}/manifest.json"
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
