"""The Snowball stemmer as a SQL function, because DuckDB has none."""

import duckdb
import pyarrow as pa
import snowballstemmer
from duckdb.func import FunctionNullHandling, PythonUDFType

STEMMERS = {"en": "english", "es": "spanish"}


def stem_words(texts: pa.ChunkedArray, languages: pa.ChunkedArray) -> pa.Array:
    """Every text with each of its words (separated by one space) stemmed; null stays null.

    Languages other than en and es are stemmed as English. Each call makes its own stemmers: they
    are not safe to share between threads, and DuckDB calls from several.
    """
    stemmers = {code: snowballstemmer.stemmer(name) for code, name in STEMMERS.items()}
    known: dict[tuple[str, str], str] = {}
    stemmed: list[str | None] = []
    for text, language in zip(texts.to_pylist(), languages.to_pylist(), strict=True):
        if text is None:
            stemmed.append(None)
            continue
        code = language if language in stemmers else "en"
        words = text.split(" ")
        for word in words:
            if (code, word) not in known:
                known[code, word] = stemmers[code].stemWord(word)
        stemmed.append(" ".join(known[code, word] for word in words))
    return pa.array(stemmed, pa.string())


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Make stem_words(text, language) known to a connection and those that share its database."""
    connection.create_function(
        "stem_words",
        stem_words,
        ["VARCHAR", "VARCHAR"],
        "VARCHAR",
        type=PythonUDFType.ARROW,
        null_handling=FunctionNullHandling.SPECIAL,
    )
