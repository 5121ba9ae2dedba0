"""The data of a study as files: tables in four formats, a codebook, a manifest and the study itself.

`tables.py` says what there is, `rows.py` reads it once from one picture of the database, `writers/` writes it,
`archive.py` puts it into a folder or a ZIP. Nothing here holds more than a few thousand rows at a time.
"""
