"""What the log holds of requests that were refused."""

import logging

LONGEST = 300


class ShortLine(logging.Filter):
    """Cuts what a client is to blame for to one line: no traceback, and not all that it sent."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security"):
            record.msg, record.args = record.getMessage().replace("\n", " ")[:LONGEST], ()
            record.exc_info = record.exc_text = None
        return True
