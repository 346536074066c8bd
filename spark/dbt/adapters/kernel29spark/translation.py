"""A model's SQL, written for DuckDB, as Spark runs it: the same rows, the same numbers.

sqlglot knows the names of most functions; this file knows where the same name means something else.
What both miss is written through a dispatched macro with both forms beside each other
(macros/dbt/engines.sql). Differences of meaning that are handled here, each pinned by a test in
tests/spark/test_translation.py:

    division            of decimals is a double in DuckDB, a short decimal in Spark
    avg, median         likewise; a mean of what is cast to decimals is exact, in whatever order
    round(x, n)         DuckDB rounds x * 10^n as a double; Spark the shortest decimal of x
    list(x)             keeps nulls and is null without rows; collect_list drops nulls and is empty
    list[i]             null beyond the end; Spark stops
    range(a, b)         empty where b is not above a; Spark counts down
    arg_min, arg_max    look at rows whose value is known
    lower               letter by letter; Java has a final sigma and a dotted capital I
    strip_accents       is translate() with DuckDB's own table of letters
    regular expressions RE2 against java.util.regex: \\b, $, the dot, replacements, first or all
    to_json             keeps nulls
    unnest              beside another is read in step, not crossed
    len, length         of a list, of a text
"""

import re
from collections.abc import Callable, Iterable
from functools import cache

import duckdb
import sqlglot
from sqlglot import exp, transforms
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.spark import Spark

ColumnsOf = Callable[[exp.Table], list[str]]  # the columns of a stored table, in order


class Models(DuckDB):
    """DuckDB's dialect as our models use it: `len` is of a list, `length` of a text. An index is
    left as it is written: sqlglot would shift those whose type it knows."""

    INDEX_OFFSET = 0

    class Parser(DuckDB.Parser):
        FUNCTIONS = {  # noqa: RUF012
            **DuckDB.Parser.FUNCTIONS,
            "LEN": lambda args: exp.ArraySize(this=args[0]),
            "LIST_SORT": lambda args: exp.Anonymous(this="ARRAY_SORT", expressions=args),
        }


class Spark4(Spark):
    """Spark's dialect from 4.3 on, which has `qualify`."""

    class Generator(Spark.Generator):
        TRANSFORMS = {  # noqa: RUF012
            **Spark.Generator.TRANSFORMS,
            exp.Select: transforms.preprocess(
                [transforms.eliminate_distinct_on, transforms.unnest_to_explode]
            ),
        }


def translate(sql: str, columns_of: ColumnsOf | None = None) -> str:
    """One statement for Spark. Raises ValueError for what has no equivalent, with the construct.

    columns_of: asked only where DuckDB matches columns by name (`union all by name`) and one side
    selects everything.
    """
    tree = sqlglot.parse_one(sql, read=Models)
    for union in list(tree.find_all(exp.SetOperation)):
        if union.args.get("by_name"):
            _match_columns(union, columns_of)
    for node in reversed(list(tree.bfs())):  # what is inside comes first
        rule = RULES.get(type(node))
        if rule and (rewritten := rule(node)) is not node:
            node.replace(rewritten)
    return tree.sql(dialect=Spark4, pretty=True)


def _call(name: str, *arguments: exp.Expression | str | int) -> exp.Anonymous:
    return exp.Anonymous(
        this=name,
        expressions=[
            argument if isinstance(argument, exp.Expression) else exp.convert(argument)
            for argument in arguments
        ],
    )


def _double(value: exp.Expression) -> exp.Expression:
    if isinstance(value, exp.Cast) and value.is_type("double"):
        return value
    return exp.cast(value, "double", copy=False)


# numbers


def _division(node: exp.Div) -> exp.Expression:
    numerator = node.this
    if isinstance(numerator, exp.Cast) and numerator.is_type("double"):
        return node
    node.set("this", _double(numerator))
    return node


def _of_double(node: exp.Expression) -> exp.Expression:
    if not isinstance(node.this, exp.Distinct):
        node.set("this", _double(node.this))
    return node


def _mean(node: exp.Avg) -> exp.Expression:
    """A sum of doubles depends on their order, one of decimals does not."""
    if not (isinstance(node.this, exp.Cast) and node.this.is_type("decimal")):
        return _of_double(node)
    if isinstance(node.parent, exp.Filter | exp.Window):
        raise ValueError("avg(x::decimal) has no form beside filter or over: write a case")
    return _double(node.copy())


