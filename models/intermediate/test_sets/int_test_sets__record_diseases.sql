-- The canonical disease of a record's own ids and names: the disease of most of its ids. An id that
-- only an imported mapping has decides if no other id does, a name if no id does; the first named
-- wins a tie. An unknown name is split at its slashes and semicolons: it stands for a disease if
-- all of its known parts are that disease ('Hepatolenticular degeneration/Wilson disease') and no
-- unknown part is a single word ('Cleft lip/palate').
with records as (
    select *
    from {{ ref('int_test_sets__records') }}
    where gold_codes is not null or gold_names is not null
),

disease_ids as (
    select
        upper(source_disease_id) as source_disease_id,
        disease_id,
        is_mapped,
    from {{ ref('bridge_disease_id') }}
),

names as (
    select
        alias_normalised,
        min(concept_id) as disease_id,
    from {{ ref('dim_concept_alias') }}
    where vocabulary = 'disease' and scope in ('preferred', 'exact')
    group by all
    having count(distinct concept_id) = 1
),

claims as (
    select
        test_set,
        record_number,
        gold_codes[place] as claim,
        place,
        1 as strength,
    from records, unnest(generate_series(1, len(gold_codes))) as places (place)
    union all
    select
        test_set,
        record_number,
        gold_names[place] as claim,
        place,
        3 as strength,
    from records, unnest(generate_series(1, len(gold_names))) as places (place)
),

parts as (
    select
        test_set,
        record_number,
        place,
        trim(unnest(regexp_split_to_array(claim, '[/;]'))) as part,
    from claims
    where strength = 3 and regexp_matches(claim, '[/;]')
),

named_parts as (
    select
        parts.test_set,
        parts.record_number,
        parts.place,
        min(names.disease_id) as disease_id,
    from parts
    left join names
        on {{ american_spelling(normalise_name("parts.part")) }} = names.alias_normalised
    where not regexp_matches(parts.part, '^[A-Z0-9\-]{2,8}$') or names.disease_id is not null
    group by all
    having
        count(distinct names.disease_id) = 1
        and bool_and(names.disease_id is not null or contains(parts.part, ' '))
),

resolved as (
    select
        claims.test_set,
        claims.record_number,
        case
            when disease_ids.is_mapped then 2
            when coalesce(disease_ids.disease_id, names.disease_id) is null then 4
            else claims.strength
        end as strength,
        claims.place,
        coalesce(disease_ids.disease_id, names.disease_id, named_parts.disease_id) as disease_id,
    from claims
    left join disease_ids
        on
            claims.strength = 1
            and {{ disease_id_as_written("claims.claim") }} = disease_ids.source_disease_id
    left join names
        on
            claims.strength = 3
            and {{ american_spelling(normalise_name("claims.claim")) }} = names.alias_normalised
    left join named_parts
        on
            claims.strength = 3
            and claims.test_set = named_parts.test_set
            and claims.record_number = named_parts.record_number
            and claims.place = named_parts.place
    where
        coalesce(disease_ids.disease_id, names.disease_id, named_parts.disease_id) is not null
),

counted as (
    select
        test_set,
        record_number,
        strength,
        disease_id,
        count(*) as n_claims,
        min(place) as first_place,
    from resolved
    group by all
),

decided as (
    select
        test_set,
        record_number,
        disease_id,
        case strength when 1 then 'id' when 2 then 'mapped id' else 'name' end as resolved_by,
    from counted
    qualify
        row_number() over (
            partition by test_set, record_number
            order by
                strength asc,
                -- the majority of ids decides, or the first of the names
                if(strength < 3, 0, first_place) asc,
                n_claims desc,
                first_place asc,
                disease_id asc
        ) = 1
),

named as (
    select
        claims.test_set,
        claims.record_number,
        claims.claim,
        names.disease_id,
    from claims
    inner join names
        on {{ american_spelling(normalise_name("claims.claim")) }} = names.alias_normalised
    where claims.strength = 3
),

final as (
    select
        decided.*,
        list_sort(
            list(distinct { written_as: named.claim, disease_id: named.disease_id })
            filter (named.disease_id != decided.disease_id and decided.resolved_by != 'name')
        ) as names_at_odds,
    from decided
    left join named
        on
            decided.test_set = named.test_set
            and decided.record_number = named.record_number
    group by all
)

select * from final
