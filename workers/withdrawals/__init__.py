"""Taking examples out of a project for good: their rows first, then what files tell of them."""
