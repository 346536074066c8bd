-- The canonical disease of a record's own ids and names: the disease of most of its ids. An id that
-- only an imported mapping has decides if no other id does, a name if no id does; the first named
-- wins a tie. An unknown name is split at its slashes and semicolons: it stands for a disease if
-- all of its known parts are that disease ('Hepatolenticular degeneration/Wilson disease') and no
-- unknown part is a single word ('Cleft lip/palate'). An id of Mondo stands for the disease that
-- has the name of its class. Several names are several diagnoses if a vocabulary has them as
-- different diseases and none as one, or one as a kind of the other; where no vocabulary tells,
-- they are names of one disease. So are the alternatives of RareBench and those behind 'also known
-- as'. Where ids decide, a name of a disease without an id here is at odds with them and no
-- diagnosis.
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

meanings as (
    select
        alias_normalised,
        vocabulary,
        scope,
        -- codes of one category may be one disease told with and without its details
        if(vocabulary = 'icd10cm', left(concept_id, 3), concept_id) as concept_id,
    from {{ ref('dim_concept_alias') }}
    where vocabulary in ('disease', 'mondo', 'icd10cm') and scope in ('preferred', 'exact')
    group by all
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

-- names whole, as part 0, and those between separators in them
written as (
    select
        test_set,
        record_number,
        place,
        0 as part_number,
        claim as name,
    from claims
    where strength = 3
    union all
    select
        test_set,
        record_number,
        place,
        unnest(generate_series(1, len(pieces))) as part_number,
        unnest(pieces) as name,
    from (
        select
            *,
            string_split_regex(claim, '\s*[/;|\n]\s*|\s\+\s|,\s+') as pieces,
        from claims
        where strength = 3
    ) as claims
    where len(pieces) > 1
),

looked_up as (
    select
        written.test_set,
        written.record_number,
        written.place,
        written.part_number,
        written.name,
        list(
            distinct { vocabulary: meanings.vocabulary, concept_id: meanings.concept_id }
        ) filter (meanings.concept_id is not null) as concepts,
    from written
    left join meanings
        on {{ american_spelling(normalise_name("written.name")) }} = meanings.alias_normalised
    group by all
),

-- a name that is unknown whole is its parts if all of these are known
known_names as (
    select *
    from looked_up
    qualify
        concepts is not null
        and (
            part_number = 0
            or (
                bool_and(concepts is not null or part_number = 0)
                    over (partition by test_set, record_number, place)
                and not bool_or(concepts is not null and part_number = 0)
                    over (partition by test_set, record_number, place)
            )
        )
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

-- an id of Mondo, by the name of its class
class_ids as (
    select
        claims.test_set,
        claims.record_number,
        claims.place,
        upper(claims.claim) as mondo_id,
        min(classes.alias) as class_name,
        min(names.disease_id) as disease_id,
    from claims
    inner join {{ ref('dim_concept_alias') }} as classes
        on
            upper(claims.claim) = classes.concept_id
            and classes.vocabulary = 'mondo' and classes.scope = 'preferred'
    left join names on classes.alias_normalised = names.alias_normalised
    where claims.strength = 1
    group by all
),

resolved as (
    select
        claims.test_set,
        claims.record_number,
        case
            when disease_ids.is_mapped then 2
            when class_ids.disease_id is not null then 2
            when coalesce(disease_ids.disease_id, names.disease_id) is null then 4
            else claims.strength
        end as strength,
        claims.place,
        coalesce(
            disease_ids.disease_id, class_ids.disease_id, names.disease_id, named_parts.disease_id
        ) as disease_id,
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
    left join class_ids
        on
            claims.strength = 1
            and claims.test_set = class_ids.test_set
            and claims.record_number = class_ids.record_number
            and claims.place = class_ids.place
    where
        coalesce(
            disease_ids.disease_id, class_ids.disease_id, names.disease_id, named_parts.disease_id
        ) is not null
    union all
    select
        known_names.test_set,
        known_names.record_number,
        4 as strength,
        known_names.place + known_names.part_number / 1000 as place,
        names.disease_id,
    from known_names
    inner join names
        on {{ american_spelling(normalise_name("known_names.name")) }} = names.alias_normalised
    where known_names.part_number > 0
),

-- the ids of a record, as diseases and as classes of Mondo
own_ids as (
    select
        test_set,
        record_number,
        list(concept_id) as concept_ids,
    from (
        select
            test_set,
            record_number,
            disease_id as concept_id,
        from resolved
        where strength < 3
        union
        select
            test_set,
            record_number,
            mondo_id as concept_id,
        from class_ids
    ) as ids
    group by all
),

meant as (
    select
        * exclude (concepts),
        unnest(concepts) as meaning,
    from known_names
),

-- each name with those before it: whether a vocabulary has both, and whether one has them as one
compared as (
    select
        later.test_set,
        later.record_number,
        later.place,
        later.part_number,
        earlier.place as earlier_place,
        earlier.part_number as earlier_part_number,
        bool_or(later.meaning.vocabulary = earlier.meaning.vocabulary) as is_told,
        bool_or(
            later.meaning.concept_id = earlier.meaning.concept_id
            or above.distance is not null
            or below.distance is not null
            or {{ has_letters_of("later.name", "earlier.name") }}
            or {{ has_letters_of("earlier.name", "later.name") }}
        ) as is_one,
    from meant as later
    inner join meant as earlier
        on
            later.test_set = earlier.test_set
            and later.record_number = earlier.record_number
            and (
                later.place > earlier.place
                or (later.place = earlier.place and later.part_number > earlier.part_number)
            )
    left join {{ ref('bridge_disease_class_ancestor') }} as above
        on
            later.meaning.concept_id = above.mondo_id
            and earlier.meaning.concept_id = above.ancestor_mondo_id
    left join {{ ref('bridge_disease_class_ancestor') }} as below
        on
            earlier.meaning.concept_id = below.mondo_id
            and later.meaning.concept_id = below.ancestor_mondo_id
    group by all
),

several as (
    select
        known_names.test_set,
        known_names.record_number,
        list(known_names.name order by known_names.place, known_names.part_number) as names,
    from known_names
    inner join records
        on
            known_names.test_set = records.test_set
            and known_names.record_number = records.record_number
    left join own_ids
        on
            known_names.test_set = own_ids.test_set
            and known_names.record_number = own_ids.record_number
    anti join compared
        on
            known_names.test_set = compared.test_set
            and known_names.record_number = compared.record_number
            and known_names.place = compared.place
            and known_names.part_number = compared.part_number
            and (compared.is_one or not compared.is_told)
    where
        records.source_format is distinct from 'rarebench'
        and not contains(coalesce(records.gold_written, ''), ' also known as ')
        and (
            own_ids.concept_ids is null
            or list_has_any(
                own_ids.concept_ids,
                list_transform(known_names.concepts, lambda concept: concept.concept_id)
            )
        )
    group by all
    having count(*) > 1
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
        records.test_set,
        records.record_number,
        decided.disease_id,
        decided.resolved_by,
        any_value(several.names) as several_names,
        list_sort(list(distinct class_ids.class_name)) as class_names,
        list_sort(
            list(distinct { written_as: named.claim, disease_id: named.disease_id })
            filter (
                named.disease_id != decided.disease_id
                and decided.resolved_by != 'name'
                and not list_contains(coalesce(own_ids.concept_ids, []), named.disease_id)
            )
        ) as names_at_odds,
    from records
    left join decided using (test_set, record_number)
    left join several using (test_set, record_number)
    left join class_ids using (test_set, record_number)
    left join own_ids using (test_set, record_number)
    left join named using (test_set, record_number)
    where
        decided.disease_id is not null
        or several.names is not null
        or class_ids.class_name is not null
    group by all
)

select * from final
