with judged_names as (
    select reading as name
    from {{ ref('int_experiments__text_readings') }}
    union
    select gold_name as name
    from {{ ref('int_experiments__gold_names') }}
    union
    select {{ normalise_name("unnest(names)") }} as name
    from {{ ref('stg_registry__disease_family') }}
),

-- the extension codes of ICD-10-CM tell encounters apart, not diseases
aliases as (
    select
        aliases.alias_normalised as name,
        aliases.vocabulary = 'disease' as is_disease,
    from {{ ref('dim_concept_alias') }} as aliases
    left join {{ ref('dim_icd10_code') }} as codes on aliases.concept_id = codes.code
    where
        aliases.scope in ('preferred', 'exact', 'inclusion')
        and codes.kind is distinct from 'extension'
),

names as (
    select name
    from judged_names
    union
    select name
    from aliases
),

registry as (
    select
        word,
        same_as,
        kind,
        list_transform(axis_values, lambda v: axis || '=' || v) as axis_values,
    from {{ ref('stg_registry__name_word') }}
),

written as (
    select
        name,
        unnest({{ words_of_name("name") }}) as written_word,
    from names
),

spelt as (
    select distinct
        written_word,
        {{ singular("written_word") }} as singular,
    from written
    where written_word != ''
),

-- a word is looked up as written and then without its plural
read as (
    select
        spelt.written_word,
        coalesce(as_written.same_as, as_singular.same_as, spelt.singular) as word,
        coalesce(as_written.kind, as_singular.kind) as kind,
        coalesce(as_written.axis_values, as_singular.axis_values, []) as axis_values,
    from spelt
    left join registry as as_written on spelt.written_word = as_written.word
    left join registry as as_singular on spelt.singular = as_singular.word
),

meant as (
    select
        written.name,
        read.word,
        case
            when read.kind = 'mark' or {{ is_series_mark("read.word") }} then 'mark'
            when read.kind = 'qualifier' then 'qualifier'
            else 'word'
        end as kind,
        list_distinct(flatten(list(read.axis_values))) as axis_values,
    from written
    inner join read on written.written_word = read.written_word
    where read.kind is distinct from 'stop'
    group by all
),

known_names as (
    select
        name,
        bool_or(is_disease) as is_disease,
    from aliases
    group by all
),

sizes as (
    select
        count(*) as n_names,
        count(*) filter (where is_disease) as n_disease_names,
    from known_names
),

-- how much a word says: rare among the names of diseases, much; in every second name, little. What
-- no name of a disease has is weighed among all names
vocabulary as (
    select
        meant.word,
        count(distinct meant.name) as n_names,
        count(distinct meant.name) filter (where known_names.is_disease) as n_disease_names,
    from meant
    inner join known_names on meant.name = known_names.name
    group by all
),

weights as (
    select
        vocabulary.word,
        case
            when vocabulary.n_disease_names > 0
                then ln(sizes.n_disease_names / vocabulary.n_disease_names)
            else least(ln(sizes.n_names / vocabulary.n_names), ln(sizes.n_disease_names))
        end as weight,
    from vocabulary
    cross join sizes
),

final as (
    select
        meant.name,
        meant.word,
        meant.kind,
        meant.axis_values,
        -- a word no name has says as much as the rarest
        round(coalesce(weights.weight, ln(sizes.n_disease_names)), 9) as weight,
        weights.word is not null as is_known,
    from meant
    cross join sizes
    left join weights on meant.word = weights.word
)

select * from final
