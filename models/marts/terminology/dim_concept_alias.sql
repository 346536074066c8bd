with icd10_names as (
    select
        *,
        {{ normalise_name("alias") }} as alias_normalised,
        code as concept_id,
        'icd10cm' as vocabulary,
        'en' as language,
    from {{ ref('int_terminology__icd10_alias') }}
),

abbreviations as (
    select *
    from {{ ref('clinical_abbreviation') }}
    where icd10_code is not null
),

-- an English name that ICD-10-CM itself has stands for the code ICD-10-CM gives it
official_names as (
    select distinct alias_normalised,
    from icd10_names
),

notes_names as (
    select
        icd10_code as concept_id,
        abbreviation as alias,
        'abbreviation' as scope,
        language,
        source,
    from abbreviations
    union all
    select
        abbreviations.icd10_code as concept_id,
        abbreviations.expansion as alias,
        'exact' as scope,
        abbreviations.language,
        abbreviations.source,
    from abbreviations
    left join official_names
        on {{ normalise_name("abbreviations.expansion") }} = official_names.alias_normalised
    where abbreviations.language != 'en' or official_names.alias_normalised is null
    union all
    select
        icd10_code as concept_id,
        name as alias,
        if({{ is_imported_abbreviation("name") }}, 'abbreviation', 'exact') as scope,
        language,
        source,
    from {{ ref('clinical_name') }}
    where icd10_code is not null
),

-- another release may lack a code that was written by hand
clinical_names as (
    select
        notes_names.*,
        'icd10cm' as vocabulary,
    from notes_names
    semi join {{ ref('dim_icd10_code') }} as codes on notes_names.concept_id = codes.code
),

hpo_terms as (
    select *
    from {{ ref('hpo_term') }}
    where not is_obsolete
),

hpo_names as (
    select
        id as concept_id,
        name as alias,
        'hpo' as vocabulary,
        'preferred' as scope,
        'en' as language,
        'name' as source,
    from hpo_terms
),

hpo_synonyms as (
    select
        synonyms.id as concept_id,
        synonyms.synonym as alias,
        'hpo' as vocabulary,
        case synonyms.type
            when 'abbreviation' then 'abbreviation'
            when 'obsolete_synonym' then 'related'
            else synonyms.scope
        end as scope,
        'en' as language,
        coalesce(synonyms.type, 'synonym') as source,
    from {{ ref('hpo_synonym') }} as synonyms
    semi join hpo_terms on synonyms.id = hpo_terms.id
),

-- an unapproved translation is not a name of a term
hpo_translations as (
    select
        translations.hpo_id as concept_id,
        translations.translated_name as alias,
        'hpo' as vocabulary,
        'exact' as scope,
        translations.language,
        'translation ' || translations.translation_status as source,
        translations.source || ' ' || translations.release as imported_release,
    from {{ ref('stg_import__term_translation') }} as translations
    semi join hpo_terms on translations.hpo_id = hpo_terms.id
    where translations.translation_status = 'official' and translations.language != 'en'
),

disease_names as (
    select
        disease_id as concept_id,
        disease_name as alias,
        'disease' as vocabulary,
        scope,
        'en' as language,
        source_disease_id as source,
        imported_release,
    from {{ ref('int_terminology__disease_alias') }}
),

disease_translations as (
    select
        canonical_diseases.disease_id as concept_id,
        imported_names.source_name as alias,
        'disease' as vocabulary,
        case
            when {{ is_imported_abbreviation("imported_names.source_name") }} then 'abbreviation'
            else 'exact'
        end as scope,
        imported_names.language,
        imported_names.source_disease_id as source,
        imported_names.source || ' ' || imported_names.release as imported_release,
    from {{ ref('stg_import__disease_name') }} as imported_names
    inner join {{ ref('int_terminology__disease_canonical') }} as canonical_diseases
        on imported_names.source_disease_id = canonical_diseases.source_disease_id
    where imported_names.is_active and imported_names.language != 'en'
),

class_names as (
    select
        mondo_id as concept_id,
        name as alias,
        'mondo' as vocabulary,
        if(scope = 'exact' and {{ is_imported_abbreviation("name") }}, 'abbreviation', scope)
            as scope,
        'en' as language,
        if(scope = 'preferred', 'name', 'synonym') as source,
    from {{ ref('mondo_name') }}
),

listed_names as (
    {%- for part in [
        "icd10_names", "clinical_names", "hpo_names", "hpo_synonyms", "hpo_translations",
        "disease_names", "disease_translations", "class_names",
    ] %}
        select * from {{ part }}
        {%- if not loop.last %}
            union all by name
        {%- endif %}
    {%- endfor %}
),

-- normalising them takes longest of all: once
aliases as (
    select
        * exclude (alias_normalised),
        coalesce(alias_normalised, {{ normalise_name("alias") }}) as alias_normalised,
    from listed_names
),

-- a name written by hand means every disease that the name beside it means; findings keep their own
same_names as (
    select
        {{ normalise_name("names.name") }} as alias_normalised,
        aliases.concept_id,
        names.name as alias,
        aliases.vocabulary,
        if({{ is_imported_abbreviation("names.name") }}, 'abbreviation', 'exact') as scope,
        names.language,
        names.source,
    from {{ ref('clinical_name') }} as names
    inner join aliases
        on {{ normalise_name("names.known_name") }} = aliases.alias_normalised
    where
        aliases.vocabulary != 'hpo'
        and aliases.language = 'en'
        and aliases.scope in ('preferred', 'exact', 'inclusion')
),

normalised as (
    select * from aliases
    union all by name
    select * from same_names
),

-- a name in British spelling is found in American spelling, too
spelt as (
    select * from normalised
    union all by name
    select
        * replace (
            {{ american_spelling("alias_normalised") }} as alias_normalised,
            if(scope = 'preferred', 'exact', scope) as scope
        ),
    from normalised
    where
        {{ is_spelt_in_british("alias_normalised") }}
        and alias_normalised != {{ american_spelling("alias_normalised") }}
),

releases as (
    select
        case seed
            when 'icd10cm_code' then 'icd10cm'
            when 'hpo_term' then 'hpo'
            when 'disease' then 'disease'
            when 'mondo_name' then 'mondo'
        end as vocabulary,
        release,
    from {{ ref('terminology_manifest') }}
    where seed in ('icd10cm_code', 'hpo_term', 'disease', 'mondo_name')
),

-- a name listed twice for one concept and language keeps its strongest scope
final as (
    select
        spelt.alias_normalised,
        spelt.concept_id,
        spelt.alias,
        spelt.vocabulary,
        spelt.scope,
        spelt.language,
        spelt.source,
        coalesce(spelt.imported_release, releases.release) as release,
    from spelt
    inner join releases on spelt.vocabulary = releases.vocabulary
    where spelt.alias_normalised != ''
    qualify
        row_number() over (
            partition by
                spelt.alias_normalised, spelt.concept_id, spelt.language
            order by
                list_position(
                    [
                        'preferred', 'exact', 'inclusion', 'abbreviation', 'narrow', 'broad',
                        'related',
                    ],
                    spelt.scope
                ),
                spelt.alias,
                spelt.source
        ) = 1
)

select * from final
