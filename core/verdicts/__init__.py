"""What people have said of examples, and what that amounts to."""
