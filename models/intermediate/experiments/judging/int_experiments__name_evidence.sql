-- The evidence of the two names by themselves, before any terminology interprets them.
with readings as (
    select * from {{ ref('int_experiments__diagnosis_readings') }}
),

gold_names as (
    select * from {{ ref('int_experiments__gold_names') }}
),

concepts as (
    select * from {{ ref('int_experiments__diagnosis_concepts') }}
),

named_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        readings.reading,
        readings.is_alternative,
        gold_names.gold_name,
    from {{ ref('int_experiments__judged_pairs') }} as pairs
    inner join readings using (reading_key)
    inner join gold_names using (gold_key)
),

compared_names as (
    select *
    from named_pairs
    inner join {{ ref('int_experiments__name_overlaps') }} using (reading, gold_name)
),

-- the words are the same, so the rest of the names decides. Marks distinguish the members of a
-- series and are never typing errors; qualifiers make a name narrower, or a different one
same_words as (
    select
        *,
        case
            when is_opposed then 'opposite_qualifier'
            when not is_same_member then 'series_sibling'
            when not is_same_mark then 'series_member'
            when not (is_no_more_qualified and is_no_less_qualified) then 'other_qualifier'
            when is_misspelt then 'spelling'
            else 'same_words'
        end as rule,
    from compared_names
    where reading_coverage = 1 and gold_coverage = 1
),

-- a laboratory finding of many diseases, such as hypoglycemia, identifies none of them
laboratory_findings as (
    select distinct concepts.reading_key,
    from concepts
    inner join {{ ref('dim_hpo_term') }} as hpo_terms
        on
            concepts.vocabulary = 'hpo'
            and concepts.concept_id = hpo_terms.hpo_id
            and hpo_terms.information_content < {{ parameter('name_specificity') }}
    inner join {{ ref('bridge_hpo_ancestor') }} as hpo_ancestors
        on
            hpo_terms.hpo_id = hpo_ancestors.hpo_id
            and hpo_ancestors.ancestor_hpo_id in {{ hpo_measurements() }}
),

-- a short name is enough where it is most of the longer one, or so rare that it names a disease by
-- itself: 'amyloidosis', but not 'anemia'. The words after a deficiency are a sign of the disease
-- and, rare or not, not its name
broader_names as (
    select *
    from compared_names
    where
        reading_coverage = 1
        and is_no_other_member
        and is_no_more_qualified
        and (
            gold_coverage >= {{ parameter('name_coverage') }}
            or (
                reading_size >= {{ parameter('name_specificity') }}
                and not (
                    regexp_matches(gold_name, '\b(due|secondary|caused|debid[oa]|causad[oa]) ')
                    and regexp_matches(gold_name, '\b(deficiency|deficit|deficiencia)\b')
                )
                and reading_key not in (
                    select reading_key from laboratory_findings
                )
            )
        )
),

written as (
    select
        gold_key,
        unnest(gold_names) as written_as,
    from {{ ref('int_experiments__gold_diagnoses') }}
),

written_names as (
    select
        gold_key,
        {{ normalise_name("written_as") }} as written_name,
    from written
    where not regexp_matches(written_as, '[/;(\[]')  -- what it parts are names, too
),

-- 'lupus', of which the name in the case says more: what adds other words to it and is known may
-- be another disease, such as a complication
vague_names as (
    select distinct
        gold_names.gold_key,
        gold_names.gold_name,
    from gold_names
    inner join written_names using (gold_key)
    where
        gold_names.gold_name != written_names.written_name
        and list_has_all(
            string_split(written_names.written_name, ' '), string_split(gold_names.gold_name, ' ')
        )
),

narrower_names as (
    select
        compared_names.*,
        if(
            vague_names.gold_key is not null
            and compared_names.reading_key in (select reading_key from concepts),
            'similar_name',
            'narrower_name'
        ) as rule,
    from compared_names
    left join vague_names using (gold_key, gold_name)
    where
        compared_names.gold_coverage = 1
        and compared_names.is_no_other_gold_member
        and compared_names.is_no_less_qualified
        and (
            compared_names.reading_coverage >= {{ parameter('name_coverage') }}
            or compared_names.gold_size >= {{ parameter('name_specificity') }}
        )
),

