# The shapes that the Python tooling reads, as they are ranked. reference.hcl and modelspec.hcl include them in a first.

step "native" "canonical" {}

step "messages" "rendered" {}

step "eliza-record" "flat" {}
