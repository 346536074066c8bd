with cases as (
    select
        gold_key,
        gold_concept_id,
        gold_names,
        gold_codes,
    from {{ ref('int_experiments__judged_golds') }}
),

named as (
    select
        gold_key,
        unnest(gold_names) as gold_name,
    from cases
),

-- names that give two for one, 'B/C'
written as (
    select
        gold_key,
        {{ normalise_name("unnest(string_split(gold_name, '/'))") }} as gold_name,
    from named
),

source_ids as (
    select
        disease_id,
        unnest(source_disease_ids) as source_disease_id,
    from {{ ref('dim_disease') }}
),

coded as (
    select
        gold_key,
        unnest(gold_codes) as code,
    from cases
),

disease_names as (
    select
        alias_normalised,
        concept_id,
    from {{ ref('dim_concept_alias') }}
    where vocabulary = 'disease' and scope in ('preferred', 'exact')
),

-- a name written without an id names a disease where it is the name of one only
telling_names as (
    select
        alias_normalised,
        min(concept_id) as concept_id,
    from disease_names
    group by all
    having count(distinct concept_id) = 1
),

-- a case can carry several ids of its disease, and these can be several diseases here
concepts as (
    select
        gold_key,
        gold_concept_id as concept_id,
    from cases
    where gold_concept_id is not null
    union
    select
        coded.gold_key,
        source_ids.disease_id as concept_id,
    from coded
    inner join source_ids on coded.code = source_ids.source_disease_id
    union
    select
        written.gold_key,
        telling_names.concept_id,
    from written
    inner join telling_names on written.gold_name = telling_names.alias_normalised
),

known as (
    select
        concepts.gold_key,
        disease_names.alias_normalised as gold_name,
    from concepts
    inner join disease_names on concepts.concept_id = disease_names.concept_id
),

everything as (
    select
        gold_key,
        gold_name,
    from written
    union
    select
        gold_key,
        gold_name,
    from known
),

-- OMIM names a disease by what it does and by its enzyme: 'hyperammonemia due to X deficiency' and,
-- turned round, 'X deficiency, hyperammonemia due to'; people say 'X deficiency'
by_cause as (
    select
        gold_key,
        gold_name,
        trim(coalesce(
            nullif(regexp_extract(gold_name, ' due to (.+ deficiency)$', 1), ''),
            nullif(regexp_extract(gold_name, '^(.+ deficiency) .+ due to$', 1), '')
        )) as cause,
    from everything
),

-- a cause that is the name of another disease is not another name of this one
claimed_causes as (
    select distinct
        by_cause.gold_key,
        by_cause.cause,
    from by_cause
    inner join disease_names as others on by_cause.cause = others.alias_normalised
    anti join concepts
        on by_cause.gold_key = concepts.gold_key and others.concept_id = concepts.concept_id
),

causes as (
    select
        by_cause.gold_key,
        by_cause.cause as gold_name,
    from by_cause
    anti join claimed_causes
        on by_cause.gold_key = claimed_causes.gold_key and by_cause.cause = claimed_causes.cause
    where by_cause.cause is not null
),

final as (
    select
        gold_key,
        gold_name,
    from everything
    where gold_name != ''
    union
    select
        gold_key,
        gold_name,
    from causes
)

select * from final
