"""What leaves the house by download: tables as CSV and Parquet, findings as JSON."""
