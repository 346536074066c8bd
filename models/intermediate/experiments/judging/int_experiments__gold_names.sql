with cases as (
    select * from {{ ref('int_experiments__gold_diagnoses') }}
),

named as (
    select
        gold_key,
        unnest(gold_names) as gold_name,
    from cases
),

disease_names as (
    select
        alias_normalised,
        concept_id,
    from {{ ref('dim_concept_alias') }}
    where vocabulary = 'disease' and scope in ('preferred', 'exact')
),

-- 'B (C)', where B and C are names of one disease
bracketed as (
    select
        gold_key,
        gold_name,
        regexp_extract(
            {{ plain_punctuation("gold_name") }},
            '^(.+?)\s*[(\[]([^()\[\]]+)[)\]]\s*$',
            ['before', 'within']
        ) as parts,
    from named
    where regexp_matches(gold_name, '[)\]）】]\s*$')
),

meanings as (
    select
        alias_normalised,
        concept_id,
    from {{ ref('dim_concept_alias') }}
    where
        vocabulary in ('disease', 'icd10cm', 'mondo')
        and scope in ('preferred', 'exact', 'abbreviation')
),

twice_named as (
    select distinct
        bracketed.gold_key,
        bracketed.gold_name,
        bracketed.parts,
    from bracketed
    inner join meanings as before
        on {{ normalise_name("bracketed.parts.before") }} = before.alias_normalised
    inner join meanings as within
        on
            {{ normalise_name("bracketed.parts.within") }} = within.alias_normalised
            and before.concept_id = within.concept_id
),

-- names that give two for one, 'B/C' and 'B; C'
pieces as (
    select
        gold_key,
        gold_name as written_as,
        unnest(string_split_regex({{ plain_punctuation("gold_name") }}, '[/;]')) as piece,
    from named
    union all
    select
        gold_key,
        gold_name as written_as,
        unnest([parts.before, parts.within]) as piece,
    from twice_named
),

abbreviated as (
    select
        gold_key,
        written_as,
        piece,
        {{ is_imported_abbreviation("trim(piece)") }}
        and {{ normalise_name("piece") }} not in (select alias_normalised from disease_names)
            as is_abbreviation,
    from pieces
),

-- an abbreviation beside the name it is of is another way to write that, and no name by itself:
-- the PWS of 'Prader-Willi syndrome; PWS' is not that of Parkes Weber
shortened as (
    select
        gold_key,
        piece,
        is_abbreviation
        and not bool_and(is_abbreviation) over (partition by gold_key, written_as)
            as is_short_form,
    from abbreviated
),

written as (
    select
        gold_key,
        {{ normalise_name("unnest([piece, " ~ latin_text("piece") ~ "])") }} as gold_name,
        is_short_form,
    from shortened
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
    where not written.is_short_form
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
        is_short_form,
    from written
    union
    select
        gold_key,
        gold_name,
        false as is_short_form,
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

with_causes as (
    select
        gold_key,
        gold_name,
        is_short_form,
    from everything
    union all
    select
        gold_key,
        gold_name,
        false as is_short_form,
    from causes
),

final as (
    select
        gold_key,
        gold_name,
        bool_and(is_short_form) as is_short_form,
    from with_causes
    where gold_name != ''
    group by all
)

select * from final
