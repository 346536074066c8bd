with judged_names as (
    select reading as name
    from {{ ref('int_experiments__text_readings') }}
    union
    select gold_name as name
    from {{ ref('int_experiments__gold_names') }}
),

profiles as (
    select
        name,
        core,
        coalesce(series_marks, '') as series_marks,
        qualifiers,
        axis_values,
    from {{ ref('int_experiments__name_profiles') }}
),

aliases as (
    select
        alias_normalised as name,
        concept_id,
        vocabulary,
        scope,
        -- what a code is called, and not one of the things coded to it
        source != 'inclusion_term' as is_title,
    from {{ ref('dim_concept_alias') }}
    where
        vocabulary in ('disease', 'icd10cm', 'mondo')
        or (vocabulary = 'hpo' and scope in ('preferred', 'exact'))
),

-- an abbreviation names a disease only where it means one thing; a disease and the class of Mondo
-- that holds it are not two
ambiguous_abbreviations as (
    select name,
    from aliases
    where scope = 'abbreviation' and vocabulary != 'hpo'
    group by name, vocabulary = 'mondo'
    having count(distinct concept_id) > 1
),

by_name as (
    select
        judged_names.name,
        aliases.concept_id,
        aliases.vocabulary,
        aliases.is_title,
        case
            -- ICD-10-CM lists under a heading examples of what it includes
            when aliases.scope in ('narrow', 'broad', 'related') then 3
            -- Mondo gives some classes the name of another as a synonym
            when aliases.vocabulary = 'mondo' and aliases.scope = 'preferred' then 0
            else 1
        end as level,
    from judged_names
    inner join aliases on judged_names.name = aliases.name
    anti join ambiguous_abbreviations
        on
            aliases.scope = 'abbreviation'
            and aliases.name = ambiguous_abbreviations.name
),

-- 'other disorders of X' are what is left of X, and not X; an extension code of ICD-10-CM, which
-- tells encounters apart, is named by its very title, whoever else has written that title
worded_aliases as (
    select
        aliases.concept_id,
        aliases.vocabulary,
        aliases.is_title,
        profiles.core,
        profiles.series_marks,
        profiles.qualifiers,
        profiles.axis_values,
    from aliases
    inner join profiles on aliases.name = profiles.name
    left join {{ ref('dim_icd10_code') }} as codes on aliases.concept_id = codes.code
    where
        aliases.scope in ('preferred', 'exact', 'inclusion')
        and codes.kind is distinct from 'extension'
        and profiles.core != ''
        and not regexp_matches(aliases.name, '\bother\b')
),

compared as (
    select
        judged_names.name,
        worded_aliases.concept_id,
        worded_aliases.vocabulary,
        worded_aliases.is_title,
        profiles.series_marks = worded_aliases.series_marks as is_same_mark,
        worded_aliases.qualifiers as alias_qualifiers,
        profiles.qualifiers,
        worded_aliases.axis_values as alias_values,
        profiles.axis_values,
    from judged_names
    inner join profiles on judged_names.name = profiles.name
    inner join worded_aliases
        on
            profiles.core = worded_aliases.core
            and worded_aliases.series_marks in (profiles.series_marks, '')
),

by_words as (
    select
        name,
        concept_id,
        vocabulary,
        is_title,
        case
            when
                is_same_mark
                and list_has_all(alias_qualifiers, qualifiers)
                and list_has_all(alias_values, axis_values)
                then 2
            else 3
        end as level,
    from compared
    where
        list_has_all(qualifiers, alias_qualifiers)
        and list_has_all(axis_values, alias_values)
),

everything as (
    select
        name,
        concept_id,
        vocabulary,
        is_title,
        level,
    from by_name
    union all
    select
        name,
        concept_id,
        vocabulary,
        is_title,
        level,
    from by_words
),

found as (
    select
        name,
        concept_id,
        vocabulary,
        min(level) as level,
        bool_or(is_title) as is_title,
    from everything
    group by all
),

-- a vocabulary that knows the name itself is not searched for its words, nor for a part of them
final as (
    select
        name,
        concept_id,
        vocabulary,
        case when level < 2 then 'name' when level = 2 then 'words' else 'part' end as found_by,
        level < 3 as is_exact,
        is_title,
    from found
    qualify level = min(level) over (partition by name, vocabulary)
)

select * from final
