# The plugin is the program sluice-plugin-unique, found beside this file.

variable "input" {
  default = "${pipeline.dir}/rows.jsonl"
}

variable "out" {
  default = "out/unique"
}

source "jsonl" "rows" {
  paths = [var.input]
}

step "unique" "ids" {
  key = "id"
}

sink "jsonl" "unique" {
  path = "${var.out}/unique.jsonl"
}
