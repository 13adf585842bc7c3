"""The target model: what is trained on the answers of a project, and what it gives."""
