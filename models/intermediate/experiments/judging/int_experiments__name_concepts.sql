-- A vocabulary is searched for the name itself first, then for its words in another order or
-- language, and last for a part of them. The level says which search matched: 0 and 1 the name, 2
-- its words, 3 a related or broader name.
with readings as (
    select unnest(readings) as item,
    from {{ ref('int_experiments__reading_keys') }}
),

judged_names as (
    select item.reading as name
    from readings
    union
    select gold_name as name
    from {{ ref('int_experiments__gold_names') }}
),

profiles as (
    select * replace (coalesce(series_marks, '') as series_marks),
    from {{ ref('int_experiments__name_profiles') }}
),

codes as (
    select * from {{ ref('dim_icd10_code') }}
),

-- FSHD is the class, not the first of its types that is abbreviated alike
lower_abbreviations as (
    select distinct
        lower_names.alias_normalised,
        lower_names.concept_id,
    from {{ ref('dim_concept_alias') }} as lower_names
    inner join {{ ref('bridge_disease_class_ancestor') }} as classes
        on lower_names.concept_id = classes.mondo_id and classes.distance > 0
    inner join {{ ref('dim_concept_alias') }} as upper_names
        on
            classes.ancestor_mondo_id = upper_names.concept_id
            and lower_names.alias_normalised = upper_names.alias_normalised
            and upper_names.scope = 'abbreviation'
    where lower_names.scope = 'abbreviation'
),

aliases as (
    select
        alias_normalised as name,
        concept_id,
        vocabulary,
        scope,
        -- the name of the code itself, not of something coded to it
        source != 'inclusion_term' as is_title,
    from {{ ref('dim_concept_alias') }}
    anti join lower_abbreviations using (alias_normalised, concept_id)
    where
        vocabulary in ('disease', 'icd10cm', 'mondo')
        or (vocabulary = 'hpo' and scope in ('preferred', 'exact'))
),

-- an abbreviation names a disease only if it has one meaning; a disease and its Mondo class count
-- as one
ambiguous_abbreviations as (
    select name,
    from aliases
    where scope = 'abbreviation' and vocabulary != 'hpo'
    group by name, vocabulary = 'mondo'
    having count(distinct concept_id) > 1
),

-- 'other disorders of X' are the remainder of X, and 'X and related syndromes' are more than X. An
-- extension code of ICD-10-CM, which distinguishes encounters, is named only by its exact title,
-- whoever else has written it
worded_aliases as (
    select
        aliases.* exclude (name),
        profiles.* exclude (name),
    from aliases
    inner join profiles using (name)
    left join codes on aliases.concept_id = codes.code
    where
        aliases.scope in ('preferred', 'exact', 'inclusion')
        and codes.kind is distinct from 'extension'
        and profiles.core != ''
        and not regexp_matches(aliases.name, '\b(other|and related)\b')
),

qualifiers as (
    select list(word) as words,
    from {{ ref('name_words') }}
    where kind = 'qualifier'
),

-- what a qualified abbreviation abbreviates: 'chronic ITP'
unqualified_names as (
    select
        judged_names.name,
        {{ without_words("judged_names.name", "qualifiers.words") }} as unqualified,
    from judged_names
    cross join qualifiers
    where judged_names.name like '% %'
),

candidates as (
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
    inner join aliases using (name)
    anti join ambiguous_abbreviations
        on
            aliases.scope = 'abbreviation'
            and aliases.name = ambiguous_abbreviations.name
    union all
    -- 'VHL syndrome' is VHL
    select
        judged_names.name,
        aliases.concept_id,
        aliases.vocabulary,
        aliases.is_title,
        2 as level,
    from judged_names
    inner join aliases
        on
            aliases.scope = 'abbreviation'
            and aliases.name = regexp_extract(
                judged_names.name, '^([a-z][a-z0-9]+) (disease|disorder|syndrome)$', 1
            )
    anti join ambiguous_abbreviations on aliases.name = ambiguous_abbreviations.name
    union all
    select
        unqualified_names.name,
        aliases.concept_id,
        aliases.vocabulary,
        aliases.is_title,
        3 as level,
    from unqualified_names
    inner join aliases
        on aliases.scope = 'abbreviation' and unqualified_names.unqualified = aliases.name
    anti join ambiguous_abbreviations on aliases.name = ambiguous_abbreviations.name
    union all
    -- the name has all the words of the alias, and at level 2 no others
    select
        judged_names.name,
        worded_aliases.concept_id,
        worded_aliases.vocabulary,
        worded_aliases.is_title,
        if(
            profiles.series_marks = worded_aliases.series_marks
            and list_has_all(worded_aliases.qualifiers, profiles.qualifiers)
            and list_has_all(worded_aliases.axis_values, profiles.axis_values),
            2,
            3
        ) as level,
    from judged_names
    inner join profiles using (name)
    inner join worded_aliases
        on
            profiles.core = worded_aliases.core
            and worded_aliases.series_marks in (profiles.series_marks, '')
            and list_has_all(profiles.qualifiers, worded_aliases.qualifiers)
            and list_has_all(profiles.axis_values, worded_aliases.axis_values)
),

levels as (
    select
        name,
        concept_id,
        vocabulary,
        min(level) as level,
        bool_or(is_title) as is_title,
    from candidates
    group by all
),

-- a vocabulary that has the name itself is not searched for its words or a part of them
final as (
    select
        name,
        concept_id,
        vocabulary,
        case when level < 2 then 'name' when level = 2 then 'words' else 'part' end as found_by,
        level < 3 as is_exact,
        is_title,
    from levels
    qualify level = min(level) over (partition by name, vocabulary)
)

select * from final
