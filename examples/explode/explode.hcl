# The plugin is the program sluice-plugin-explode, found beside this file.

variable "input" {
  default = "${pipeline.dir}/rows.jsonl"
}

variable "out" {
  default = "out/explode"
}

source "jsonl" "rows" {
  paths = [var.input]
}

step "explode" "turns" {
  list = "turns"
  kind = "role"
  keep = ["id"]
}

sink "jsonl" "turns" {
  path = "${var.out}/{kind}.jsonl"
}
