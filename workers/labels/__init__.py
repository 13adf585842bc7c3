"""What people have said, as jobs learn from it: counted, frozen, chosen, and drawn to judge by."""
