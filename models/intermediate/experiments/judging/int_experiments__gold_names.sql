-- The names of a gold diagnosis are those written in its case and those that the terminologies have
-- for the disease to which its names or codes lead.
with disease_names as (
    select * from {{ ref('dim_concept_alias') }}
    where vocabulary = 'disease' and scope in ('preferred', 'exact')
),

meanings as (
    select * from {{ ref('dim_concept_alias') }}
    where
        vocabulary in ('disease', 'icd10cm', 'mondo')
        and scope in ('preferred', 'exact', 'abbreviation')
),

written_names as (
    select
        gold_key,
        unnest(gold_names) as written_as,
    from {{ ref('int_experiments__gold_diagnoses') }}
),

-- 'B (C)', where B and C are names of one disease, or one is the initials of the other
bracketed as (
    select
        gold_key,
        written_as,
        regexp_extract(
            {{ plain_punctuation("written_as") }},
            '^(.+?)\s*[(\[]([^()\[\]]+)[)\]]\s*$',
            ['before', 'within']
        ) as parts,
    from written_names
    where regexp_matches(written_as, '[)\]）】]\s*$')
),

twice_named as (
    select distinct
        bracketed.gold_key,
        bracketed.written_as,
        bracketed.parts,
    from bracketed
    inner join meanings as before
        on {{ normalise_name("bracketed.parts.before") }} = before.alias_normalised
    inner join meanings as within
        on
            {{ normalise_name("bracketed.parts.within") }} = within.alias_normalised
            and before.concept_id = within.concept_id
    union
    select
        gold_key,
        written_as,
        parts,
    from bracketed
    where
        {{ has_letters_of("parts.within", "parts.before") }}
        or {{ has_letters_of("parts.before", "parts.within") }}
),

-- two names written as one, 'B/C' and 'B; C', and the names in and before a bracket
pieces as (
    select
        gold_key,
        written_as,
        unnest(string_split_regex({{ plain_punctuation("written_as") }}, '[/;]')) as piece,
    from written_names
    union all
    select
        gold_key,
        written_as,
        unnest([parts.before, parts.within]) as piece,
    from twice_named
),

-- an abbreviation of one meaning is spelt out beside other words: 'IAM con elevación del ST'
spelt_out as (
    select * from pieces
    union all
    select
        pieces.gold_key,
        pieces.written_as,
        replace(
            ' ' || {{ normalise_name("pieces.piece") }} || ' ',
            ' ' || {{ normalise_name("senses.abbreviation") }} || ' ',
            ' ' || {{ normalise_name("senses.expansion") }} || ' '
        ) as piece,
    from (
        select
            *,
            unnest(list_distinct(regexp_extract_all(piece, '[\p{L}\p{N}]+'))) as word,
        from pieces
    ) as pieces
    inner join {{ ref('clinical_abbreviation') }} as senses
        on pieces.word = senses.abbreviation
    where
        {{ has_one_sense("senses.abbreviation") }}
        and {{ normalise_name("pieces.piece") }} != {{ normalise_name("senses.abbreviation") }}
        and not contains(
            {{ normalise_name("pieces.written_as") }}, {{ normalise_name("senses.expansion") }}
        )
),

named_diseases as (
    select
        alias_normalised as name,
        min(concept_id) as concept_id,
        count(distinct concept_id) as n_concepts,
    from disease_names
    group by all
),

abbreviated as (
    select
        spelt_out.*,
        {{ is_imported_abbreviation("trim(spelt_out.piece)") }} and named_diseases.name is null
            as is_abbreviation,
    from spelt_out
    left join named_diseases on {{ normalise_name("spelt_out.piece") }} = named_diseases.name
),

-- an abbreviation beside its full name is another spelling of it, and not a name by itself: the PWS
-- of 'Prader-Willi syndrome; PWS' is not that of Parkes Weber
written as (
    select
        gold_key,
        {{ american_spelling(normalise_name("unnest([piece, " ~ latin_text("piece") ~ "])")) }}
            as gold_name,
        is_abbreviation
        and not bool_and(is_abbreviation) over (partition by gold_key, written_as)
            as is_short_form,
    from abbreviated
),

coded as (
    select
        gold_key,
        unnest(gold_codes) as code,
    from {{ ref('int_experiments__gold_diagnoses') }}
),

