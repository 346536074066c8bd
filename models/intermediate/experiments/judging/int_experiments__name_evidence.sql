{%- set syndrome = "\\b(syndrome|sindrome)\\b" -%}
-- The evidence of the two names by themselves, before any terminology interprets them.
with readings as (
    select * from {{ ref('int_experiments__diagnosis_readings') }}
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
    inner join {{ ref('int_experiments__gold_names') }} as gold_names using (gold_key)
),

written_names as (
    select
        golds.gold_key,
        {{ normalise_name("names.written_as") }} as written_name,
        -- behind the first name of a disease that a terminology knows stand its other names there
        bool_or(
            golds.gold_concept_id is null or names.written_as = golds.gold_names[1]
        ) as is_first_name,
    from {{ ref('int_experiments__gold_diagnoses') }} as golds,
        unnest(golds.gold_names) as names (written_as)
    where not regexp_matches(names.written_as, '[/;(\[]')  -- what it parts are names, too
    group by all
),

-- where Mondo puts neither above the other, one does not count as a form of the other: eosinophilic
-- granulomatosis with polyangiitis, granulomatosis with polyangiitis
two_diseases as (
    {{ two_diseases() }}
),

compared_names as (
    select
        named_pairs.*,
        name_overlaps.* exclude (reading, gold_name),
        coalesce(not two_diseases.is_linked, false) as is_distinct,
        coalesce(two_diseases.is_linked, false) as is_linked,
        -- Cushing's disease is a form of Cushing's syndrome
        coalesce(
            two_diseases.is_linked
            and regexp_matches(named_pairs.reading, '{{ syndrome }}')
            != regexp_matches(named_pairs.gold_name, '{{ syndrome }}'),
            false
        ) as is_disease_of_syndrome,
        -- of another disease, a synonym may have the words: 'vascular hemophilia' for hemophilia
        written_names.gold_key is not null as is_written,
        is_distinct and not is_written as is_distinct_synonym,
        coalesce(written_names.is_first_name, false) as is_first_name,
        -- 'senile dementia of Alzheimer type' does not make Alzheimer's disease another than its
        -- early form, if the case says no age
        written_names.gold_key is null
        and bool_or(
            written_names.gold_key is not null
            and name_overlaps.gold_coverage = 1
            and not name_overlaps.is_opposed
        ) over (partition by named_pairs.gold_key, named_pairs.reading_key, named_pairs.reading)
            as is_overruled,
    from named_pairs
    inner join {{ ref('int_experiments__name_overlaps') }} as name_overlaps
        using (reading, gold_name)
    left join two_diseases
        on
            named_pairs.gold_key = two_diseases.gold_key
            and named_pairs.reading_key = two_diseases.reading_key
    left join written_names
        on
            named_pairs.gold_key = written_names.gold_key
            and named_pairs.gold_name = written_names.written_name
),

-- the words are the same, so the rest of the names decides. Marks distinguish the members of a
-- series and are never typing errors; qualifiers make a name narrower, or a different one
same_words as (
    select
        *,
        case
            when is_opposed then 'opposite_qualifier'
            when not is_same_member then 'series_sibling'
            when is_distinct and not is_no_more_qualified
                then 'similar_name'
            when is_distinct_synonym and not (is_same_mark and is_no_less_qualified)
                then 'similar_name'
            when not is_same_mark then 'series_member'
            when not (is_no_more_qualified and is_no_less_qualified) then 'other_qualifier'
            when is_disease_of_syndrome then 'other_qualifier'
            when is_misspelt then 'spelling'
            else 'same_words'
        end as rule,
    from compared_names
    where reading_coverage = 1 and gold_coverage = 1 and not (is_opposed and is_overruled)
),

-- a laboratory finding of many diseases, such as hypoglycemia, identifies none of them, and one of
-- few (hypomagnesemia) no disease that only another of its names has it in
laboratory_findings as (
    select
        concepts.reading_key,
        bool_or(hpo_terms.information_content < {{ parameter('name_specificity') }}) as is_common,
    from concepts
    inner join {{ ref('dim_hpo_term') }} as hpo_terms
        on
            concepts.vocabulary = 'hpo'
            and concepts.concept_id = hpo_terms.hpo_id
    inner join {{ ref('bridge_hpo_ancestor') }} as hpo_ancestors
        on
            hpo_terms.hpo_id = hpo_ancestors.hpo_id
            and hpo_ancestors.ancestor_hpo_id in {{ hpo_measurements() }}
    group by all
),

