with parts as (
    select * from {{ ref('int_experiments__text_parts') }}
),

diseases as (
    select distinct alias_normalised,
    from {{ ref('dim_concept_alias') }}
    -- what ICD-10-CM codes is not always a disease: 'family history of ...'
    where vocabulary in ('disease', 'mondo')
),

-- what a name by itself means; a heading of ICD-10-CM is not one with all that is coded to it
meanings as (
    select distinct
        alias_normalised as name,
        concept_id,
        scope != 'abbreviation' as is_spelt_out,
    from {{ ref('dim_concept_alias') }}
    where scope in ('preferred', 'exact', 'abbreviation')
),

named as (
    select
        name,
        bool_or(is_spelt_out) as is_spelt_out,
    from meanings
    group by all
),

-- an alternative, or what its commas set apart where nobody knows it whole: 'X/X, X'
pieces as (
    select distinct
        parts.diagnosis,
        parts.reading_order,
        parts.place,
        trim(
            unnest(if(named.name is null, string_split(parts.text, ','), [parts.text]))
        ) as text,
    from parts
    left join named on {{ normalise_name("parts.text") }} = named.name
    where parts.place is not null
),

names as (
    select
        pieces.diagnosis,
        pieces.reading_order,
        pieces.place,
        pieces.text,
        {{ normalise_name("pieces.text") }} as name,
        named.name is not null as is_known,
        {{ is_imported_abbreviation("pieces.text") }}
        and not coalesce(named.is_spelt_out, false) as is_abbreviation,
        {{ has_foreign_letters("pieces.text") }} as is_foreign,
        coalesce({{ normalise_name(latin_text("pieces.text")) }}, '') as latin_name,
    from pieces
    left join named on {{ normalise_name("pieces.text") }} = named.name
    where {{ normalise_name("pieces.text") }} != ''
),

-- beside a name that can be read, its abbreviation and what is in another script add nothing; they
-- do where they abbreviate something else, or have a Latin name of something else in them
added as (
    select distinct
        names.diagnosis,
        names.reading_order,
        names.place,
        names.name,
    from names
    inner join names as beside
        on
            names.diagnosis = beside.diagnosis
            and names.reading_order = beside.reading_order
            and names.place = beside.place
            and not beside.is_abbreviation
            and not beside.is_foreign
    where
        (
            names.is_foreign
            and not names.is_known
            and (
                names.latin_name = ''
                or contains(' ' || beside.name || ' ', ' ' || names.latin_name || ' ')
            )
        )
        or (
            names.is_abbreviation
            and (names.name = {{ initials("beside.name") }} or not names.is_known)
            and regexp_matches(
                beside.name,
                array_to_string(regexp_extract_all(names.name, '\p{L}'), '.*')
            )
        )
),

telling as (
    select
        names.diagnosis,
        names.reading_order,
        names.place,
        names.name,
    from names
    anti join added using (diagnosis, reading_order, place, name)
),

counted as (
    select
        diagnosis,
        reading_order,
        place,
        count(distinct name) as n_names,
    from telling
    group by all
),

meant as (
    select
        telling.diagnosis,
        telling.reading_order,
        telling.place,
        meanings.concept_id,
        count(distinct telling.name) as n_names,
    from telling
    inner join meanings on telling.name = meanings.name
    group by all
),

-- names of one disease leave nothing open: there is one name, or a concept that has them all
one_disease as (
    select distinct
        counted.diagnosis,
        counted.reading_order,
        counted.place,
    from counted
    left join meant using (diagnosis, reading_order, place, n_names)
    where counted.n_names = 1 or meant.concept_id is not null
),

-- 'X 综合征' is read as X too
read_parts as (
    select
        diagnosis,
        {{ normalise_name("unnest([text, " ~ latin_text("text") ~ "])") }} as reading,
        reading_order,
        is_alternative,
    from parts
    anti join one_disease using (diagnosis, reading_order, place)
),

readings as (
    select
        diagnosis,
        reading,
        reading_order,
        is_alternative,
    from read_parts
    union all
    select
        diagnosis,
        name as reading,
        reading_order,
        false as is_alternative,
    from telling
    inner join one_disease using (diagnosis, reading_order, place)
),

final as (
    select
        diagnosis,
        reading,
        min(reading_order)::integer as reading_order,
        bool_and(is_alternative) as is_alternative,
    from readings
    where
        length(reading) >= 2
        and (
            not {{ is_denied('reading') }}
            or reading in (select alias_normalised from diseases)
        )
    group by all
)

select * from final
