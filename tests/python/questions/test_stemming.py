"""Words that mean the same meet in both languages."""

import duckdb

from python_llm.questions import stemming


def test_words_are_stemmed_in_their_language():
    with duckdb.connect() as connection:
        stemming.register(connection)
        rows = connection.execute(
            "select stem_words(said, language) from (values (1, 'reassure monitoring', 'en'), "
            "(2, 'reassurance monitor', 'en'), (3, 'doloroso', 'es'), (4, 'dolorosas', 'es'), "
            "(5, 'monitoring', 'fr'), (6, null, 'en')) as asked (n, said, language) order by n"
        ).fetchall()
    english, same, spanish, plural, other, nothing = (stems for (stems,) in rows)
    assert english == same == "reassur monitor"
    assert spanish == plural == "dolor"
    assert (other, nothing) == ("monitor", None)
