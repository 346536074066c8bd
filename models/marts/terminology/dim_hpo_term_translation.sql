with terms as (
    select *
    from {{ ref('hpo_term') }}
    where not is_obsolete
),

translations as (
    select *
    from {{ ref('stg_import__term_translation') }}
    where language != 'en'
),

-- the narratives request Spanish, translated or not
languages as (
    select 'en' as language
    union
    select 'es' as language
    union
    select language from translations
),

-- an unapproved translation must not be written into a case
official_translations as (
    select *
    from translations
    where translation_status = 'official'
    qualify
        row_number() over (
            partition by hpo_id, language order by source, translated_name
        ) = 1
),

statuses as (
    select
        hpo_id,
        language,
        min(translation_status) as translation_status,
    from translations
    group by all
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'hpo_term'
),

final as (
    select
        terms.id as hpo_id,
        languages.language,
        coalesce(official.translated_name, terms.name) as name,
        case
            when official.translated_name is null then 'en' else languages.language
        end as name_language,
        case
            when languages.language = 'en' then 'original'
            else coalesce(official.translation_status, statuses.translation_status, 'missing')
        end as translation_status,
        official.source as translation_source,
        official.source_name as translated_from,
        release.release,
        languages.language = name_language as is_in_language,
        coalesce(
            {{ normalise_name("official.source_name") }} != {{ normalise_name("terms.name") }},
            false
        ) as is_renamed_since,
    from terms
    cross join languages
    cross join release
    left join official_translations as official
        on terms.id = official.hpo_id and languages.language = official.language
    left join statuses
        on terms.id = statuses.hpo_id and languages.language = statuses.language
)

select * from final
