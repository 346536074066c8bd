"""The log of every attempt ever made, outside the warehouse.

contract          what every ledger promises, and what it is asked
batch_store       the batches that are open
segments          lines of a file: how an attempt is written and read
folder            the ledger of one machine
postgres          the ledger of a team, and its tables in postgres_tables
opening           which of the two a project has
tools             what `kernel29 ledger` does
"""

from python_llm.engine.ledger.batch_store import BatchStore, OpenBatch
from python_llm.engine.ledger.contract import Ledger, Taken, Writer
from python_llm.engine.ledger.opening import open_ledger

__all__ = ["BatchStore", "Ledger", "OpenBatch", "Taken", "Writer", "open_ledger"]
