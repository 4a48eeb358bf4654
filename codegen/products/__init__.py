"""What leaves the house: files, goldens, the C library, the npm package, the page, the report."""
