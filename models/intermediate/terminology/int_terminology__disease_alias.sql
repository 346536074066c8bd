with names as (
    select * from {{ ref('int_terminology__disease_name') }}
),

spoken_names as (
    select * from {{ ref('int_terminology__disease_spoken_name') }}
),

all_names as (
    select * from names
    union all by name
    select
        * exclude (heading),
        'OMIM' as source_vocabulary,
        {{ normalise_name("disease_name") }} as disease_name_normalised,
        false as is_abbreviation,
        false as is_main,
        0 as n_annotations,
    from spoken_names
),

canonical_diseases as (
    select * from {{ ref('int_terminology__disease_canonical') }}
),

-- the display name: not in capitals and without outdated wording if possible, ORPHA's before OMIM's
-- inverted headings, and within a vocabulary the one that most annotations use
ordered as (
    select
        all_names.*,
        canonical_diseases.disease_id,
        row_number() over (
            partition by canonical_diseases.disease_id
            order by
                all_names.is_abbreviation asc,
                not all_names.is_main asc,
                length(all_names.disease_name) > 8
                and upper(all_names.disease_name) = all_names.disease_name asc,
                contains(all_names.disease_name_normalised, 'mental retardation') asc,
                all_names.source_vocabulary != 'ORPHA' asc,
                all_names.source_vocabulary != 'OMIM' asc,
                all_names.n_annotations desc,
                all_names.last_curated_on desc,
                all_names.disease_name asc,
                all_names.source_disease_id asc
        ) as name_rank,
    from all_names
    inner join canonical_diseases
        on all_names.source_disease_id = canonical_diseases.source_disease_id
),

final as (
    select
        disease_id,
        disease_name,
        disease_name_normalised,
        source_disease_id,
        case
            when name_rank = 1 then 'preferred'
            when is_abbreviation then 'abbreviation'
            else 'exact'
        end as scope,
        imported_release,
    from ordered
    qualify
        row_number() over (
            partition by disease_id, disease_name_normalised order by name_rank
        ) = 1
)

select * from final
