"""The tasks of public benchmarks, by name: where their files lie, and what stands in them."""
