# The only entry point: people, pre-commit and CI all call these targets.
.DEFAULT_GOAL := help
.PHONY: help

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
