"""The two pages that know every app: the public start page and the staff's dashboard."""
