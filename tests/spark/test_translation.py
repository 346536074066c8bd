"""Where DuckDB and Spark give one name two meanings: each query has one answer on both."""

import duckdb
import pytest
from dbt.adapters.kernel29spark.translation import translate

TEXTS = (
    "(values ('Síndrome de Marfán'), ('Πυρετός ΟΔΟΣ'), ('布加综合征'), ('Болезнь İ'), (''), (null))"
)
NUMBERS = "(values (1, 0.5, 'b'), (2, null, 'a'), (3, 2.25, null), (3, -7.5, 'c')) as n (i, d, t)"
LETTERS = "|".join(map(chr, range(0xA0, 0x3000)))
# ruff: noqa: E501 - the SQL below
QUERIES = {
    "integers divide into fractions": "select i / 2, i // 2, i % 2 from " + NUMBERS,
    "decimals divide into doubles": "select 1.0 / 3, d / 7.0 from " + NUMBERS,
    "a mean of decimals is a double": "select avg(d), avg(i), median(d) from " + NUMBERS,
    "a mean of what is cast to decimals is exact": """
        select avg(x::decimal(24, 15)), round(avg((x)::decimal(24, 15))::double, 12)
        from (values (1e8::double), (0.1::double), (-1e8::double)) as t (x)
    """,
    "halves are rounded from zero, in doubles": """
        select round(x, 2), round(x), round(-x, 1), round(x / 3, 9)
        from (values (0.285::double), (1.005::double), (2.5::double), (1e9 + 0.05)) as t (x)
    """,
    "numbers overflow with an error or not at all": "select sum(2147483647) from " + NUMBERS,
    "nulls come last, in either direction": """
        select t, row_number() over (order by t) as up, row_number() over (order by t desc) as down
        from """
    + NUMBERS,
    "texts are compared by their letters, capitals first": """
        select t, row_number() over (order by t)
        from (values ('b'), ('B'), ('a'), ('á'), ('Z'), ('β')) as t (t)
    """,
    "letters become small one by one": f"select lower(t), length(t) from {TEXTS} as t (t)",
    "accents are stripped from letters of every script": f"""
        select strip_accents(t), strip_accents('Ærøskøbing Łódź ﬁ ΐ й क़ 한국 e\u0301 Å') from {TEXTS} as t (t)
    """,
    "every letter without its accents": f"select strip_accents('{LETTERS}')",
    "a list keeps nulls and is null without rows": """
        select list(t order by i), list(t order by t desc) filter (where i > 5), len(list(t)),
            list(distinct t order by t), list({'a': i} order by d desc, i)
        from """
    + NUMBERS,
    "beyond the end of a list is null": "select [1, 2][1], [1, 2][3], [1, 2][-1], list_slice([1, 2, 3], 2, 9)",
    "an index may be computed": """
        select ['a', 'b', 'c'][i], ['a', 'b', 'c'][1 + i % 3], ['a', 'b'][i - 1], string_split('x y z', ' ')[-i],
            list_filter(range(0, i), lambda place: [1, 2, 3][place] = 2)
        from """
    + NUMBERS,
    "ranges may be empty": "select i, range(2, i), generate_series(2, i), len(range(3, i)) from "
    + NUMBERS,
    "a missing list has no length": "select len(x), sum(len(x)) over () from (values ([1, 2]), (null)) as t (x)",
    "empty lists": "select len([]::integer[]), list_has_all(['a'], []), list_has_all(['a'], ['b'])",
    "the first in an order": "select first(t order by d desc), first(i order by t) from " + NUMBERS,
    "the value at an extreme is a known one": """
        select arg_min(t, i), arg_max(t, i), arg_max(t, i) filter (where i < 3), any_value(t) is null
        from """
    + NUMBERS,
    "the most frequent, ties by their order": """
        select mode(t order by t) from (values ('b'), ('a'), ('b'), ('a'), ('c')) as t (t)
    """,
    "distinct values over a window": """
        select i, count(distinct t) over (partition by i > 1) as n from """
    + NUMBERS,
    "quantiles that occur": "select percentile_disc(0.5) within group (order by i), quantile_disc(-i, 0.5) from "
    + NUMBERS,
    "texts joined in an order": """
        select string_agg(t, ', ' order by i desc), string_agg(distinct t, '+' order by t) filter (where i > 1)
        from """
    + NUMBERS,
    "patterns are RE2's": r"""
        select regexp_replace(t, '\b', '|', 'g'), regexp_matches(t, '[^\p{Latin}\p{Greek}\P{L}µ]+'),
            regexp_full_match(t, '\S+'), regexp_extract(t, '(\p{L})(\p{L})', 2),
            regexp_replace(t, '(\w)(\w)', '\2\1'), regexp_replace(t, '(\w)(\w)', '$\2\1', 'g')
        from """
    + TEXTS
    + " as t (t)",
    "groups of a pattern become fields": r"""
        select t, regexp_extract(t, '^(\w+) (\S+)$', ['first', 'second']) from """
    + TEXTS
    + " as t (t)",
    "lines end with a line feed": r"select regexp_matches(e'a\n', 'a$'), regexp_matches(e'a\rb', 'a.b')",
    "a part of a text": "select left('abc', -1), right('abc', -1), left('abc', 9), split_part('a=b', '=', 2)",
    "numbers in a text": "select format('{:.2f} of {}', 0.5, 'x'), 1 || ' ' || 0.5",
    "json keeps nulls": "select to_json({'a': null, 'b': ['é', 'x'], 'c': 1})::varchar",
    "a map is written with its entries": """
        select unnest(map_keys(m)) as k, unnest(map_values(m)) as v
        from (select map {'a': 1, 'b': i} as m from """
    + NUMBERS
    + ")",
    "unions by name": """
        with a as (select 1 as x, 'p' as y), b as (select 'q' as y, 2 as x, true as z)
        select * from a union all by name select * from b union all by name select *, 3 as x from (select 'r' as y)
    """,
    "unions by name of joined columns": """
        with a as (select 1 as x, 'p' as y), b as (select 'p' as y, 2 as z)
        select a.*, z from a inner join b using (y) union all by name select 3 as x, 'q' as y, 4 as z
    """,
    "unions by name with the fields of structs": """
        with a as (select unnest([{'x': 1, 'y': 'p'}], recursive := true))
        select * from a union all by name select 'q' as y, 2 as x
    """,
    "columns replaced and left out": """
        with a as (select 1 as x, 'p' as y, null as z)
        select y, x from (select * exclude (z) replace (x + 1 as x) from a)
    """,
    "structs become columns": "select i, unnest([{'a': i, 'b': t}], recursive := true) from "
    + NUMBERS,
    "lists become rows": "select i, unnest(range(1, i + 1)) as place from " + NUMBERS,
    "lists side by side become rows in step": """
        select i, unnest(['a', 'b', t]) as letter, unnest(range(1, i)) as place, upper(unnest(['x', 'y'])) from """
    + NUMBERS,
    "a list beside a group": """
        select i, upper(unnest(['a', 'b'])) as letter, count(*) as n from """
    + NUMBERS
    + " group by all having count(*) > 1",
    "rows are chosen by their place": """
        select i, t from """
    + NUMBERS
    + " qualify row_number() over (partition by i order by t) = 1",
    "absence is not a difference": "select (i, t) is distinct from (i, 'b'), t is distinct from null from "
    + NUMBERS,
    "a time is in UTC": """
        select (timestamptz '2026-03-29 01:30:00+02')::date::varchar, (timestamp '2026-03-29 02:30:00')::varchar,
            date_trunc('month', timestamp '2026-03-29 23:59:59')::date::varchar
    """,
    "nothing is divided by nothing": "select i / nullif(i - 1, 0), i % nullif(i - 2, 0) from "
    + NUMBERS,
    "greatest passes over nulls": "select greatest(i, d, null), least(d, 1) from " + NUMBERS,
}