def _round(node: exp.Round) -> exp.Expression:
    """DuckDB multiplies, rounds half away from zero and divides, all of it in doubles."""
    digits = node.args.get("decimals")
    value = _double(node.this)
    if digits is None:
        return _call("ROUND", value)
    if not digits.is_int:
        raise ValueError(f"round() needs a number of digits, not {digits.sql()}")
    scale = exp.Literal.number(f"1e{digits.to_py()}")
    scaled = exp.Mul(this=exp.paren(value), expression=_double(scale))
    return exp.paren(exp.Div(this=_double(_call("ROUND", scaled)), expression=_double(scale)))


# lists


def _filtered(node: exp.Expression) -> tuple[exp.Expression, exp.Expression | None]:
    """An aggregate and the condition of its `filter`, if it has one."""
    condition = None
    if isinstance(node, exp.Filter):
        node, condition = node.this, node.expression.this
    if isinstance(node, exp.IgnoreNulls):
        node = node.this
    return node, condition


def _with_filter(call: exp.Expression, condition: exp.Expression | None) -> exp.Expression:
    if condition is None:
        return call
    return exp.Filter(this=call, expression=exp.Where(this=condition))


def _field(name: str, value: exp.Expression) -> exp.PropertyEQ:
    return exp.PropertyEQ(this=exp.to_identifier(name), expression=value)


def _in_order(keys: list[exp.Ordered]) -> exp.Expression:
    """The comparison of two collected rows by their keys k0, k1, …, nulls last."""
    comparison: exp.Expression = exp.Literal.number(0)
    for number, key in reversed(list(enumerate(keys))):
        a, b = exp.column(f"k{number}", "a"), exp.column(f"k{number}", "b")
        nulls_first = key.args.get("nulls_first")
        descending = key.args.get("desc")
        branches = [
            (exp.NullSafeEQ(this=a.copy(), expression=b.copy()), comparison),
            (exp.Is(this=a.copy(), expression=exp.null()), -1 if nulls_first else 1),
            (exp.Is(this=b.copy(), expression=exp.null()), 1 if nulls_first else -1),
            (exp.LT(this=a.copy(), expression=b.copy()), 1 if descending else -1),
        ]
        case = exp.Case()
        for condition, value in branches:
            case = case.when(condition, exp.convert(value), copy=False)
        comparison = case.else_(exp.convert(-1 if descending else 1), copy=False)
    return exp.Lambda(this=comparison, expressions=[exp.to_identifier("a"), exp.to_identifier("b")])


def _collected(
    value: exp.Expression, keys: list[exp.Ordered], condition: exp.Expression | None
) -> exp.Expression:
    """The rows of a group as an ordered array of (v, k0, k1, …); empty without rows."""
    fields = [_field("v", value)]
    fields += [_field(f"k{number}", key.this) for number, key in enumerate(keys)]
    rows = _with_filter(
        _call("COLLECT_LIST", exp.Struct(expressions=fields)),
        condition,
    )
    return _call("ARRAY_SORT", rows, _in_order(keys)) if keys else rows


def _values(rows: exp.Expression) -> exp.Expression:
    field = exp.Lambda(this=exp.column("v", "r"), expressions=[exp.to_identifier("r")])
    return _call("TRANSFORM", rows, field)


def _list(aggregate: exp.ArrayAgg, condition: exp.Expression | None) -> exp.Expression:
    value, keys = aggregate.this, []
    if isinstance(value, exp.Order):
        value, keys = value.this, value.expressions
    if isinstance(value, exp.Distinct):
        (value,) = value.expressions
        if any(key.this != value for key in keys):
            raise ValueError("list(distinct x order by y) has no order: order by x")
        collected = _call("ARRAY_DISTINCT", _values(_collected(value, keys, condition)))
    else:
        collected = _values(_collected(value, keys, condition))
    return _call("NULLIF", collected, exp.Array())


