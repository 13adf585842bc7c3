"""What keeps secrets secret, files private and the audit log whole."""
