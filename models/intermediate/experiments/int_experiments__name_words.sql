with names as (
    select reading as name
    from {{ ref('int_experiments__diagnosis_readings') }}
    union
    select gold_name as name
    from {{ ref('int_experiments__gold_names') }}
),

registry as (
    select
        word,
        same_as,
        kind,
    from {{ ref('stg_registry__name_word') }}
),

disease_names as (
    select distinct alias_normalised as name
    from {{ ref('dim_concept_alias') }}
    where vocabulary = 'disease' and scope in ('preferred', 'exact')
),

written as (
    select
        name,
        unnest(string_split(name, ' ')) as word,
    from names
),

written_by_others as (
    select
        name,
        unnest(string_split(name, ' ')) as word,
    from disease_names
),

-- how much a word says: rare among the names of diseases, much; in every second name, little
vocabulary as (
    select
        coalesce(registry.same_as, written_by_others.word) as word,
        ln(
            (select count(*) from disease_names) / count(distinct written_by_others.name)
        ) as weight,
    from written_by_others
    left join registry on written_by_others.word = registry.word
    where registry.kind is distinct from 'stop'
    group by all
),

meant as (
    select distinct
        written.name,
        coalesce(registry.same_as, written.word) as word,
        coalesce(registry.kind = 'mark', false)
        or {{ is_series_mark("coalesce(registry.same_as, written.word)") }} as is_series_mark,
    from written
    left join registry on written.word = registry.word
    where registry.kind is distinct from 'stop' and written.word != ''
),

final as (
    select
        meant.name,
        meant.word,
        -- a word no disease name has says as much as the rarest
        round(
            coalesce(vocabulary.weight, ln((select count(*) from disease_names))), 9
        ) as weight,
        meant.is_series_mark,
        vocabulary.word is not null as is_known,
    from meant
    left join vocabulary on meant.word = vocabulary.word
)

select * from final