-- a short name is enough where it is most of the longer one, or so rare that it names a disease by
-- itself: 'amyloidosis', but not 'anemia'. The words after a deficiency are a sign of the disease
-- and, rare or not, not its name
broader_names as (
    select
        *,
        if(
            is_distinct_synonym
            -- part of another name of it is a known disease or finding, and nothing puts that above
            -- it: kidney stones, for cystinuria as 'cystine kidney stone disease'
            or (
                not is_first_name
                and not is_linked
                and reading_key in (
                    select reading_key from concepts
                    where is_exact
                )
            ),
            'similar_name',
            'broader_name'
        ) as rule,
    from compared_names
    where
        reading_coverage = 1
        and is_no_other_member
        and is_no_more_qualified
        and (is_written or reading_key not in (select reading_key from laboratory_findings))
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
                    where is_common
                )
            )
        )
),

-- 'lupus', of which the name in the case says more, or 'scleroderma' for another name in the case:
-- what adds other words to it and is known may be another disease, such as a complication
vague_names as (
    select distinct
        gold_names.gold_key,
        gold_names.gold_name,
    from {{ ref('int_experiments__gold_names') }} as gold_names
    inner join written_names using (gold_key)
    where
        gold_names.gold_name != written_names.written_name
        and (
            list_has_all(
                string_split(written_names.written_name, ' '),
                string_split(gold_names.gold_name, ' ')
            )
            or gold_names.gold_name not like '% %'
        )
),

narrower_names as (
    select
        compared_names.*,
        if(
            (
                vague_names.gold_key is not null
                and compared_names.reading_key in (select reading_key from concepts)
            )
            or (
                compared_names.is_distinct
                -- 'X with Y' names both
                and not regexp_matches(compared_names.reading, '\b(and|y)\b')
                and not starts_with(compared_names.reading, compared_names.gold_name || ' ')
                and not ends_with(compared_names.reading, ' with ' || compared_names.gold_name)
            ),
            'similar_name',
            'narrower_name'
        ) as rule,
    from compared_names
    left join vague_names using (gold_key, gold_name)
    where
        compared_names.gold_coverage = 1
        and compared_names.is_no_other_gold_member
        and (
            compared_names.is_no_less_qualified
            -- 'acute' is left out where something else is said: 'perforated appendicitis'. What the
            -- vocabularies have is read there: hairy cell leukemia is no acute leukemia
            or (
                compared_names.is_no_less_qualified_but_acute
                and not compared_names.is_opposed
                and compared_names.reading_key not in (
                    select reading_key from concepts
                    where is_exact
                )
            )
        )
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

-- what the terminologies call the disease, its abbreviations among it
meanings as (
    select distinct
        gold_concepts.gold_key,
        aliases.alias_normalised as name,
        aliases.scope = 'abbreviation' as is_abbreviation,
    from {{ ref('dim_concept_alias') }} as aliases
    inner join {{ ref('int_experiments__gold_concepts') }} as gold_concepts
        using (concept_id, vocabulary)
    where
        gold_concepts.is_exact
        and aliases.vocabulary != 'hpo'
        and aliases.scope in ('preferred', 'exact', 'inclusion', 'abbreviation')
),

-- 'ARDS due to pneumonia', 'jaundice due to pancreatic cancer', which names the cancer, 'DVT of the
-- left leg' and 'pre-eclampsia at 34 weeks', if no terminology knows the whole
spoken_parts as (
    {{ spoken_parts() }}
),

-- one word that tells something, its qualifiers and its number: 'chronic ITP', 'VWD type 1'
abbreviated_readings as (
    select
        readings.reading_key,
        readings.reading,
        readings.is_alternative,
        readings.is_part,
        list_filter(
            string_split(readings.reading, ' '),
            lambda w: w = readings.reading or not list_contains(minor_words.words, w)
        ) as major_words,
        list_filter(
            major_words,
            lambda w: not regexp_full_match(w, '[0-9]{1,2}[a-z]?|[ivx]+[a-d]?|[a-z]')
        ) as telling_words,
        telling_words[1] as word,
        readings.reading_key in (
            select reading_key from concepts
            where is_exact
        ) as is_known,
        word in (
            select alias_normalised from {{ ref('dim_concept_alias') }}
            where scope = 'abbreviation' and vocabulary = 'icd10cm'
        ) as is_usual,
        list_filter(
            string_split(readings.reading, ' '),
            lambda w: w != readings.reading and list_contains(minor_words.qualifiers, w)
        ) as qualifiers,
    from (
        select
            reading_key,
            reading,
            is_alternative,
            false as is_part,
        from readings
        union all
        select
            reading_key,
            part as reading,
            is_alternative,
            true as is_part,
        from spoken_parts
    ) as readings
    cross join minor_words
    where regexp_matches(readings.reading, '(^| )[a-z0-9]{2,6}( |$)')
),

bare_golds as (
    select
        gold_names.gold_key,
        gold_names.gold_name,
        {{ without_words("gold_names.gold_name", "minor_words.qualifiers") }} as bare_name,
        -- 'von willebrand disease' and 'niemann pick c'
        regexp_replace(bare_name, ' (type|tipo)? ?([0-9]{1,2}[a-z]?|[ivx]+[a-d]?|[a-z])$', '')
            as series_name,
        regexp_replace(bare_name, '( disease)? type ([a-z])$', ' \2') as short_name,
        list_filter(
            string_split(gold_names.gold_name, ' '),
            lambda w: list_contains(minor_words.qualifiers, w)
        ) as qualifiers,
        -- once a name, since a pair is one of hundreds of thousands
        {{ abbreviations("gold_names.gold_name") }} as abbreviations,
        {{ abbreviations("short_name") }} as short_abbreviations,
        {{ abbreviations("bare_name") }} as bare_abbreviations,
        {{ abbreviations("series_name") }} as series_abbreviations,
    from {{ ref('int_experiments__gold_names') }} as gold_names
    cross join minor_words
),

-- 'ALS' for 'amyotrophic lateral sclerosis', 'CdLS' for 'Cornelia de Lange syndrome', 'acute DVT'
-- for 'deep vein thrombosis'; and of an abbreviation with several meanings, the one of the gold
-- diagnosis, unless it stands beside a known name
abbreviated_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        readings.is_alternative,
        bare_golds.gold_name,
        list_contains(bare_golds.abbreviations, readings.word)
        or list_contains(bare_golds.short_abbreviations, readings.word)
        or meanings.name is not null as is_whole,
        case
            when
                not is_whole
                and not list_contains(bare_golds.bare_abbreviations, readings.word)
                and not list_contains(bare_golds.series_abbreviations, readings.word)
                then null
            when {{ is_opposed("reading_profiles.axis_values", "gold_profiles.axis_values") }}
                then 'opposite_qualifier'
            -- 'CKD stage 4' is a member of the chronic kidney disease it abbreviates
            when
                (not is_whole or gold_profiles.series_marks is null)
                and (reading_profiles.series_marks is null)
                != (gold_profiles.series_marks is null)
                then 'series_member'
            when reading_profiles.series_marks != gold_profiles.series_marks
                then 'series_sibling'
            when readings.is_part then 'other_qualifier'
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
    left join {{ ref('int_experiments__name_profiles') }} as reading_profiles
        on readings.reading = reading_profiles.name
    inner join {{ ref('int_experiments__name_profiles') }} as gold_profiles
        on bare_golds.gold_name = gold_profiles.name
    left join meanings
        on
            pairs.gold_key = meanings.gold_key
            and readings.word = meanings.name
            and meanings.is_abbreviation
            and not readings.is_known
    where
        len(readings.telling_words) = 1
        -- two letters are enough where clinicians write them
        and length(readings.word) between if(readings.is_usual, 2, 3) and 6
),