-- a case can have several ids of its disease, which may be several diseases here
concepts as (
    select
        gold_key,
        gold_concept_id as concept_id,
    from {{ ref('int_experiments__gold_diagnoses') }}
    where gold_concept_id is not null
    union
    select
        coded.gold_key,
        ids.disease_id as concept_id,
    from coded
    inner join {{ ref('bridge_disease_id') }} as ids
        on coded.code = ids.source_disease_id and not ids.is_mapped
    union
    select
        written.gold_key,
        named_diseases.concept_id,
    from written
    inner join named_diseases on written.gold_name = named_diseases.name
    -- a name without an id names a disease only if it is unique to that disease
    where not written.is_short_form and named_diseases.n_concepts = 1
    union
    -- OMIM and Orphanet can have a disease twice; what Mondo calls by the names of both is one
    select
        written.gold_key,
        named_diseases.concept_id,
    from written
    inner join meanings as classes
        on written.gold_name = classes.alias_normalised and classes.vocabulary = 'mondo'
    inner join meanings as class_names on classes.concept_id = class_names.concept_id
    inner join named_diseases on class_names.alias_normalised = named_diseases.name
    where
        not written.is_short_form
        and 'abbreviation' not in (classes.scope, class_names.scope)
        and named_diseases.n_concepts = 1
),

names as (
    select * from written
    union
    select
        concepts.gold_key,
        disease_names.alias_normalised as gold_name,
        false as is_short_form,
    from concepts
    inner join disease_names using (concept_id)
),

-- OMIM names a disease by what it does and by its enzyme: 'hyperammonemia due to X deficiency' and,
-- turned round, 'X deficiency, hyperammonemia due to'; people say 'X deficiency'. 'X with or
-- without Y' is X, 'X, susceptibility to' is X in a patient who has it, and 'X, organism
-- unspecified' is X
spoken as (
    select
        gold_key,
        unnest([
            regexp_extract(gold_name, ' due to (.+ deficiency)$', 1),
            regexp_extract(gold_name, '^(.+ deficiency) .+ due to$', 1),
            regexp_extract(gold_name, '^(.+?) with or without .+$', 1),
            nullif(replace(gold_name, ' susceptibility to', ''), gold_name),
            regexp_extract(
                gold_name, '^(.+?) (?:(?:organism|site|type|cause|course|part) )?unspecified$', 1
            ),
            if(gold_name like '% tipo 1', null, regexp_extract(gold_name, '^(.+?)( type)? 1$', 1)),
        ]) as gold_name,
        unnest([false, false, false, false, false, true]) as is_number,
    from names
),

-- a series of one needs no number: 'X 1' is X until there is an 'X 2'. Terminologies have too few
-- Spanish names to tell
series as (
    select
        regexp_extract(alias_normalised, '^(.+?)( type)? ([2-9]|[1-9][0-9])[a-z]?$', 1) as name,
        count(*) as n_members,
    from {{ ref('dim_concept_alias') }}
    where vocabulary in ('disease', 'mondo')
    group by all
),

abbreviations as (
    select
        {{ normalise_name("expansion") }} as expansion,
        {{ normalise_name("abbreviation") }} as abbreviation,
    from {{ ref('clinical_abbreviation') }}
    where icd10_code is not null
),

-- 'ruptured abdominal aortic aneurysm' is written 'ruptured AAA', too
variants as (
    select
        spoken.gold_key,
        spoken.gold_name,
    from spoken
    anti join series on spoken.is_number and spoken.gold_name = series.name
    union all
    select
        names.gold_key,
        replace(names.gold_name, abbreviations.expansion, abbreviations.abbreviation) as gold_name,
    from names
    inner join abbreviations
        on
            contains(names.gold_name, abbreviations.expansion)
            and names.gold_name != abbreviations.expansion
),

-- a variant is not a name of this disease if it names another one
claimed_variants as (
    select
        variants.gold_key,
        variants.gold_name,
    from variants
    inner join disease_names as others on variants.gold_name = others.alias_normalised
    anti join concepts
        on variants.gold_key = concepts.gold_key and others.concept_id = concepts.concept_id
),

all_names as (
    select * from names
    union all
    select
        gold_key,
        gold_name,
        false as is_short_form,
    from variants
    anti join claimed_variants using (gold_key, gold_name)
),

final as (
    select
        gold_key,
        gold_name,
        bool_and(is_short_form) as is_short_form,
    from all_names
    where gold_name != ''
    group by all
)

select * from final
