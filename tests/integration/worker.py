"""A member in a process of its own, so that it can be killed: python -m tests.integration.worker.

It takes its arguments as one JSON object, joins, and works until somebody ends it.
"""

import json
import sys
import time

from trimtab import Member


def main() -> None:
    """Be a member for ever."""
    with Member(**json.loads(sys.argv[1])):
        while True:
            time.sleep(60)


if __name__ == "__main__":
    main()
