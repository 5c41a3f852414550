# The plugin is the program sluice-plugin-dedup, found beside this file.

variable "input" {
  default = "${pipeline.dir}/rows.jsonl"
}

variable "out" {
  default = "out"
}

source "jsonl" "rows" {
  paths = [var.input]
}

step "dedup" "ids" {
  key = "id"
}

sink "jsonl" "unique" {
  path = "${var.out}/unique.jsonl"
}
