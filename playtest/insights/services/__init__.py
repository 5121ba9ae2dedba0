"""What the pages of results set going. Named one by one: workers take opinions without the charts of the pages."""
