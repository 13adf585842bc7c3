"""Tables of Apache Parquet."""
