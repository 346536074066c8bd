{#- The coefficients of agreement, names separated by spaces. The formulas are in
    python_llm/statistics/agreement.py, where the bootstrap needs them; a test holds the two lists
    together. -#}
{% macro agreement_coefficients() -%}
    agreement kappa kappa_linear kappa_quadratic alpha_nominal alpha_ordinal specific_agreement
{%- endmacro %}

{#- Whether a judge agrees with people at least as well as the person who agrees least with the
    others, beyond chance and with labels for nearly all ranks; agreement above that of all raters
    also counts. A rater belongs to the range whatever share of the ranks he labelled. Null where
    this cannot be decided: fewer than two raters, raters who do not agree beyond chance, or too few
    common ranks. -#}
{% macro is_calibrated(judge, n_ranks, range, coverage, minimum_ranks, minimum_labelled) -%}
    case
        when
            {{ n_ranks }} >= {{ minimum_ranks }}
            and {{ range }}.do_raters_agree
            then
                {{ judge }}.kappa_quadratic >= {{ range }}.lowest_rater
                and (
                    {{ judge }}.is_rater
                    or (
                        coalesce({{ judge }}.kappa_quadratic_low, 0) > 0
                        and {{ coverage }}.share_labelled >= {{ minimum_labelled }}
                    )
                )
    end
{%- endmacro %}

{#- Whether a judge gives everything one label, or none, over more ranks than chance explains. -#}
{% macro is_degenerate(n_labels_used, n_ranks, minimum_ranks) -%}
    ({{ n_labels_used }} < 2 and {{ n_ranks }} >= {{ minimum_ranks }})
{%- endmacro %}

{#- The questions about a whole list, in two readings: is the gold diagnosis (strict), or a broader or
    narrower name of it too (broad), among the first k, and at which rank does it first stand? -#}
{% macro list_questions() -%}
    {%- set names = [] -%}
    {%- for breadth in ["strict", "broad"] -%}
        {%- for depth in list_depths().split() -%}
            {%- do names.append("top" ~ depth ~ "_" ~ breadth) -%}
        {%- endfor -%}
        {%- do names.append("rank_" ~ breadth) -%}
    {%- endfor -%}
    {{- names | join(" ") -}}
{%- endmacro %}

{#- What was asked on a scale, in words. -#}
{% macro question_of_scale(scale) -%}
    case {{ scale }}
        when 'semantic' then 'the same relation of each rank'
        when 'severity' then 'the same severity of each rank'
        else
            if(
                {{ scale }} like 'rank%',
                'the same rank of ',
                'among the first ' || regexp_extract({{ scale }}, '[0-9]+') || ': '
            )
            || 'the gold diagnosis'
            || if({{ scale }} like '%broad', ' or a broader or narrower name', '')
    end
{%- endmacro %}

{#- An end of the interval of a coefficient. Where all resamples gave one value, that of the share
    that agrees is the interval of equal cases; a coefficient beyond chance has none. -#}
{% macro coefficient_end(statistics, name, sign) -%}
    {%- set value = statistics ~ "." ~ name -%}
    case
        {%- if name == "agreement" %}
            when {{ value }}_low = {{ value }}_high
                then {{ equal_values_end(value, statistics ~ ".n_cases", sign, 0, 1) }}
        {%- else %}
            when {{ value }}_low = {{ value }}_high then null
        {%- endif %}
        else {{ value }}_{{ "high" if sign == "+" else "low" }}
    end
{%- endmacro %}

{#- Why agreement on a scale is not that of all lists; null where it is: where as many lists are
    compared as on the first five, which every label of a list answers. `n`: the number compared,
    `compared`: the columns that name who and what is. -#}
{% macro caveat_of_scale(table, n, compared) -%}
    {%- set scale = table ~ ".scale" -%}
    {%- set of_scale -%}
        over (partition by {{ compared | join(", ") }}, split_part({{ scale }}, '_', 2))
    {%- endset -%}
    {%- set n_first_five -%}
        max(if({{ scale }} like 'top{{ max_scored_rank() }}%', {{ n }}, null)) {{ of_scale }}
    {%- endset -%}
    {%- set n_with_rank -%}
        max(if({{ scale }} like 'rank%', {{ n }}, null)) {{ of_scale }}
    {%- endset -%}
    case
        when {{ n }} >= {{ n_first_five }} then null
        when {{ scale }} like 'rank%'
            then 'only lists that both judges answered; labels that end at the fifth rank answer '
            || 'mostly where they found the gold diagnosis, and so select the lists'
        when
            {{ scale }} like 'top' || {{ deepest_list() }} || '%'
            and {{ n_with_rank }} >= {{ n_first_five }}
            then 'only lists of more than five: shorter ones answer as they do for the first five'
        when {{ scale }} like 'top' || {{ deepest_list() }} || '%'
            then 'only lists of more than five that both judges answered; labels that end at the '
            || 'fifth rank answer only where they found the gold diagnosis, and so select the lists'
    end
{%- endmacro %}

{#- The names of the labels of a scale, by their position on it: one row per scale and label. -#}
{% macro scale_labels() -%}
    select
        'semantic' as scale,
        distance as label_position,
        semantic_relation as label,
    from {{ ref('semantic_relations') }}
    where is_label
    union all
    select
        'severity' as scale,
        severity_value as label_position,
        severity as label,
    from {{ ref('severity_levels') }}
    where is_label
    {%- for question in list_questions().split() %}
        union all
        {%- if question.startswith("rank") %}
            select
                '{{ question }}' as scale,
                unnest(range(1, {{ deepest_list() }} + 2)) as label_position,
                if(
                    label_position > {{ deepest_list() }},
                    'gold not in list',
                    'gold at rank ' || label_position
                ) as label,
        {%- else %}
            select
                '{{ question }}' as scale,
                unnest([1, 2]) as label_position,
                unnest(['gold in list', 'gold not in list']) as label,
        {%- endif %}
    {%- endfor %}
{%- endmacro %}

{#- The judges' labels, one by one, in CTEs that end with `asked` and `given`: pattern_key,
    test_set, scale, case_id, n_units (ranks or lists with this pattern), judge_id, label_position.
    `asked` has every judge that was shown the rank or list, with a null where it gave no label;
    `given` has the labels that can be compared, at least two. All configurations of a test set are
    pooled, unless `pooled` is false. -#}
{% macro given_labels(pooled=true) -%}
patterns as (
    select
        *,
        row_number() over (order by test_set, configuration_id, scale, case_id, labels)
            as pattern_key,
    from {{ ref('int_experiments__label_patterns') }}
    {%- if pooled %}
        where configuration_id = 'all'
    {%- endif %}
),

shown as (
    select
        * exclude (labels),
        unnest(labels) as label,
    from patterns
),

asked as (
    select
        * exclude (label),
        label.judge_id,
        label.label_position,
    from shown
),

given as (
    select * from asked
    where label_position is not null
    qualify count(*) over (partition by pattern_key) > 1
)
{%- endmacro %}

{#- Whether a judge is calibrated, one row per judge and test set that a panel of people has
    labelled. With several panels, every panel that can tell has to agree. Raters who only said
    where the gold diagnosis stands can tell for whole lists whether it was found, as far down as
    they were asked; they did not say how generously they read a name, so one reading is enough. -#}
{% macro calibrations() -%}
    select
        judge_id,
        test_set,
        coalesce(
            bool_and(is_calibrated) filter (where scale = 'semantic'),
            bool_and(is_calibrated) filter (where scale like 'top%strict')
            or bool_and(is_calibrated) filter (where scale like 'top%broad')
        ) as is_calibrated,
        bool_and(is_calibrated) filter (where scale = 'severity') as is_severity_calibrated,
    from {{ ref('rpt_judge_calibration') }}
    group by all
{%- endmacro %}