said_diseases as (
    select
        pairs.gold_key,
        pairs.reading_key,
        spoken_parts.is_alternative,
        meanings.name,
        spoken_parts.kind = 'side'
        and meanings.name = spoken_parts.part
        and pairs.gold_key not in (
            select gold_key from {{ ref('int_experiments__gold_names') }}
            where regexp_matches(gold_name, '\b(left|right|izquierd[oa]|derech[oa])\b')
        ) as is_same_but_side,
    from {{ ref('int_experiments__judged_pairs') }} as pairs
    inner join spoken_parts using (reading_key)
    inner join meanings using (gold_key)
    where meanings.name in (spoken_parts.part, spoken_parts.bare_part)
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
    -- 'central retinal artery occlusion' for a gold diagnosis that is written 'CRAO', if no
    -- terminology says what else that is
    select {{ evidence("'initials'", "gold_name") }}
    from named_pairs
    where
        regexp_full_match(gold_name, '[a-z0-9]{3,6}')
        and contains(' ' || reading, ' ' || left(gold_name, 1))  -- cheap, and seldom true
        and {{ abbreviates("gold_name", "reading") }}
        and gold_key not in (
            select gold_key from {{ ref('int_experiments__gold_concepts') }}
            where is_exact
        )
    union all
    -- the left hip says where, not what, unless the gold diagnosis has a side
    select {{ evidence("if(is_same_but_side, 'same_concept', 'same_concept_qualified')", "name") }}
    from said_diseases
    union all
    select {{ evidence("rule", "gold_name") }}
    from same_words
    union all
    select {{ evidence("rule", "gold_name") }}
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
