"""Beginning a certificate: the newest model says what it takes each image for, in lots."""
