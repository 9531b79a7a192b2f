"""What tests of lsmtune and of its extensions are made with: conformance suites, builders, a fake engine."""
