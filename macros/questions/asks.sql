{#- The CTEs that every relation of asks needs: composed prompts, and models as request_columns()
    expects them. -#}
{% macro prompts_and_models() -%}
{{ composed_prompts() }},

{{ callable_models() }}
{%- endmacro %}

{#- The options as they are shown, one a line: 'A) Aspirin'. -#}
{% macro lettered_options(options) -%}
    array_to_string(
        list_transform(
            range(1, len({{ options }}) + 1),
            lambda i: chr((64 + i)::integer) || ') ' || {{ options }}[i]
        ),
        e'\n'
    )
{%- endmacro %}

{#- The places of n options in another order, the same in every build and never the published one:
    where a hash leaves all in place, each moves up by one. -#}
{% macro shuffled_order(n_options, question_id, repeat_number) -%}
    list_transform(
        [list_transform(
            list_sort(list_transform(
                range(1, {{ n_options }} + 1),
                lambda i: { h: md5({{ question_id }} || '/' || {{ repeat_number }} || '/' || i), i: i }
            )),
            lambda item: item.i
        )],
        lambda places: if(
            places = range(1, {{ n_options }} + 1),
            list_concat(range(2, {{ n_options }} + 1), [1::bigint]),
            places
        )
    )[1]
{%- endmacro %}

{#- The published letter of a letter that was shown, given the order of the options. -#}
{% macro published_letter(letter, option_order) -%}
    chr((64 + {{ option_order }}[ascii({{ letter }}) - 64])::integer)
{%- endmacro %}

{#- Placeholders for a question without a vignette, or without a stem of its own. -#}
{% macro shown_vignette(vignette) -%}
    coalesce({{ vignette }}, '(no case: the question stands alone)')
{%- endmacro %}
{% macro shown_stem(stem) -%}
    coalesce({{ stem }}, '(the question is part of the case above)')
{%- endmacro %}

{#- The status of an ask: ok if the answer could be read, even one cut off; a parse error if not;
    without an answer, the status that came back. -#}
{% macro read_status(parse_status, status) -%}
    case
        when {{ parse_status }} = 'ok' then 'ok'
        when {{ status }} = 'ok' then 'parse_error'
        else {{ status }}
    end
{%- endmacro %}
