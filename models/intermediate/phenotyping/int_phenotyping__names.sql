with terms as (
    select * from {{ ref('dim_hpo_term') }}
    where is_phenotypic_abnormality
),

known_names as (
    select
        alias_normalised as name_normalised,
        language,
        concept_id as hpo_id,
        alias as name,
        scope,
        if(scope = 'preferred', 'name', 'synonym') as method,
        source = 'layperson' as is_lay,
    from {{ ref('dim_concept_alias') }}
    where vocabulary = 'hpo'
),

own_names as (
    select
        {{ normalise_name("name") }} as name_normalised,
        language,
        hpo_id,
        name,
        'exact' as scope,
        'synonym' as method,
        true as is_lay,
    from {{ ref('phenotype_names') }}
),

names as (
    select * from known_names
    union all
    select * from own_names
),

-- the same name of the same term from two sources is one, by its stronger claim
distinct_names as (
    select
        names.*,
        {{ name_claim("names.scope") }} as claim,
        terms.depth,
    from names
    inner join terms on names.hpo_id = terms.hpo_id
    qualify
        row_number() over (
            partition by names.name_normalised, names.language, names.hpo_id
            order by {{ name_claim("names.scope") }} desc, names.is_lay asc, names.name asc
        ) = 1
),

-- where one name means several terms, the strongest claim wins; among equals the broader term,
-- which is true of both, then the lower id
final as (
    select
        * exclude (depth),
        row_number() over (
            partition by name_normalised, language
            order by claim desc, depth asc, hpo_id asc
        ) = 1 as is_meant,
        row_number() over (
            partition by name_normalised
            order by claim desc, depth asc, hpo_id asc, language asc
        ) = 1 as is_looked_up,
    from distinct_names
)

select * from final
