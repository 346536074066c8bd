{{ config(severity='warn', meta={'holds_of': 'data'}) }}

with expected (disease_id, twin_id, disease_name, gene_symbol, inheritance, hpo_id) as (
    values
    (
        'OMIM:154700', 'ORPHA:558', 'Marfan syndrome', 'FBN1', 'Autosomal dominant inheritance',
        'HP:0001166'
    ),
    (
        'OMIM:194190', 'DECIPHER:1', 'Wolf-Hirschhorn syndrome', 'NSD2',
        'Autosomal dominant inheritance', 'HP:0000252'
    ),
    (
        'OMIM:219700', 'ORPHA:586', 'Cystic fibrosis', 'CFTR',
        'Autosomal recessive inheritance', 'HP:0006538'
    )
),

final as (
    select
        expected.disease_id,
        diseases.disease_name,
        diseases.source_disease_ids,
        diseases.gene_symbols,
        diseases.inheritance_names,
        phenotypes.frequency,
    from expected
    left join {{ ref('dim_disease') }} as diseases on expected.disease_id = diseases.disease_id
    left join {{ ref('bridge_disease_phenotype') }} as phenotypes
        on
            expected.disease_id = phenotypes.disease_id
            and expected.hpo_id = phenotypes.hpo_id
    where
        diseases.disease_name is distinct from expected.disease_name
        or not coalesce(list_contains(diseases.source_disease_ids, expected.twin_id), false)
        or not coalesce(list_contains(diseases.gene_symbols, expected.gene_symbol), false)
        or not coalesce(list_contains(diseases.inheritance_names, expected.inheritance), false)
        or coalesce(phenotypes.frequency, 0) = 0
)

select * from final