minor_words as (
    select
        list(word) filter (where kind = 'qualifier') as qualifiers,
        list(word) as words,
    from {{ ref('name_words') }}
    where kind in ('qualifier', 'stop')
),

-- one word that tells something, and its qualifiers: 'chronic ITP'
short_readings as (
    select
        readings.reading_key,
        readings.reading,
        readings.is_alternative,
        list_filter(
            string_split(readings.reading, ' '),
            lambda w: w = readings.reading or not list_contains(minor_words.words, w)
        ) as telling_words,
        list_filter(
            string_split(readings.reading, ' '),
            lambda w: w != readings.reading and list_contains(minor_words.qualifiers, w)
        ) as qualifiers,
    from readings
    cross join minor_words
    where regexp_matches(readings.reading, '(^| )[a-z0-9]{2,6}( |$)')
),

usual_abbreviations as (
    select distinct alias_normalised as abbreviation
    from {{ ref('dim_concept_alias') }}
    where scope = 'abbreviation' and vocabulary = 'icd10cm'
),

-- two letters are enough where clinicians write them
abbreviated_readings as (
    select
        short_readings.*,
        short_readings.telling_words[1] as word,
    from short_readings
    left join usual_abbreviations as usual
        on short_readings.telling_words[1] = usual.abbreviation
    where
        len(short_readings.telling_words) = 1
        and length(short_readings.telling_words[1])
        between if(usual.abbreviation is null, 3, 2) and 6
),

bare_golds as (
    select
        gold_names.gold_key,
        gold_names.gold_name,
        {{ without_words("gold_names.gold_name", "minor_words.qualifiers") }} as bare_name,
        list_filter(
            string_split(gold_names.gold_name, ' '),
            lambda w: list_contains(minor_words.qualifiers, w)
        ) as qualifiers,
    from gold_names
    cross join minor_words
),

-- 'ALS' for 'amyotrophic lateral sclerosis', 'CdLS' for 'Cornelia de Lange syndrome', 'acute DVT'
-- for 'deep vein thrombosis'
abbreviated_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        readings.is_alternative,
        bare_golds.gold_name,
        {{ abbreviates("readings.word", "bare_golds.gold_name") }} as is_whole,
        case
            when not is_whole and not {{ abbreviates("readings.word", "bare_golds.bare_name") }}
                then null
            when {{ is_opposed("reading_profiles.axis_values", "gold_profiles.axis_values") }}
                then 'opposite_qualifier'
            when is_whole and list_has_all(bare_golds.qualifiers, readings.qualifiers)
                then 'initials'
            when
                not is_whole
                and list_sort(readings.qualifiers) = list_sort(bare_golds.qualifiers)
                then 'initials'
            else 'other_qualifier'
        end as rule,
    from {{ ref('int_experiments__judged_pairs') }} as pairs
    inner join abbreviated_readings as readings on pairs.reading_key = readings.reading_key
    inner join bare_golds on pairs.gold_key = bare_golds.gold_key
    inner join {{ ref('int_experiments__name_profiles') }} as reading_profiles
        on readings.reading = reading_profiles.name
    inner join {{ ref('int_experiments__name_profiles') }} as gold_profiles
        on bare_golds.gold_name = gold_profiles.name
),

evidence as (
    select {{ evidence("'same_name'", "gold_name") }}
    from named_pairs
    where reading = gold_name
    union all
    select {{ evidence("rule", "gold_name") }}
    from abbreviated_pairs
    where rule is not null
    union all
    select {{ evidence("rule", "gold_name") }}
    from same_words
    union all
    select {{ evidence("'broader_name'", "gold_name") }}
    from broader_names
    union all
    select {{ evidence("rule", "gold_name") }}
    from narrower_names
    union all
    select {{ evidence("'similar_name'", "gold_name") }}
    from compared_names
    where least(reading_coverage, gold_coverage) >= {{ parameter('name_coverage') }}
    union all
    -- 'anemia' for 'Fanconi anemia': the word is right but not very informative
    select {{ evidence("'general_name'", "gold_name") }}
    from compared_names
    where reading_coverage = 1
),

final as (
    {{ first_reasons("evidence") }}
)

select * from final
