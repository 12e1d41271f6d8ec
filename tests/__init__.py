"""All tests; `make check` runs the pure ones, `make test` every one of them."""
