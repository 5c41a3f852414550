# The plugin is the program sluice-plugin-enrich, found beside this file.

variable "input" {
  default = "${pipeline.dir}/rows.jsonl"
}

variable "service" {
  description = "the address that is asked about each name"
}

variable "out" {
  default = "out/enrich"
}

source "jsonl" "rows" {
  paths = [var.input]
}

step "enrich" "who" {
  url   = var.service
  of    = "name"
  into  = "about"
  cache = "${var.out}/answers.cache"

  host {
    timeout = "2m"
  }
}

sink "jsonl" "enriched" {
  path = "${var.out}/enriched.jsonl"
}
