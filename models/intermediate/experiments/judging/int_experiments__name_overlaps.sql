with pairs as (
    select * from {{ ref('int_experiments__judged_pairs') }}
),

readings as (
    select * from {{ ref('int_experiments__diagnosis_readings') }}
),

gold_names as (
    select * from {{ ref('int_experiments__gold_names') }}
),

profiles as (
    select * from {{ ref('int_experiments__name_profiles') }}
),

-- the same two names occur in many cases: compare them once
compared as (
    select distinct
        readings.reading,
        gold_names.gold_name,
    from pairs
    inner join readings on pairs.reading_key = readings.reading_key
    inner join gold_names on pairs.gold_key = gold_names.gold_key
),

compared_names as (
    select reading as name
    from compared
    union
    select gold_name as name
    from compared
),

words as (
    select
        profiles.name,
        unnest(profiles.words, max_depth := 2),
    from profiles
    semi join compared_names using (name)
),

-- materialized: without the join by word first, every name would meet every other
compared_words as materialized (
    select
        compared.reading,
        compared.gold_name,
        words.* exclude (name),
    from compared
    inner join words on compared.reading = words.name
),

-- a word that no name has may be a gold word misspelt in the middle; a known word never is, or
-- arteritis would pass for arthritis. In chemical names, endings and hyper- or hypo- are never
-- misspellings
matches as (
    select
        theirs.*,
        golds.weight as gold_weight,
        false as is_misspelt,
    from compared_words as theirs
    inner join words as golds
        on theirs.gold_name = golds.name and theirs.word = golds.word
    union all
    select
        theirs.*,
        golds.weight as gold_weight,
        true as is_misspelt,
    from compared_words as theirs
    inner join words as golds
        on
            theirs.gold_name = golds.name
            and not theirs.is_known
            and theirs.word != golds.word
            and left(theirs.word, 1) = left(golds.word, 1)
            and (
                right(theirs.word, 2) = right(golds.word, 2)
                -- a letter left out or doubled makes no other ending (Guillan for Guillain)
                or (
                    length(theirs.word) != length(golds.word)
                    and right(theirs.word, 1) = right(golds.word, 1)
                )
            )
            and starts_with(theirs.word, 'hyper') = starts_with(golds.word, 'hyper')
            and starts_with(theirs.word, 'hypo') = starts_with(golds.word, 'hypo')
            and levenshtein(theirs.word, golds.word)
            <= floor(length(golds.word) / {{ parameter('spelling_letters_per_edit') }})
),

-- rounded: the last digits of a sum of doubles depend on the order of its rows
covered_words as (
    select
        reading,
        gold_name,
        round(sum(weight), 9) as reading_covered,
        round(sum(gold_weight), 9) as gold_covered,
        bool_or(is_misspelt) as is_misspelt,
    from matches
    group by all
),

final as (
    select
        compared.reading,
        compared.gold_name,
        reading_profiles.size as reading_size,
        gold_profiles.size as gold_size,
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
        list_has_all(reading_profiles.qualifiers, gold_profiles.qualifiers)
        and list_has_all(
            list_append(reading_profiles.axis_values, 'course=acute'), gold_profiles.axis_values
        ) as is_no_less_qualified_but_acute,
        {{ is_opposed("reading_profiles.axis_values", "gold_profiles.axis_values") }}
        -- a number is that of a hereditary form: long QT syndrome 1 is not acquired
        or (
            gold_profiles.series_marks is not null
            and list_contains(reading_profiles.axis_values, 'origin=acquired')
            and not list_contains(reading_profiles.axis_values, 'origin=sporadic')
            and not list_contains(gold_profiles.axis_values, 'origin=acquired')
        ) as is_opposed,
        coalesce(reading_profiles.series_marks, '') = coalesce(gold_profiles.series_marks, '')
            as is_same_mark,
        -- a series has no mark, so it contradicts none of its members; type 1 is that of 1a and 1b
        coalesce(reading_profiles.series_marks = gold_profiles.series_marks, true)
        or regexp_extract(gold_profiles.series_marks, '^([0-9]+)[a-z]$', 1)
        = reading_profiles.series_marks
        or regexp_extract(reading_profiles.series_marks, '^([0-9]+)[a-z]$', 1)
        = gold_profiles.series_marks
            as is_same_member,
        coalesce(reading_profiles.series_marks = coalesce(gold_profiles.series_marks, ''), true)
            as is_no_other_member,
        coalesce(gold_profiles.series_marks = coalesce(reading_profiles.series_marks, ''), true)
            as is_no_other_gold_member,
    from compared
    inner join covered_words
        on
            compared.reading = covered_words.reading
            and compared.gold_name = covered_words.gold_name
    inner join profiles as reading_profiles on compared.reading = reading_profiles.name
    inner join profiles as gold_profiles on compared.gold_name = gold_profiles.name
)

select * from final
