"""What requests and answers of many domains share: addresses, labels, numbers and pages."""
