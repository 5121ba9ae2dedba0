"""The draft of a study as an editor sees it: parts that are changed one at a time, each with a form of its own.

A new kind of page is a line in `kinds.PAGES` and a form in `forms.PAGE_FORMS`; a new kind of question a line in
`kinds.QUESTIONS` and a form in `entry_forms.ENTRY_FORMS`; a new field is a field of the form, named as in the document.
"""
