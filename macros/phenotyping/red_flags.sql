{#- The CTE `raised`: the flags that the findings of `phenotypes` raise, given `red_flags`
    (dim_red_flag) and the age in `cases`. A finding raises a flag if it is there today, its sentence
    has the words that the flag asks for, one of the findings that the flag wants beside it is there
    too, and the patient is below the age. Of several that one finding raises, the gravest counts,
    and of those a picture rather than the bare finding. -#}
{% macro raised_flags() -%}
present as (
    select
        case_id,
        list(hpo_id) as hpo_ids,
    from phenotypes
    where status = 'present'
    group by all
),

raised as (
    select
        phenotypes.case_id,
        red_flags.*,
    from phenotypes
    inner join red_flags on phenotypes.hpo_id = red_flags.hpo_id
    inner join present on phenotypes.case_id = present.case_id
    inner join cases on phenotypes.case_id = cases.case_id
    where
        phenotypes.status = 'present'
        and (
            red_flags.words is null
            or regexp_matches(lower(strip_accents(phenotypes.evidence)), red_flags.words)
        )
        and (
            red_flags.with_hpo_ids is null
            or list_has_any(present.hpo_ids, red_flags.with_hpo_ids)
        )
        and (red_flags.below_years is null or cases.age_years < red_flags.below_years)
    qualify
        row_number() over (
            partition by phenotypes.case_id, phenotypes.hpo_id
            order by
                (red_flags.severity = 'URGENT') desc,
                red_flags.is_picture desc,
                red_flags.flag_name asc
        ) = 1
)
{%- endmacro %}