def _first(aggregate: exp.First, condition: exp.Expression | None) -> exp.Expression:
    order = aggregate.this
    if not isinstance(order, exp.Order):
        raise ValueError("first(x) needs an order: first(x order by …)")
    rows = _collected(order.this, order.expressions, condition)
    return exp.Dot(this=_call("TRY_ELEMENT_AT", rows, 1), expression=exp.to_identifier("v"))


def _by_extreme(
    aggregate: exp.ArgMin | exp.ArgMax, condition: exp.Expression | None
) -> exp.Expression:
    name = "MIN_BY" if isinstance(aggregate, exp.ArgMin) else "MAX_BY"
    value = aggregate.this
    is_known = exp.Not(this=exp.Is(this=value.copy(), expression=exp.null()))
    both = is_known if condition is None else exp.and_(condition, is_known)
    return _with_filter(_call(name, value, aggregate.expression), both)


def _any_value(aggregate: exp.AnyValue, condition: exp.Expression | None) -> exp.Expression:
    return _with_filter(_call("ANY_VALUE", aggregate.this, exp.true()), condition)


def _mode(aggregate: exp.Mode, condition: exp.Expression | None) -> exp.Expression:
    order = aggregate.this
    if not isinstance(order, exp.Order) or order.expressions[0].this != order.this:
        raise ValueError("mode(x) needs its order, which breaks ties: mode(x order by x)")
    call = exp.WithinGroup(this=_call("MODE"), expression=exp.Order(expressions=order.expressions))
    return _with_filter(call, condition)


def _joined(aggregate: exp.GroupConcat, condition: exp.Expression | None) -> exp.Expression:
    """Distinct texts are collected as a set: listagg(distinct …) fails beside another distinct."""
    order = aggregate.this
    values = order.this if isinstance(order, exp.Order) else order
    if not isinstance(values, exp.Distinct):
        return _with_filter(aggregate, condition)
    (value,) = values.expressions
    keys = order.expressions if isinstance(order, exp.Order) else []
    if len(keys) != 1 or keys[0].this != value:
        raise ValueError("string_agg(distinct x, …) needs its order: order by x")
    texts = _call("ARRAY_SORT", _with_filter(_call("COLLECT_SET", value), condition))
    if keys[0].args.get("desc"):
        texts = _call("REVERSE", texts)
    separator = aggregate.args.get("separator") or exp.convert(",")
    return _call("ARRAY_JOIN", _call("NULLIF", texts, exp.Array()), separator)


AGGREGATES = {
    exp.GroupConcat: _joined,
    exp.ArrayAgg: _list,
    exp.First: _first,
    exp.ArgMin: _by_extreme,
    exp.ArgMax: _by_extreme,
    exp.AnyValue: _any_value,
    exp.Mode: _mode,
}


def _aggregate(node: exp.Expression) -> exp.Expression:
    if isinstance(node.parent, (exp.Filter, exp.IgnoreNulls)):
        return node  # handled with its condition
    if isinstance(node.parent, exp.Window) and isinstance(node, exp.ArrayAgg | exp.First):
        raise ValueError("a list over a window has no form here: collect it in a group")
    call, condition = _filtered(node)
    rule = AGGREGATES.get(type(call))
    return rule(call, condition) if rule else node


def _distinct_over(node: exp.Window) -> exp.Expression:
    """count(distinct x) over (…), which Spark does not have, as the size of the set."""
    counted = node.this
    if not isinstance(counted, exp.Count) or not isinstance(counted.this, exp.Distinct):
        return node
    (value,) = counted.this.expressions
    node.set("this", _call("COLLECT_SET", value))
    return _call("SIZE", node.copy())


def _percentile(node: exp.WithinGroup) -> exp.Expression:
    if isinstance(node.this, exp.PercentileDisc):
        node.set("this", _call("PERCENTILE_DISC", node.this.this))
    return node


def _quantile(node: exp.PercentileDisc) -> exp.Expression:
    """quantile_disc(x, q) as the standard writes it."""
    if node.expression is None or isinstance(node.parent, exp.WithinGroup):
        return node
    order = exp.Order(expressions=[exp.Ordered(this=node.this, nulls_first=False)])
    return exp.WithinGroup(this=_call("PERCENTILE_DISC", node.expression), expression=order)


