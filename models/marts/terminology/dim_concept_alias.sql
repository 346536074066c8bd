with icd10_names as (
    select
        alias,
        code as concept_id,
        'icd10cm' as vocabulary,
        scope,
        'en' as language,
        source,
    from {{ ref('int_terminology__icd10_alias') }}
),

clinical_names as (
    select
        alias,
        code as concept_id,
        'icd10cm' as vocabulary,
        scope,
        language,
        source,
    from {{ ref('int_terminology__clinical_alias') }}
),

hpo_terms as (
    select
        hpo_id,
        hpo_name,
    from {{ ref('stg_hpo__term') }}
    where not is_obsolete
),

hpo_names as (
    select
        hpo_name as alias,
        hpo_id as concept_id,
        'hpo' as vocabulary,
        'preferred' as scope,
        'en' as language,
        'name' as source,
    from hpo_terms
),

hpo_synonyms as (
    select
        synonyms.synonym as alias,
        synonyms.hpo_id as concept_id,
        'hpo' as vocabulary,
        case synonyms.synonym_type
            when 'abbreviation' then 'abbreviation'
            when 'obsolete_synonym' then 'related'
            else synonyms.scope
        end as scope,
        'en' as language,
        coalesce(synonyms.synonym_type, 'synonym') as source,
    from {{ ref('stg_hpo__synonym') }} as synonyms
    inner join hpo_terms on synonyms.hpo_id = hpo_terms.hpo_id
),

disease_names as (
    select
        disease_name as alias,
        disease_id as concept_id,
        'disease' as vocabulary,
        scope,
        'en' as language,
        source_disease_id as source,
        imported_release,
    from {{ ref('int_terminology__disease_alias') }}
),

class_names as (
    select
        name as alias,
        mondo_id as concept_id,
        'mondo' as vocabulary,
        if(scope = 'exact' and {{ is_imported_abbreviation("name") }}, 'abbreviation', scope)
            as scope,
        'en' as language,
        if(scope = 'preferred', 'name', 'synonym') as source,
    from {{ ref('mondo_name') }}
),

translated_names as (
    select * from {{ ref('int_terminology__translated_alias') }}
),

aliases as (
    {%- for part in [
        "icd10_names", "clinical_names", "hpo_names", "hpo_synonyms", "disease_names",
        "class_names", "translated_names",
    ] %}

        select
            alias,
            concept_id,
            vocabulary,
            scope,
            language,
            source,
            {% if part in ['disease_names', 'translated_names'] -%}
                imported_release,
            {%- else -%}
                null as imported_release,
            {%- endif %}
        from {{ part }}
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

normalised as (
    select
        {{ normalise_name("alias") }} as alias_normalised,
        concept_id,
        alias,
        vocabulary,
        scope,
        language,
        source,
        imported_release,
    from aliases
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

-- one name of one concept in one language written twice keeps its strongest claim
final as (
    select
        normalised.alias_normalised,
        normalised.concept_id,
        normalised.alias,
        normalised.vocabulary,
        normalised.scope,
        normalised.language,
        normalised.source,
        coalesce(normalised.imported_release, releases.release) as release,
    from normalised
    inner join releases on normalised.vocabulary = releases.vocabulary
    where normalised.alias_normalised != ''
    qualify
        row_number() over (
            partition by
                normalised.alias_normalised, normalised.concept_id, normalised.language
            order by
                list_position(
                    [
                        'preferred', 'exact', 'inclusion', 'abbreviation', 'narrow', 'broad',
                        'related',
                    ],
                    normalised.scope
                ),
                normalised.alias,
                normalised.source
        ) = 1
)

select * from final
