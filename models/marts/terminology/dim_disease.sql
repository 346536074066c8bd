with canonical_diseases as (
    select * from {{ ref('int_terminology__disease_canonical') }}
),

names as (
    select *
    from {{ ref('int_terminology__disease_alias') }}
    where scope = 'preferred'
),

sources as (
    select
        disease_id,
        list_sort(list(distinct source_vocabulary)) as source_vocabularies,
        list_sort(list(source_disease_id)) as source_disease_ids,
    from canonical_diseases
    group by all
),

onset_terms as (
    select hpo_id
    from {{ ref('bridge_hpo_ancestor') }}
    where ancestor_hpo_id = '{{ hpo_onset() }}'
),

terms as (
    select * from {{ ref('hpo_term') }}
),

courses as (
    select
        annotations.disease_id,
        list_sort(
            list(distinct annotations.hpo_id) filter (where annotations.aspect = 'I')
        ) as inheritance_hpo_ids,
        list_sort(
            list(distinct terms.name) filter (where annotations.aspect = 'I')
        ) as inheritance_names,
        list_sort(
            list(distinct annotations.hpo_id) filter (where onset_terms.hpo_id is not null)
        ) as onset_hpo_ids,
    from {{ ref('int_terminology__disease_annotation') }} as annotations
    inner join terms on annotations.hpo_id = terms.id
    left join onset_terms on annotations.hpo_id = onset_terms.hpo_id
    where not annotations.is_negated and annotations.aspect in ('I', 'C')
    group by all
),

genes as (
    select
        disease_id,
        list_sort(list(gene_symbol)) as gene_symbols,
    from {{ ref('bridge_disease_gene') }}
    group by all
),

phenotypes as (
    select
        disease_id,
        count(*) filter (where not is_excluded) as n_phenotypes,
        count(*) filter (where is_excluded) as n_excluded_phenotypes,
    from {{ ref('bridge_disease_phenotype') }}
    group by all
),

-- diseases of an imported nomenclature alone carry its release
annotated as (
    select
        canonical_diseases.disease_id,
        min(annotated_ids.release) as release,
    from canonical_diseases
    inner join {{ ref('disease') }} as annotated_ids
        on canonical_diseases.source_disease_id = annotated_ids.disease_id
    group by all
),

imported as (
    select
        canonical_diseases.disease_id,
        max(imported_names.source || ' ' || imported_names.release) as imported_release,
    from canonical_diseases
    inner join {{ ref('stg_import__disease_name') }} as imported_names
        on canonical_diseases.source_disease_id = imported_names.source_disease_id
    group by all
),

final as (
    select
        sources.disease_id,
        names.disease_name,
        sources.source_vocabularies,
        sources.source_disease_ids,
        coalesce(courses.inheritance_hpo_ids, []) as inheritance_hpo_ids,
        coalesce(courses.inheritance_names, []) as inheritance_names,
        coalesce(courses.onset_hpo_ids, []) as onset_hpo_ids,
        coalesce(genes.gene_symbols, []) as gene_symbols,
        coalesce(annotated.release, imported.imported_release) as release,
        coalesce(phenotypes.n_phenotypes, 0) as n_phenotypes,
        coalesce(phenotypes.n_excluded_phenotypes, 0) as n_excluded_phenotypes,
    from sources
    left join names on sources.disease_id = names.disease_id
    left join courses on sources.disease_id = courses.disease_id
    left join genes on sources.disease_id = genes.disease_id
    left join phenotypes on sources.disease_id = phenotypes.disease_id
    left join annotated on sources.disease_id = annotated.disease_id
    left join imported on sources.disease_id = imported.disease_id
)

select * from final