def _bracket(node: exp.Bracket) -> exp.Expression:
    """list[i], counted from one, backwards if negative; null beyond either end, and at 0."""
    (index,) = node.expressions
    if isinstance(index, exp.Slice | exp.Placeholder):  # x[:n] is read as a parameter
        raise ValueError("write list_slice(x, from, to) instead of x[from:to]")
    if index.is_string:
        return node
    if not index.is_int:
        index = _call("NULLIF", index, 0)
    return _call("TRY_ELEMENT_AT", node.this, index)


def _series(node: exp.GenerateSeries) -> exp.Expression:
    """range(a, b) and generate_series(a, b); Spark counts down where they are empty."""
    start, end = node.args["start"], node.args["end"]
    if node.args.get("step"):
        raise ValueError("range() with a step has no form here")
    last = exp.Sub(this=exp.paren(end.copy()), expression=exp.convert(1))
    sequence = _call("SEQUENCE", start, last if node.args.get("is_end_exclusive") else end)
    if start.is_int and end.is_int and end.to_py() > start.to_py():
        return sequence
    comparison = exp.GT if node.args.get("is_end_exclusive") else exp.GTE
    return _call("IF", comparison(this=end.copy(), expression=start.copy()), sequence, exp.Array())


def _left(node: exp.Left | exp.Right) -> exp.Expression:
    """left(x, -n) is all but the last n letters."""
    if not isinstance(node.expression, exp.Neg):
        return node
    kept = _call(
        "GREATEST", exp.Sub(this=exp.Length(this=node.this), expression=node.expression.this), 0
    )
    return _call("LEFT" if isinstance(node, exp.Left) else "RIGHT", node.this.copy(), kept)


def _count_of_letters(name: str) -> Callable[[exp.Expression], exp.Expression]:
    return lambda node: _call(name, *node.iter_expressions())


def _anonymous(node: exp.Anonymous) -> exp.Expression:
    rule = FUNCTIONS.get(node.name.lower())
    return rule(*node.expressions) if rule else node


def _list_has_all(values: exp.Expression, wanted: exp.Expression) -> exp.Expression:
    missing = _call("ARRAY_SIZE", _call("ARRAY_EXCEPT", wanted, values))
    return exp.paren(exp.EQ(this=missing, expression=exp.convert(0)))


def _list_slice(
    values: exp.Expression, start: exp.Expression, end: exp.Expression
) -> exp.Expression:
    length = _call(
        "GREATEST",
        exp.Add(
            this=exp.Sub(this=exp.paren(end), expression=exp.paren(start)),
            expression=exp.convert(1),
        ),
        0,
    )
    return _call("SLICE", values, start.copy(), length)


@cache
def accents() -> tuple[str, str]:
    """Every letter that strip_accents changes, and what it becomes; marks, which it drops, last."""
    changed = duckdb.sql("""
        with codes as (
            -- without the halves of a pair
            select unnest(range(1, 55296)) as code
            union all
            select unnest(range(57344, 1114112))
        ),

        letters as (select chr(code::integer) as letter, strip_accents(letter) as plain from codes)

        select * from letters where plain != letter order by plain = '', letter
    """).fetchall()
    return "".join(letter for letter, _ in changed), "".join(plain for _, plain in changed)


def _strip_accents(text: exp.Expression) -> exp.Expression:
    return _call("TRANSLATE", text, *accents())


def _map(node: exp.ToMap) -> exp.Expression:
    entries = node.this.expressions
    return _call("MAP", *(part for entry in entries for part in (entry.this, entry.expression)))


FUNCTIONS: dict[str, Callable[..., exp.Expression]] = {
    "list_has_all": _list_has_all,
    "list_intersect": lambda a, b: _call("ARRAY_INTERSECT", a, b),
    "list_slice": _list_slice,
    "row": lambda *values: exp.Tuple(expressions=list(values)),
    "strip_accents": _strip_accents,
    "strlen": lambda text: _call("OCTET_LENGTH", text),
    "to_json": lambda value: _call("TO_JSON", value, _call("MAP", "ignoreNullFields", "false")),
}


# texts


def _lower(node: exp.Lower) -> exp.Expression:
    return _call("LOWER", _call("TRANSLATE", node.this, "Σİ", "σi"))


