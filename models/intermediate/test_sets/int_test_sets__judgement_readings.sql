-- What the wording of a gold diagnosis says, read in the light of the whole record: every part of
-- a clinician's judgement, or every name given, as a name or an abbreviation, and where it is
-- neither, the abbreviations within it ('ICC DESCOMPENSADA'). What the record does not tell apart
-- stays ambiguous.
with records as (
    select
        test_set,
        record_number,
        judgement,
        gold_names,
        icd10_code,
        language,
        sex,
        age,
        concat_ws(
            '. ', narrative, reason, history, background, examination, complementary, judgement
        ) as record_text,
        bool_or({{ normalise_name("sex") }} in ('h', 'v')) over (partition by test_set)
            as writes_spanish_initials,
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

-- a word, and a word with the one behind it ('DM 2')
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

-- of two that overlap the longer one counts; what is denied or only looks like one does not
abbreviated_words as (
    select
        words.test_set,
        words.record_number,
        words.part_number,
        words.word_number,
        words.n_words,
        words.word,
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
    union all
    select
        test_set,
        record_number,
        part_number,
        word_number,
        word as mention,
        n_senses,
    from abbreviated_words
),

-- only what has several meanings needs the record; that nothing but diagnoses stand in a
-- judgement says something about its parts, not about every word in them
mentions as (
    select
        mentioned.test_set,
        mentioned.record_number,
        mentioned.part_number,
        mentioned.word_number,
        concat_ws(
            '/',
            mentioned.test_set,
            mentioned.record_number,
            mentioned.part_number,
            mentioned.word_number
        ) as mention_id,
        mentioned.mention,
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
        readings.status,
        readings.rule,
        readings.concept_id,
        readings.vocabulary,
        readings.meaning,
        readings.reason,
        readings.candidates,
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
