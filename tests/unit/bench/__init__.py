"""What the benches compute from what they measured, and the plan by which they measure."""