def _format(node: exp.Format) -> exp.Expression:
    """format('{} {:.2f}', …) as printf's; an exact half (0.125) is rounded up by Java, and to the
    even digit by DuckDB."""
    written = node.this.name.replace("%", "%%")
    kinds = re.findall(r"\{(?::(\.\d+f|,|d))?\}", written)
    template = re.sub(
        r"\{(?::(\.\d+f|,|d))?\}",
        lambda match: "%" + {None: "s", ",": ",d"}.get(match[1], match[1]),
        written,
    )
    if "{" in template or len(kinds) != len(node.expressions):
        raise ValueError(f"format(): no equivalent of {node.this.name!r}")
    values = [
        _double(value) if kind.endswith("f") else value
        for kind, value in zip(kinds, node.expressions, strict=True)
    ]
    return _call("FORMAT_STRING", template, *values)


WORD = "[0-9A-Za-z_]"
BOUNDARY = f"(?:(?<={WORD})(?!{WORD})|(?<!{WORD})(?={WORD}))"
TOKENS = re.compile(r"\\.|\[\^?\]?|\]|\$|\[:\w+:\]|\\p\{\w+\}", re.DOTALL)


def java_pattern(pattern: str) -> str:
    """A pattern of RE2 for java.util.regex: only \\n ends a line, $ is the end of the text, words
    are of ASCII letters, and scripts have their prefix."""
    parts: list[str] = []
    in_class = False
    position = 0
    while position < len(pattern):
        rest = pattern[position:]
        if script := re.match(r"\\([pP])\{(\w{3,})\}", rest):
            parts.append(f"\\{script[1]}{{Is{script[2]}}}")
            position += len(script[0])
        elif rest[0] == "\\":
            token = rest[:2]
            parts.append(BOUNDARY if token == "\\b" and not in_class else token)
            position += 2
        elif in_class and (named := re.match(r"\[:(\w+):\]", rest)):
            parts.append(f"\\p{{{named[1].capitalize()}}}")
            position += len(named[0])
        elif not in_class and (opening := re.match(r"\[\^?\]?", rest)):
            in_class = True
            parts.append(opening[0].replace("]", "\\]"))
            position += len(opening[0])
        elif in_class and rest[0] in "[&~":
            parts.append("\\" + rest[0])
            position += 1
        else:
            if rest[0] == "]":
                in_class = False
            parts.append("\\z" if rest[0] == "$" and not in_class else rest[0])
            position += 1
    text = "".join(parts)
    if text.startswith("(?i)"):
        text = "(?iu)" + text[4:]
    return "(?d)" + text if re.search(r"(?<!\\)\.", text) else text


def _pattern(node: exp.Expression, whole: bool = False) -> str:
    if not node.is_string:
        raise ValueError(f"the pattern of a regular expression is a literal, not {node.sql()}")
    pattern = java_pattern(node.name)
    return f"^(?:{pattern})\\z" if whole else pattern


def _java_replacement(text: exp.Expression, shift: int = 0) -> str:
    if not text.is_string:
        raise ValueError("the replacement of a regular expression is a literal")
    escaped = text.name.replace("$", "\\$")
    return re.sub(r"\\(\d)", lambda match: f"${int(match[1]) + shift}", escaped)


def _regexp_replace(node: exp.RegexpReplace) -> exp.Expression:
    pattern = _pattern(node.expression)
    modifiers = node.args["modifiers"].name if node.args.get("modifiers") else ""
    if "i" in modifiers:
        pattern = "(?iu)" + pattern
    if "g" in modifiers:
        return _call(
            "REGEXP_REPLACE", node.this, pattern, _java_replacement(node.args["replacement"])
        )
    if "\\0" in node.args["replacement"].name:
        raise ValueError("regexp_replace of the first match cannot repeat the whole of it (\\0)")
    first = f"^((?s:.*?))(?:{pattern})"
    return _call(
        "REGEXP_REPLACE", node.this, first, "$1" + _java_replacement(node.args["replacement"], 1)
    )


def _regexp_like(node: exp.RegexpLike) -> exp.Expression:
    flags = node.args.get("flag")
    pattern = _pattern(node.expression)
    if flags is not None:
        pattern = (
            f"(?{'iu' if 'i' in flags.name else ''}{'s' if 's' in flags.name else ''}){pattern}"
        )
    return _call("REGEXP_LIKE", node.this, pattern)


