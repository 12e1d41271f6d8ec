"""A member in a process of its own, so that it can be killed: python -m tests.integration.worker.

It takes its arguments as one JSON object, joins, and works until somebody ends it, or it fails:
then it exits with 1.
"""

import json
import sys
import time

from trimtab import Member


def main() -> None:
    """Be a member for as long as may be."""
    with Member(**json.loads(sys.argv[1])) as member:
        while member.failure is None:
            time.sleep(0.1)
    sys.exit(1)


if __name__ == "__main__":
    main()