def plain(value):
    if hasattr(value, "asDict"):
        value = value.asDict()
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    return pytest.approx(float(value), abs=1e-12)


def listed(rows):
    return sorted([list(row) for row in rows], key=lambda row: repr([str(value) for value in row]))


@pytest.mark.parametrize("meaning", QUERIES)
def test_one_query_has_one_answer(spark, meaning):
    query = QUERIES[meaning]
    expected = listed(duckdb.sql(query).fetchall())
    # more partitions than rows
    spark.conf.set("spark.sql.shuffle.partitions", "7")
    actual = listed(spark.sql(translate(query)).collect())
    assert [plain(row) for row in actual] == [plain(row) for row in expected] or (
        _as_values(actual) == [plain(row) for row in expected]
    )


def _as_values(rows):
    return [[_value(value) for value in row] for row in rows]


def _value(value):
    if hasattr(value, "asDict"):
        return {name: _value(inner) for name, inner in value.asDict().items()}
    if isinstance(value, list):
        return [_value(inner) for inner in value]
    return value if isinstance(value, (bool, str, type(None))) else float(value)


@pytest.mark.parametrize(
    "query",
    [
        "select i * 2147483647::integer from (values (3::integer)) as t (i)",
        "select i::tinyint from (values (300)) as t (i)",
        "select t::integer from (values ('two')) as t (t)",
    ],
)
def test_what_overflows_or_is_no_number_stops_both(spark, query):
    with pytest.raises(duckdb.Error):
        duckdb.sql(query).fetchall()
    with pytest.raises(Exception, match=r"OVERFLOW|CAST_INVALID_INPUT"):
        spark.sql(translate(query)).collect()


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("select list(distinct a order by b) from t", "has no order"),
        ("select first(a) from t", "needs an order"),
        ("select list(a) over (partition by b) from t", "over a window"),
        ("select avg(x::decimal(9, 3)) filter (where y) from t", "beside filter"),
        ("select x[1:2] from t", "list_slice"),
        ("select list_filter(x, lambda n: y[:n] = z) from t", "list_slice"),
        ("select range(1, 9, 2) from t", "step"),
        (
            "with a as (select unnest(x, recursive := true) from t) "
            "select * from a union all by name select 1 as y",
            "name them",
        ),
        ("select format('{:>8}', x) from t", "no equivalent"),
        ("select regexp_matches(a, b) from t", "is a literal"),
    ],
)
def test_what_has_no_equivalent_is_refused_with_its_name(query, why):
    with pytest.raises(ValueError, match=why):
        translate(query)
