with pairs as (
    select * from {{ ref('int_experiments__judged_pairs') }}
),

readings as (
    select * from {{ ref('int_experiments__diagnosis_readings') }}
),

gold_names as (
    select * from {{ ref('int_experiments__gold_names') }}
),

words as (
    select
        name,
        word,
        weight,
        is_known,
    from {{ ref('int_experiments__name_words') }}
    where kind = 'word'
),

profiles as (
    select * from {{ ref('int_experiments__name_profiles') }}
),

-- the same two names meet in many cases: compare them once
compared as (
    select distinct
        readings.reading,
        gold_names.gold_name,
    from pairs
    inner join readings on pairs.reading_key = readings.reading_key
    inner join gold_names on pairs.gold_key = gold_names.gold_key
),

-- materialized: joined by the word first, this would be every name with every other
compared_words as materialized (
    select
        compared.reading,
        compared.gold_name,
        words.word,
        words.weight,
        words.is_known,
    from compared
    inner join words on compared.reading = words.name
),

shared as (
    select
        theirs.reading,
        theirs.gold_name,
        theirs.word as reading_word,
        golds.word as gold_word,
        theirs.weight as reading_weight,
        golds.weight as gold_weight,
    from compared_words as theirs
    inner join words as golds
        on theirs.gold_name = golds.name and theirs.word = golds.word
),

-- a word that no name knows may be a gold word with a slip in its middle; a known word never is,
-- or arteritis would pass for arthritis, and in chemistry neither ending nor hyper- and hypo- slip
misspelt as (
    select
        theirs.reading,
        theirs.gold_name,
        theirs.word as reading_word,
        golds.word as gold_word,
        theirs.weight as reading_weight,
        golds.weight as gold_weight,
    from compared_words as theirs
    inner join words as golds
        on
            theirs.gold_name = golds.name
            and not theirs.is_known
            and theirs.word != golds.word
            and left(theirs.word, 1) = left(golds.word, 1)
            and right(theirs.word, 2) = right(golds.word, 2)
            and starts_with(theirs.word, 'hyper') = starts_with(golds.word, 'hyper')
            and starts_with(theirs.word, 'hypo') = starts_with(golds.word, 'hypo')
            and levenshtein(theirs.word, golds.word)
            <= floor(length(golds.word) / {{ parameter('spelling_letters_per_edit') }})
),

matches as (
    select
        reading,
        gold_name,
        reading_word,
        gold_word,
        reading_weight,
        gold_weight,
        false as is_misspelt,
    from shared
    union all
    select
        reading,
        gold_name,
        reading_word,
        gold_word,
        reading_weight,
        gold_weight,
        true as is_misspelt,
    from misspelt
),

-- rounded: the last digits of a sum of doubles depend on the order of its rows
covered_words as (
    select
        reading,
        gold_name,
        round(sum(reading_weight), 9) as reading_covered,
        round(sum(gold_weight), 9) as gold_covered,
        bool_or(is_misspelt) as is_misspelt,
    from matches
    group by all
),

final as (
    select
        compared.reading,
        compared.gold_name,
        reading_profiles.series_marks,
        reading_profiles.size as reading_size,
        gold_profiles.size as gold_size,
        gold_profiles.series_marks as gold_series_marks,
        least(1, round(covered_words.reading_covered / reading_profiles.size, 9))
            as reading_coverage,
        least(1, round(covered_words.gold_covered / gold_profiles.size, 9)) as gold_coverage,
        covered_words.is_misspelt,
        list_has_all(gold_profiles.qualifiers, reading_profiles.qualifiers)
        and list_has_all(gold_profiles.axis_values, reading_profiles.axis_values)
            as is_no_more_qualified,
        list_has_all(reading_profiles.qualifiers, gold_profiles.qualifiers)
        and list_has_all(reading_profiles.axis_values, gold_profiles.axis_values)
            as is_no_less_qualified,
        {{ is_opposed("reading_profiles.axis_values", "gold_profiles.axis_values") }} as is_opposed,
    from compared
    inner join covered_words
        on
            compared.reading = covered_words.reading
            and compared.gold_name = covered_words.gold_name
    inner join profiles as reading_profiles on compared.reading = reading_profiles.name
    inner join profiles as gold_profiles on compared.gold_name = gold_profiles.name
)

select * from final
