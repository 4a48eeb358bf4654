"""The report: measurements kept as JSON, pictures of them, and a page that tells what they show."""
