with translations as (
    select
        hpo_id,
        language,
        translated_name,
        translation_status,
        source || ' ' || release as imported_release,
    from {{ ref('stg_import__term_translation') }}
    where translation_status = 'official' and language != 'en'
),

terms as (
    select hpo_id,
    from {{ ref('stg_hpo__term') }}
    where not is_obsolete
),

disease_names as (
    select
        source_disease_id,
        source_name,
        language,
        source || ' ' || release as imported_release,
    from {{ ref('stg_import__disease_name') }}
    where is_active and language != 'en'
),

canonical_diseases as (
    select * from {{ ref('int_terminology__disease_canonical') }}
),

final as (
    select distinct
        translations.translated_name as alias,
        translations.hpo_id as concept_id,
        'hpo' as vocabulary,
        'exact' as scope,
        translations.language,
        'translation ' || translations.translation_status as source,
        translations.imported_release,
    from translations
    inner join terms on translations.hpo_id = terms.hpo_id
    union
    select
        disease_names.source_name as alias,
        canonical_diseases.disease_id as concept_id,
        'disease' as vocabulary,
        case
            when {{ is_imported_abbreviation("disease_names.source_name") }} then 'abbreviation'
            else 'exact'
        end as scope,
        disease_names.language,
        disease_names.source_disease_id as source,
        disease_names.imported_release,
    from disease_names
    inner join canonical_diseases
        on disease_names.source_disease_id = canonical_diseases.source_disease_id
)

select * from final