def _regexp_extract(node: exp.RegexpExtract | exp.RegexpExtractAll) -> exp.Expression:
    name = "REGEXP_EXTRACT_ALL" if isinstance(node, exp.RegexpExtractAll) else "REGEXP_EXTRACT"
    group = node.args.get("group") or exp.convert(0)
    if isinstance(group, exp.Array):  # a struct with a field for each group
        fields: list[exp.Expression | str | int] = []
        for number, field in enumerate(group.expressions, start=1):
            fields += [field.name, _call(name, node.this.copy(), _pattern(node.expression), number)]
        is_known = exp.Not(this=exp.Is(this=node.this.copy(), expression=exp.null()))
        return _call("IF", is_known, _call("NAMED_STRUCT", *fields), exp.null())
    return _call(name, node.this, _pattern(node.expression), group)


def _regexp_split(node: exp.RegexpSplit) -> exp.Expression:
    return _call("SPLIT", node.this, _pattern(node.expression))


# selections


def _not_materialized(node: exp.CTE) -> exp.Expression:
    node.set("materialized", None)
    return node


def _replaced_columns(node: exp.Select) -> exp.Select:
    """`* replace (f(a) as a)` as `* except (a), f(a) as a`."""
    selected: list[exp.Expression] = []
    for item in node.expressions:
        star = item.this if isinstance(item, exp.Column) else item
        replaced = star.args.get("replace") if isinstance(star, exp.Star) else None
        if not replaced:
            selected.append(item)
            continue
        star.set("replace", None)
        names = [exp.to_identifier(new.alias) for new in replaced]
        star.set("except_", [*(star.args.get("except_") or []), *names])
        selected += [item, *replaced]
    node.set("expressions", selected)
    return node


STEADY = exp.LogicalAnd | exp.LogicalOr | exp.Min | exp.Max  # whatever repeats


def _lateral(node: exp.Select) -> exp.Expression:
    """Several unnest() side by side, one inside an expression, and one beside a `group by` become
    columns of a lateral view: Spark would cross the lists, and takes a generator only by itself."""
    found = [
        explode
        for item in node.expressions
        for explode in item.find_all(exp.Explode)
        if explode.find_ancestor(exp.Select) is node
    ]
    is_plain = all(isinstance(explode.parent, exp.Select | exp.Alias) for explode in found)
    if not found or (len(found) == 1 and is_plain and not node.args.get("group")):
        return node
    for window in node.find_all(exp.Window):
        if window.find_ancestor(exp.Select) is node and not isinstance(window.this, STEADY):
            raise ValueError(
                "unnest() beside a window that counts rows: unnest in a CTE of its own"
            )
    if any(item.is_star for item in node.expressions):
        raise ValueError("several unnest() beside * have no form here: name the columns")
    names = [f"item{number}" for number in range(len(found))]
    lists = [explode.this for explode in found]
    for name, explode in zip(names, found, strict=True):
        explode.replace(exp.column(name, "unnested"))
    generator = _call("EXPLODE", *lists)
    if len(lists) > 1:
        generator = _call(
            "INLINE",
            _call("ARRAYS_ZIP", *(_call("COALESCE", values, exp.Array()) for values in lists)),
        )
    columns = [exp.to_identifier(name) for name in names]
    alias = exp.TableAlias(this=exp.to_identifier("unnested"), columns=columns)
    node.append("laterals", exp.Lateral(this=generator, view=True, alias=alias))
    return node


def _selection(node: exp.Select) -> exp.Expression:
    return _lateral(_replaced_columns(node))


def _unnested(node: exp.Explode) -> exp.Expression:
    """unnest(structs, recursive := true): one column for each field."""
    if not any(
        isinstance(option, (exp.PropertyEQ, exp.Kwarg, exp.EQ)) for option in node.expressions
    ):
        return node
    return exp.Inline(this=node.this)


