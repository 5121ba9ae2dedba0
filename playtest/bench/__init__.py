"""Measurements: how fast the engine, the search, evolution and the site are on this machine.

`manage.py bench` prints them and `make bench` writes the table of docs/performance.md. All but `site` need no Django.
What is measured runs by turns, several times, and the least time counts: other work on the machine only adds.
"""
