{#- How grave a diagnosis is by the rules of the severity_rules seed, whoever names it, a system or
    the author of the case: CTEs that end with `graded` (key, severity, severity_rule,
    severity_reason, acuity, is_rare), one row per key. The severity mixes two questions, which
    acuity (mild to critical, as if nothing were rare) and is_rare answer apart. Reads the CTEs
    `keys` (key), `named` (key, name) and `concepts` (key, vocabulary, concept_id, is_exact);
    `rare_prevalence` is the largest number of people in 100,000 that a rare disease has. -#}
{% macro severities_by_rules(key, rare_prevalence) -%}
names as (
    select * from {{ ref('dim_concept_alias') }}
),

findings as (
    select {{ key }}
    from concepts
    where vocabulary = 'hpo' and is_exact
),

-- a Mondo class with the name of a disease is that disease: Pompe disease is glycogen storage
-- disease II. The name of a finding is not: hiatal hernia is also a hereditary disease
diseases as (
    select
        {{ key }},
        concept_id,
    from concepts
    where vocabulary = 'disease'
    union
    select
        concepts.{{ key }},
        diseases.concept_id,
    from concepts
    anti join findings using ({{ key }})
    inner join names as classes
        on
            concepts.concept_id = classes.concept_id
            and concepts.is_exact
            and concepts.vocabulary = 'mondo'
            and classes.vocabulary = 'mondo'
            and classes.scope in ('preferred', 'exact')
    inner join names as diseases
        on
            classes.alias_normalised = diseases.alias_normalised
            and diseases.vocabulary = 'disease'
            and diseases.scope in ('preferred', 'exact')
),

-- an imported mapping may have joined the id of an estimate to another one
prevalences as (
    select
        ids.disease_id,
        estimates.icd10_code,
    from {{ ref('disease_prevalence') }} as estimates
    inner join {{ ref('bridge_disease_id') }} as ids
        on estimates.disease_id = ids.source_disease_id
    where estimates.prevalence_per_100000 > {{ rare_prevalence }}
),

-- membership in a vocabulary of rare diseases does not make a common one rare
common_diseases as (
    select
        diseases.{{ key }},
        diseases.concept_id,
        prevalences.icd10_code,
    from diseases
    inner join prevalences on diseases.concept_id = prevalences.disease_id
),

-- nor is a class rare that has a common disease in it, except where a rule names the class
classes_of_common_diseases as (
    select ancestors.ancestor_mondo_id as concept_id
    from prevalences
    inner join names as diseases
        on prevalences.disease_id = diseases.concept_id and diseases.scope in ('preferred', 'exact')
    inner join names as classes
        on
            diseases.alias_normalised = classes.alias_normalised
            and classes.vocabulary = 'mondo'
            and classes.scope in ('preferred', 'exact')
    inner join {{ ref('bridge_disease_class_ancestor') }} as ancestors
        on classes.concept_id = ancestors.mondo_id
    anti join {{ ref('severity_rules') }} as rules
        on ancestors.ancestor_mondo_id = rules.pattern
),

own_codes as (
    select
        {{ key }},
        concept_id as icd10_code,
    from concepts
    where vocabulary = 'icd10cm'
    union
    select
        {{ key }},
        icd10_code,
    from common_diseases
),

ancestors as (
    select
        mondo_id as concept_id,
        ancestor_mondo_id as ancestor_id,
        distance,
    from {{ ref('bridge_disease_class_ancestor') }}
    union all
    select
        hpo_id as concept_id,
        ancestor_hpo_id as ancestor_id,
        distance,
    from {{ ref('bridge_hpo_ancestor') }}
),

words as (
    select
        named.{{ key }},
        string_split(
            regexp_replace(named.name, ' (with|due to|caused by|secondary to|associated) .*', ''), ' '
        ) as words,
    from named
    anti join concepts using ({{ key }})
),

endings as (
    select
        {{ key }},
        unnest(range(2, len(words) + 1)) as first_word,
        array_to_string(list_slice(words, first_word, len(words)), ' ') as name,
    from words
),

-- the longest known end of an unknown name says what kind of disease it is: brainstem stroke
heads as (
    select
        endings.{{ key }},
        names.concept_id,
        names.vocabulary,
    from endings
    inner join names
        on
            endings.name = names.alias_normalised
            and names.vocabulary in ('icd10cm', 'mondo', 'hpo')
            and names.scope in ('preferred', 'exact', 'inclusion')
    qualify endings.first_word = min(endings.first_word) over (partition by endings.{{ key }})
),

wider_concepts as (
    select
        {{ key }},
        concept_id,
        vocabulary,
        1 as nearest,
    from concepts
    union all
    select
        *,
        0 as nearest,
    from heads
),

-- a diagnosis without a code is as grave as the nearest class or finding above it that has one
codes_above as (
    select
        concepts.{{ key }},
        codes.concept_id as icd10_code,
    from wider_concepts as concepts
    anti join own_codes using ({{ key }})
    inner join ancestors using (concept_id)
    inner join names
        on
            ancestors.ancestor_id = names.concept_id
            and ancestors.distance >= concepts.nearest
            and names.vocabulary in ('mondo', 'hpo')
            and names.scope in ('preferred', 'exact')
    inner join names as codes
        on
            names.alias_normalised = codes.alias_normalised
            and codes.vocabulary = 'icd10cm'
            and codes.scope != 'abbreviation'
    qualify
        ancestors.distance
        = min(ancestors.distance) over (partition by concepts.{{ key }}, concepts.vocabulary)
),

all_codes as (
    select
        *,
        false as is_above,
    from own_codes
    union all
    select
        *,
        true as is_above,
    from codes_above
    union all
    select
        {{ key }},
        concept_id as icd10_code,
        true as is_above,
    from heads
    where vocabulary = 'icd10cm'
),

codes as (
    select
        all_codes.*,
        icd10_codes.chapter_code,
    from all_codes
    inner join {{ ref('dim_icd10_code') }} as icd10_codes
        on all_codes.icd10_code = icd10_codes.code
),

rules as (
    select
        *,
        string_split(pattern, '..')[1] as first_code,
        string_split(pattern, '..')[2] as last_code,
    from {{ ref('severity_rules') }}
),

matches as (
    -- a range is compared with as many characters of the code as the range itself has
    select
        codes.{{ key }},
        rules.rule_id,
        codes.is_above,
    from codes
    inner join rules
        on
            rules.kind = 'icd10_range'
            and left(codes.icd10_code, length(rules.first_code))
            between rules.first_code and rules.last_code
    union
    select
        codes.{{ key }},
        rules.rule_id,
        codes.is_above,
    from codes
    inner join rules on rules.kind = 'icd10_chapter' and codes.chapter_code = rules.pattern
    union
    select
        diseases.{{ key }},
        rules.rule_id,
        false as is_above,
    from diseases
    anti join common_diseases using ({{ key }})
    inner join rules
        on
            rules.kind = 'rare_vocabulary'
            and list_contains(
                string_split(rules.pattern, '|'), split_part(diseases.concept_id, ':', 1)
            )
    union
    select
        named.{{ key }},
        rules.rule_id,
        false as is_above,
    from named
    inner join {{ ref('int_experiments__disease_families') }} as families
        on named.name = families.name
    inner join rules on rules.kind = 'rare_family'
    union
    select
        concepts.{{ key }},
        rules.rule_id,
        true as is_above,
    from wider_concepts as concepts
    inner join ancestors using (concept_id)
    inner join rules on rules.kind = 'class' and ancestors.ancestor_id = rules.pattern
    union
    -- a class whose members are all rare says so of each of them
    select
        concepts.{{ key }},
        rules.rule_id,
        false as is_above,
    from concepts
    anti join classes_of_common_diseases using (concept_id)
    inner join ancestors using (concept_id)
    inner join rules
        on rules.kind = 'rare_class' and ancestors.ancestor_id = rules.pattern
    where concepts.is_exact
    union
    select
        keys.{{ key }},
        rules.rule_id,
        false as is_above,
    from keys
    inner join rules on rules.kind = 'none'
),

acuities as (
    select
        matches.{{ key }},
        first(
            rules.severity
            order by
                matches.is_above asc,
                rules.priority asc,
                length(rules.first_code) desc,
                levels.severity_value desc,
                rules.rule_id asc
        ) filter (where rules.severity not in ('rare', 'unknown')) as acuity,
        case
            when bool_or(rules.severity = 'rare') then true
            when bool_or(rules.severity not in ('rare', 'unknown')) then false
        end as is_rare,
    from matches
    inner join rules on matches.rule_id = rules.rule_id
    inner join {{ ref('severity_levels') }} as levels
        on rules.severity = levels.severity
    group by all
),

-- the most specific kind of rule first, then what holds of a class above; among ranges the longest
-- code, and then the graver level
graded as (
    select
        matches.{{ key }},
        acuities.acuity,
        acuities.is_rare,
        rules.severity,
        rules.rule_id as severity_rule,
        rules.reason || if(matches.is_above, ', by a class above it', '') as severity_reason,
    from matches
    inner join acuities on matches.{{ key }} = acuities.{{ key }}
    inner join rules on matches.rule_id = rules.rule_id
    inner join {{ ref('severity_levels') }} as levels
        on rules.severity = levels.severity
    qualify
        row_number() over (
            partition by matches.{{ key }}
            order by
                rules.kind = 'none' asc,
                matches.is_above asc,
                rules.priority asc,
                length(rules.first_code) desc,
                levels.severity_value desc nulls last,
                rules.rule_id asc
        ) = 1
)
{%- endmacro %}
