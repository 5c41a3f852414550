variable "input" {
  default = "${pipeline.dir}/rows.jsonl"
}

variable "tokenizer" {
  default = "${pipeline.dir}/testdata/tokenizer.json"
}

variable "out" {
  default = "out/tokenizers"
}

plugin "tokens" {
  path = "${pipeline.dir}/tokens.py"
  env  = ["PYTHONPATH"]
}

source "jsonl" "rows" {
  paths = [var.input]
}

step "tokens" "count" {
  tokenizer = var.tokenizer

  host {
    workers = 1
  }
}

step "stats" "lengths" {
  tokens = "@tokens"

  output "stats" {
    sink "jsonl" "stats" {
      path = "${var.out}/stats.jsonl"
    }
  }
}

sink "jsonl" "rows" {
  path = "${var.out}/rows.jsonl"
}
