"""What a step costs: one very large group, and very many small ones. No Spark, no bytes.

The fold says what a beat costs on its way through a cell; this says how the brain itself grows with
the group, which is what "hundreds of groups, thousands of members" asks of it.
"""
