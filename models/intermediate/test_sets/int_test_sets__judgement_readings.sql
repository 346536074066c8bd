-- The meaning of the wording of a gold diagnosis, read with the whole record: every part of a
-- clinician's judgement, or every name given, is a name or an abbreviation; where it is neither,
-- the abbreviations within it are read ('ICC DESCOMPENSADA'). What the record cannot decide stays
-- ambiguous.
with records as (
    select
        *,
        concat_ws(
            '. ', narrative, reason, history, background, examination, complementary, judgement
        ) as record_text,
        {{ writes_spanish_initials("sex") }} as writes_spanish_initials,
    from {{ ref('int_test_sets__records') }}
),

chapters as (
    select * from {{ ref('dim_icd10_code') }}
),

judged as (
    select
        records.test_set,
        records.record_number,
        records.language,
        {{ sex_of("records.sex", "records.writes_spanish_initials") }} as sex,
        {{ age_in_years("records.age") }} as age_years,
        chapters.chapter_code as specialty,
        records.record_text,
        coalesce({{ judgement_parts("records.judgement") }}, records.gold_names) as parts,
    from records
    left join chapters on {{ clean_icd10_code("records.icd10_code") }} = chapters.code
    where records.judgement is not null or records.gold_names is not null
),

parts as (
    select
        judged.test_set,
        judged.record_number,
        places.part_number,
        judged.parts[places.part_number] as part,
        {{ clinical_words("part") }} as words,
    from judged, unnest(generate_series(1, len(judged.parts))) as places (part_number)
),

senses as (
    select
        abbreviation_key,
        max(n_senses) as n_senses,
    from {{ ref('dim_abbreviation_sense') }}
    group by all
),

-- a word, and a word with the next one ('DM 2')
words as (
    select
        parts.test_set,
        parts.record_number,
        parts.part_number,
        parts.part,
        places.word_number,
        array_to_string(parts.words[places.word_number:places.word_number + sizes.n_words - 1], ' ')
            as word,
        sizes.n_words,
    from parts,
        unnest(generate_series(1, len(parts.words))) as places (word_number),
        (values (1), (2)) as sizes (n_words)
    where places.word_number + sizes.n_words - 1 <= len(parts.words)
),

-- of two overlapping abbreviations the longer one counts; a word that is denied, or merely looks
-- like an abbreviation, does not count
abbreviated_words as (
    select
        words.*,
        words.word as mention,
        senses.n_senses,
    from words
    inner join senses on {{ abbreviation_key("words.word") }} = senses.abbreviation_key
    where
        {{ is_written_as_abbreviation("words.word", "words.part") }}
        and contains(
            ' ' || {{ normalise_name(without_negated_clauses("words.part")) }} || ' ',
            ' ' || {{ normalise_name("words.word") }} || ' '
        )
    qualify
        coalesce(
            lag(words.word_number + words.n_words) over (
                partition by words.test_set, words.record_number, words.part_number
                order by words.word_number asc, words.n_words desc
            ) <= words.word_number,
            true
        )
),

mentioned as (
    select
        parts.test_set,
        parts.record_number,
        parts.part_number,
        0 as word_number,
        parts.part as mention,
        senses.n_senses,
    from parts
    left join senses on {{ abbreviation_key("parts.part") }} = senses.abbreviation_key
    union all by name
    select * exclude (part, word, n_words) from abbreviated_words
),

-- only mentions with several meanings are read with the record, which takes time. A judgement lists
-- diagnoses: that is evidence about its parts, not about every word in them
mentions as (
    select
        mentioned.* exclude (n_senses),
        concat_ws(
            '/',
            mentioned.test_set,
            mentioned.record_number,
            mentioned.part_number,
            mentioned.word_number
        ) as mention_id,
        judged.language,
        judged.sex,
        judged.age_years,
        judged.specialty,
        case when mentioned.n_senses > 1 then judged.record_text end as context,
        case when mentioned.word_number = 0 then 'diagnosis' end as section,
    from mentioned
    inner join judged
        on
            mentioned.test_set = judged.test_set
            and mentioned.record_number = judged.record_number
),

readings as (
    {{ resolve_terms("mentions") }}
),

read as (
    select
        mentions.test_set,
        mentions.record_number,
        mentions.part_number,
        mentions.word_number,
        mentions.mention,
        readings.* exclude (mention_id),
        min(mentions.word_number) filter (where readings.status != 'unknown') over (
            partition by mentions.test_set, mentions.record_number, mentions.part_number
        ) as first_known_word,
    from mentions
    inner join readings on mentions.mention_id = readings.mention_id
),

final as (
    select
        test_set,
        record_number,
        part_number,
        word_number,
        mention,
        word_number = 0 as is_whole_part,
        status,
        rule,
        concept_id,
        vocabulary,
        meaning,
        reason,
        candidates,
    from read
    -- a part that is known as a whole is not read word by word
    where word_number = 0 or first_known_word > 0
)

select * from final