def _columns(query: exp.Expression, columns_of: ColumnsOf | None) -> list[str]:
    """The names of the columns of a query, in order."""
    while isinstance(query, (exp.SetOperation, exp.Subquery)):
        query = query.this
    names: list[str] = []
    for item in query.expressions:
        star = item.this if isinstance(item, exp.Column) else item
        if isinstance(item, exp.Explode) and item.expressions:  # structs, one column for each field
            if not item.this.expressions:
                raise ValueError(
                    f"the fields of unnest({item.this.sql()}, recursive := true) are not known: "
                    "unnest in a CTE, and name them in the next"
                )
            names += [field.name for field in item.this.expressions[0].expressions]
            continue
        if not isinstance(star, exp.Star):
            names.append(item.alias_or_name)
            continue
        left_out = {name.name for name in star.args.get("except_") or []}
        table = item.table if isinstance(item, exp.Column) else ""
        names += [
            name
            for source in _sources(query)
            if table in ("", source.alias_or_name)
            for name in _columns_of_source(source, columns_of)
            if name not in left_out
        ]
    return names


def _sources(query: exp.Expression) -> Iterable[exp.Expression]:
    yield query.args["from_"].this
    for join in query.args.get("joins") or []:
        if join.side not in ("SEMI", "ANTI") and join.kind not in ("SEMI", "ANTI"):
            yield join.this


def _columns_of_source(source: exp.Expression, columns_of: ColumnsOf | None) -> list[str]:
    if isinstance(source, exp.Subquery):
        return _columns(source.this, columns_of)
    scope: exp.Expression | None = source
    while scope is not None and not source.db:
        with_ = scope.args.get("with_")
        for cte in with_.expressions if with_ else ():
            if cte.alias == source.name and source.find_ancestor(exp.CTE) is not cte:
                return _columns(cte.this, columns_of)
        scope = scope.parent
    if columns_of is None:
        raise ValueError(f"the columns of {source.sql()} are not known here")
    return columns_of(source)


def _match_columns(union: exp.SetOperation, columns_of: ColumnsOf | None) -> None:
    """Makes a union by name one by position: every side names all columns, missing ones null."""
    sides: list[exp.Expression] = []
    parts: exp.Expression = union
    while isinstance(parts, exp.SetOperation):
        sides.append(parts.expression)
        parts = parts.this
    sides.append(parts)
    sides.reverse()
    columns = [_columns(side, columns_of) for side in sides]
    names = list(dict.fromkeys(name for side in columns for name in side))
    node: exp.Expression | None = union
    while isinstance(node, exp.SetOperation):
        node.set("by_name", None)
        node = node.this
    for side, has in zip(sides, columns, strict=True):
        # the star of a join by `using` begins with its columns in Spark
        if has == names and not (isinstance(side, exp.Select) and side.is_star):
            continue
        selected = [
            exp.column(name) if name in has else exp.alias_(exp.null(), name) for name in names
        ]
        wrapped = exp.select(*selected).from_(
            exp.Subquery(this=side.copy(), alias=exp.TableAlias(this=exp.to_identifier("side")))
        )
        side.replace(wrapped)


RULES: dict[type[exp.Expression], Callable[..., exp.Expression]] = {
    exp.Div: _division,
    exp.Avg: _mean,
    exp.Median: _of_double,
    exp.Round: _round,
    exp.Filter: _aggregate,
    exp.IgnoreNulls: _aggregate,
    **dict.fromkeys(AGGREGATES, _aggregate),
    exp.WithinGroup: _percentile,
    exp.Window: _distinct_over,
    exp.PercentileDisc: _quantile,
    exp.Bracket: _bracket,
    exp.GenerateSeries: _series,
    exp.ArraySize: lambda node: _call("ARRAY_SIZE", node.this),  # size(null) may be -1
    exp.Left: _left,
    exp.Right: _left,
    exp.Anonymous: _anonymous,
    exp.Lower: _lower,
    exp.Format: _format,
    exp.RegexpReplace: _regexp_replace,
    exp.RegexpLike: _regexp_like,
    exp.RegexpFullMatch: lambda node: _call(
        "REGEXP_LIKE", node.this, _pattern(node.expression, whole=True)
    ),
    exp.RegexpExtract: _regexp_extract,
    exp.RegexpExtractAll: _regexp_extract,
    exp.RegexpSplit: _regexp_split,
    exp.ToMap: _map,
    exp.ArrayOverlaps: lambda node: _call("ARRAYS_OVERLAP", node.this, node.expression),
    exp.Explode: _unnested,
    exp.CTE: _not_materialized,
    exp.Select: _selection,
}
